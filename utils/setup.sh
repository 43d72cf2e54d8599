#!/usr/bin/env bash
# Installs what the build and the tests need and is missing (Debian 12; as root,
# or as anybody when nothing is missing). Prints what it does; does nothing twice.
#
#   utils/setup.sh [build|test]...     default: build
set -euo pipefail

build_packages=(cmake ninja-build g++ git clang-22 lld-22 liblld-22-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools mold ccache
  zlib1g-dev libzstd-dev
  libflatbuffers-dev python3 python3-pip python3-venv)
test_packages=(libgtest-dev libgmock-dev libtbb-dev flatbuffers-compiler
  clang-format-22 clang-tidy-22 libclang-rt-22-dev python3-numpy)

want=()
for group in "${@:-build}"; do
  case "$group" in
  build) want+=("${build_packages[@]}") ;;
  test) want+=("${test_packages[@]}") ;;
  *)
    echo "setup.sh: unknown group '$group'; expected build or test" >&2
    exit 2
    ;;
  esac
done

missing=()
for package in "${want[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "setup.sh: missing packages, and only root can install them: ${missing[*]}" >&2
  echo "setup.sh: run as root: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
