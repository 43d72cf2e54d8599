# Tests of the compiler, the runtime and the tools. `utils/test.sh` runs them all;
# `lit -v build/release/test --filter=ein` runs a part.
import os
import sys

import lit.formats

config.name = "Turnip"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Install", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.turnip_obj_root, "test")

bin_dir = os.path.join(config.turnip_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
# Plans that tests keep do not go to the user's folder.
config.environment["TURNIP_PLAN_CACHE"] = os.path.join(config.test_exec_root, "plans")
config.substitutions.append(("%turnip_src", config.turnip_src_root))
config.substitutions.append(("%turnip_obj", config.turnip_obj_root))
config.substitutions.append(("%python", sys.executable))

# The model that utils/fetch-model.sh fetches; tests that need it say REQUIRES.
model = os.path.join(
    config.turnip_src_root, "build", ".cache", "SmolLM2-135M-Instruct.Q4_1.gguf"
)
if os.path.exists(model):
    config.available_features.add("smollm2")
config.substitutions.append(("%smollm2", model))

# What stands in for CUDA's libraries: `%stand_in turnip-run --device=cuda:0 ...`.
stand_in = os.path.join(config.turnip_obj_root, "lib", "libturnip-cuda-stand-in.so")
if os.path.exists(stand_in):
    config.available_features.add("cuda-stand-in")
config.substitutions.append(
    ("%stand_in", f"env TURNIP_CUDA_LIBRARY={stand_in} TURNIP_CUBLASLT_LIBRARY={stand_in}")
)
