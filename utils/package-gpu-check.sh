#!/usr/bin/env bash
# Packs everything that gpu-check.sh needs on a machine with a GPU into one
# archive: the sources of the runtime, the headers and sources it builds with,
# compiled programs with what they must compute, and the benchmark.
#
#   utils/package-gpu-check.sh [OPTION]...
#
#   -o FILE             the archive (build/turnip-gpu-check.tar.gz)
#   --benchmark=NAME    7b: LLaMA-7B's dimensions, 2048 and 8192 tokens (default);
#                       tiny: a model of a moment, to try the procedure
#   --target=LIST       what kernels are compiled for, as turnip-compile has it
#                       (x86-64-v3,cuda:sm_80,cuda:sm_90,cuda:sm_100,cuda:stand-in)
#   --build=DIR         where turnip-compile, turnip-import, turnip-run are built
#                       (build/release)
#
# Needs FlatBuffers' headers and GoogleTest's sources where Debian's packages
# libflatbuffers-dev and libgtest-dev have them. Weights are in no archive: they
# are made from a seed where it runs.
set -euo pipefail
cd "$(dirname "$0")/.."

output=build/turnip-gpu-check.tar.gz
benchmark=7b
target=x86-64-v3,cuda:sm_80,cuda:sm_90,cuda:sm_100,cuda:stand-in
build=build/release
flatbuffers=/usr/include/flatbuffers
googletest=/usr/src/googletest
limit=$((40 << 20))

fail() {
  echo "package-gpu-check.sh: error: $1" >&2
  exit "${2:-1}"
}

while [ $# -gt 0 ]; do
  case "$1" in
  -o)
    [ $# -ge 2 ] || fail "-o: expected a file" 2
    output=$2
    shift
    ;;
  --benchmark=7b | --benchmark=tiny) benchmark=${1#*=} ;;
  --benchmark=*) fail "--benchmark: expected 7b or tiny, but got '${1#*=}'" 2 ;;
  --target=?*) target=${1#*=} ;;
  --build=?*) build=${1#*=} ;;
  -h | --help)
    sed -n '2,/^set -euo/{/^set/!s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  *) fail "unknown argument '$1'" 2 ;;
  esac
  shift
done

for program in turnip-import turnip-compile turnip-run; do
  [ -x "$build/bin/$program" ] || fail "no $program in $build/bin: build it first"
