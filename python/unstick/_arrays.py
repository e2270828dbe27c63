"""Arrays of other libraries, as NumPy sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import ProblemError

HOST = {1, 3, 11}
"""Devices of DLPack whose memory the processor reads: its own, and what CUDA and ROCm have pinned."""

DEVICES = {2: "a CUDA GPU", 4: "an OpenCL device", 7: "a Vulkan device", 8: "a Metal GPU", 10: "a ROCm GPU", 14: "an Intel GPU"}


def host(values: Any, what: str) -> npt.NDArray[Any]:
    """An array from anything that NumPy or DLPack knows: without a copy from the memory of the processor, else with one."""
    if isinstance(values, np.ndarray):
        return values
    device = getattr(values, "__dlpack_device__", None)
    if device is not None:
        kind = int(device()[0])
        if getattr(values, "requires_grad", False):
            raise ProblemError(
                f"{what} takes part in automatic differentiation, which this call does not",
                "`unstick.torch.solve` does; `.detach()` leaves the array out of it",
            )
        try:
            # Whoever owns an array on a device is asked for a copy in the memory of the processor.
            return np.from_dlpack(values) if kind in HOST else np.from_dlpack(values, device="cpu", copy=True)
        except (AttributeError, BufferError, NotImplementedError, RuntimeError, TypeError, ValueError):
            pass  # a kind of number that one of the two does not exchange, or a library that copies nothing
        if kind not in HOST:
            where = DEVICES.get(kind, "another device")
            raise ProblemError(
                f"{what} lies on {where}, and its library does not copy it to the processor by DLPack",
                "copy it there: `.cpu()` in torch, `jax.device_get` in jax, `.get()` in CuPy",
            )
    return np.asarray(values)
