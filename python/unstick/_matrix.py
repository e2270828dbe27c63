"""Matrices and vectors as the solvers take them: three arrays in one piece, copied only where they must be."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._arrays import host
from ._errors import ProblemError

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.uint32]


class Rows(NamedTuple):
    """Compressed sparse rows."""

    values: Floats
    columns: Indices
    starts: Indices


def rows(matrix: Any) -> Rows:
    """A scipy.sparse matrix or array, ``(data, indices, indptr)``, or a dense array."""
    if isinstance(matrix, tuple):
        if len(matrix) != 3:
            raise ProblemError(f"the matrix is a tuple of {len(matrix)}, expected (data, indices, indptr)")
        data, indices, indptr = matrix
    elif hasattr(matrix, "tocsr"):
        data, indices, indptr = _sparse(matrix)
    else:
        data, indices, indptr = _dense(host(matrix, "the matrix"), type(matrix).__name__)
    columns, starts = _indices(indices, "the array of columns"), _indices(indptr, "the array of row starts")
    return Rows(vector(data, "the array of values"), columns, starts)


def vector(values: Any, what: str) -> Floats:
    """One-dimensional, double precision, in one piece; the array itself if it is all that already."""
    array = host(values, what)
    if array.dtype.kind not in "fiub":
        raise ProblemError(f"{what} holds {array.dtype}, expected real numbers")
    if array.ndim != 1:
        raise ProblemError(f"{what} has {array.ndim} dimensions, expected 1")
    return np.ascontiguousarray(array, dtype=np.float64)


def _sparse(matrix: Any) -> tuple[Any, Any, Any]:
    """Rows with ascending columns, each once."""
    _check_square(matrix.shape)
    matrix = matrix.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # it is the caller's
        matrix.sum_duplicates()
    return matrix.data, matrix.indices, matrix.indptr


def _dense(matrix: npt.NDArray[Any], kind: str) -> tuple[Any, Any, Any]:
    """What is not zero."""
    matrix = np.asarray(matrix)  # a matrix of NumPy keeps two dimensions whatever is taken from it
    if matrix.ndim != 2 or matrix.dtype == object:
        expected = "a scipy.sparse matrix, (data, indices, indptr) or a two-dimensional array"
        raise ProblemError(f"the matrix is {kind}, expected {expected}")
    _check_square(matrix.shape)
    rows, columns = np.nonzero(matrix)
    starts = np.searchsorted(rows, np.arange(matrix.shape[0] + 1))
    return matrix[rows, columns], columns, starts


def _check_square(shape: tuple[int, ...]) -> None:
    count, columns = shape
    if count != columns:
        raise ProblemError(f"the matrix has {count} rows and {columns} columns, expected a square matrix")


def _indices(indices: Any, what: str) -> Indices:
    """32 bits without sign. Signed ones are looked at as they are: what is negative is then out of range."""
    array = host(indices, what)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ProblemError(f"{what} holds {array.dtype} in {array.ndim} dimensions, expected whole numbers in 1")
    array = np.ascontiguousarray(array)
    if array.dtype.itemsize == 4:
        return array.view(np.uint32)
    if array.size and not (0 <= array.min() and array.max() <= np.iinfo(np.uint32).max):
        raise ProblemError(f"{what} runs from {array.min()} to {array.max()}, expected what fits 32 bits")
    return array.astype(np.uint32)