done
[ -f "$flatbuffers/flatbuffers.h" ] || fail "no FlatBuffers headers in $flatbuffers (Debian: libflatbuffers-dev)"
[ -f "$googletest/CMakeLists.txt" ] || fail "no sources of GoogleTest in $googletest (Debian: libgtest-dev)"
bin=$(cd "$build/bin" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/turnip-gpu-check
mkdir -p "$root"/{source,include,licences,cases/expected,benchmark}

#===------------------------------------------------------------------------===#
# Sources
#===------------------------------------------------------------------------===#

copy_sources() {
  git ls-files --cached --others --exclude-standard runtime cmake LICENSE |
    tar -cf - --files-from=- | tar -xf - -C "$root/source"
  cp -r "$flatbuffers" "$root/include/"
  cp -r "$googletest" "$root/googletest"
  rm -rf "$root"/googletest/googlemock "$root"/googletest/*/{test,docs,samples}
  cp utils/gpu-check.sh "$root/"
  cp -r utils/gpu-check "$root/gpu-check"
  rm -rf "$root"/gpu-check/{programs,__pycache__}
  cp LICENSE "$root/licences/turnip.txt"
  # Apache 2.0 and BSD with three clauses; Debian's files have the texts.
  cp /usr/share/doc/libflatbuffers-dev/copyright "$root/licences/flatbuffers.txt"
  cp /usr/share/doc/libgtest-dev/copyright "$root/licences/googletest.txt"
}

#===------------------------------------------------------------------------===#
# Programs
#===------------------------------------------------------------------------===#

# compile SOURCE ARTIFACT TILE-BUDGET. Sources whose names say so have their attention fused.
compile() {
  local flags=()
  [[ $1 != *-fused.mlir ]] || flags=(--fuse-attention)
  "$bin/turnip-compile" "$1" --target="$target" --tile-budget="$3" "${flags[@]}" -o "$2"
}

# The smallest cap of an artifact, in bytes.
smallest_cap() {
  local text
  text=$("$bin/turnip-run" "$1" --device=null --device-memory=1 2>&1 || true)
  [[ $text =~ "smallest capacity for these tasks is "([0-9]+) ]] || fail "no smallest capacity in: $text"
  echo "${BASH_REMATCH[1]}"
}

# add_case NAME SOURCE TILE-BUDGET TOLERANCE WHERE FLAG...: compiles a program, runs it on the host and
# keeps what comes out. WHERE is any, or gpu for what is too large for the stand-in. Flags are good for
# the root of the archive.
add_case() {
  local name=$1 source=$2 tile_budget=$3 tolerance=$4 where=$5 smallest result
  shift 5
  local artifact=cases/$name.memgraph
  compile "$source" "$root/$artifact" "$tile_budget"
  mkdir -p "$root/cases/expected/$name"
  local outputs=()
  for result in $("$bin/turnip-run" --inspect "$root/$artifact" | sed -n 's/^  result \([^:]*\):.*/\1/p'); do
    outputs+=("--output=$result=@cases/expected/$name/$result.npy")
  done
  (cd "$root" && "$bin/turnip-run" "$artifact" --device=host "$@" "${outputs[@]}")
  smallest=$(smallest_cap "$root/$artifact")
  echo "$name|$where|$artifact|$*|$tolerance|$smallest,$((smallest * 3 / 2)),none" >>"$root/cases/cases.txt"
}

# config LAYERS HIDDEN INTERMEDIATE HEADS KV-HEADS VOCABULARY TYPE
config() {
  cat <<END_OF_CONFIG
{"model_type": "llama", "num_hidden_layers": $1, "hidden_size": $2, "intermediate_size": $3,
 "num_attention_heads": $4, "num_key_value_heads": $5, "vocab_size": $6, "torch_dtype": "$7",
 "rms_norm_eps": 1e-06, "rope_theta": 10000, "hidden_act": "silu", "tie_word_embeddings": false,
 "max_position_embeddings": 8192}
END_OF_CONFIG
}

# llama NAME TOKENS ACTIVATIONS CONFIG...: imports the model of a configuration as NAME.mlir.
llama() {
  local name=$1 tokens=$2 activations=$3
  shift 3
  config "$@" >"$scratch/$name.json"
  "$bin/turnip-import" --config="$scratch/$name.json" --tokens="$tokens" --activation-type="$activations" \
    -o "$scratch/$name.mlir"
}

# llama_case NAME TOLERANCE WHERE TILE-BUDGET TOKENS ACTIVATIONS CONFIG...
llama_case() {
  local name=$1 tolerance=$2 where=$3 tile_budget=$4 tokens=$5
  shift 4
  llama "$name" "$@"
  add_case "$name" "$scratch/$name.mlir" "$tile_budget" "$tolerance" "$where" \
    --parameters=random:5 --input=tokens="${tokens}xi32=5"
}

add_cases() {
  local programs=utils/gpu-check/programs
  add_case kernels "$programs/kernels.mlir" 16KiB 5e-3 any \
    --parameters=random:7 --input=ids=11xi32=0,28,3,4,5,6,7,8,9,10,3
  llama_case llama-f32 1e-4 any 16KiB 12 f32 2 64 96 4 2 267 float32
  llama_case llama-f32-fused 1e-4 any 16KiB 12 f32 2 64 96 4 2 267 float32
  llama_case llama-bf16-fused 2e-2 any 16KiB 24 bf16 2 64 96 4 4 267 bfloat16
  llama_case llama-f16-fused 5e-3 any 16KiB 24 f16 2 64 96 4 4 267 float16
  python3 utils/reference/tiny_llama.py -o "$root/cases/tiny.gguf"
  "$bin/turnip-import" "$root/cases/tiny.gguf" --sequence-length=12 -o "$scratch/quantised.mlir"
  add_case llama-quantised "$scratch/quantised.mlir" 16KiB 1e-4 any \
    --parameters=cases/tiny.gguf --input=tokens=12xi32=1,2,3,4,5,6,7,8,9,10,11,12
  [ "$benchmark" = 7b ] || return 0
  llama_case llama-heads-of-128-fused 2e-2 gpu 4MiB 160 bf16 2 1024 2816 8 8 1000 bfloat16
}

#===------------------------------------------------------------------------===#
# Rates and the benchmark
#===------------------------------------------------------------------------===#

# The program that rates are measured with: products of SIZE x SIZE.
add_products() {
  local size=$1 type flags=(--input=ids=64xi32=3)
  sed "s/SIZE/$size/g" utils/gpu-check/programs/products.mlir >"$scratch/products.mlir"
  compile "$scratch/products.mlir" "$root/benchmark/products.memgraph" 2GiB
  for type in f32 f16 bf16; do
    flags+=("--input=${type}_a=${size}x${size}x$type=0.01")
  done
  echo "${flags[*]}" >"$root/benchmark/products.txt"
}

# add_benchmark WHERE TOKENS TILE-BUDGET CAPS CONFIG...
add_benchmark() {
  local where=$1 tokens=$2 tile_budget=$3 caps=$4
  shift 4
  llama benchmark-fused "$tokens" bf16 "$@"
  local artifact=benchmark/$tokens.memgraph
  compile "$scratch/benchmark-fused.mlir" "$root/$artifact" "$tile_budget"
  if [ "$caps" = relative ]; then
    local smallest
    smallest=$(smallest_cap "$root/$artifact")
    caps=$((smallest * 2)),$((smallest * 4)),$((smallest * 8)),auto
  fi
  echo "$where|$tokens|$artifact|--parameters=random:1 --input=tokens=${tokens}xi32=5|$caps" >>"$root/benchmark/benchmark.txt"
  echo "--layers=$1 --hidden-size=$2 --intermediate-size=$3 --heads=$4 --vocabulary=$6 --type=$7" \
    >"$root/benchmark/model.txt"
}

add_benchmarks() {
  if [ "$benchmark" = 7b ]; then
    add_products 8192
    add_benchmark gpu 2048 256MiB 4GiB,8GiB,16GiB,auto 32 4096 11008 32 32 32000 bfloat16
    add_benchmark gpu 8192 256MiB 4GiB,8GiB,16GiB,auto 32 4096 11008 32 32 32000 bfloat16
  else
    add_products 64
    add_benchmark any 16 32KiB relative 3 64 96 4 4 267 bfloat16
    add_benchmark any 32 32KiB relative 3 64 96 4 4 267 bfloat16
  fi
}

copy_sources
add_cases
add_benchmarks
{
  echo "Turnip's check of a GPU. To run it: ./gpu-check.sh (--help says more)."
  "$bin/turnip-run" --version
  echo "kernels for $target; benchmark $benchmark"
} >"$root/README.txt"
mkdir -p "$(dirname "$output")"
# The same content gives the same bytes.
tar -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - turnip-gpu-check |
  gzip -9n >"$output"
size=$(stat -c %s "$output")
[ "$size" -le "$limit" ] || fail "$output has $size bytes, more than the $limit that it may have"
echo "$output: $((size / 1024)) KiB"
