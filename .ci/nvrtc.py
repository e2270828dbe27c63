"""Compiles the kernels from standard input for devices with and without clusters. Needs no GPU.

The compiler is NVRTC from the package nvidia-cuda-nvrtc of this interpreter. Its folder must be on LD_LIBRARY_PATH;
`--folder` prints it.
"""

import ctypes
import glob
import os
import sys
import sysconfig

ARCHITECTURES = {"compute_90": 8, "compute_75": 1}  # with the number of blocks that can synchronise


def library():
    pattern = os.path.join(sysconfig.get_path("purelib"), "nvidia", "*", "lib", "libnvrtc.so.*")
    found = sorted(glob.glob(pattern))
    if not found:
        sys.exit(f"there is no {pattern}")
    return found[0]


def compile_kernels(nvrtc, text, options):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernels.cu", 0, None, None)
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return status, log.value.decode()


def main():
    if "--folder" in sys.argv:
        print(os.path.dirname(library()))
        return
    nvrtc, text = ctypes.CDLL(library()), sys.stdin.buffer.read()
    failed = False
    for architecture, cluster in ARCHITECTURES.items():
        for dimension in (2, 3):
            defined = [f"-DDIM={dimension}", f"-DCLUSTER={cluster}"]
            options = [f"--gpu-architecture={architecture}", "--std=c++17", "-default-device", *defined]
            status, log = compile_kernels(nvrtc, text, [option.encode() for option in options])
            print(architecture, *defined, "compiled" if status == 0 else f"status {status}\n{log}")
            failed |= status != 0
    sys.exit(failed)


main()
