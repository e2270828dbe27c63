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
    """An array without a copy, from anything that NumPy or DLPack knows; refused if it lies on a device."""
    if isinstance(values, np.ndarray):
        return values
    device = getattr(values, "__dlpack_device__", None)
    if device is not None:
        kind = int(device()[0])
        if kind not in HOST:
            where = DEVICES.get(kind, "another device")
            raise ProblemError(
                f"{what} lies on {where}, expected an array in the memory of the processor",
                "copy it there: `.cpu()` in torch, `jax.device_get` in jax, `.get()` in CuPy",
            )
        if getattr(values, "requires_grad", False):
            raise ProblemError(
                f"{what} takes part in automatic differentiation, which this call does not",
                "`unstick.torch.solve` does; `.detach()` leaves the array out of it",
            )
        try:
            return np.from_dlpack(values)
        except (TypeError, ValueError, RuntimeError, BufferError):
            pass  # a kind of number that one of the two does not exchange
    return np.asarray(values)
