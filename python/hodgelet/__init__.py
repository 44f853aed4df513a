"""Gaussian processes on Hodge-decomposed spectral wavelet features of graphs and complexes."""

from hodgelet._batch import Boundary, Column, GraphBatch
from hodgelet._errors import HodgeletError, HodgeletFileError, HodgeletInputError, NotFittedError

__all__ = [
    "Boundary",
    "Column",
    "GraphBatch",
    "HodgeletError",
    "HodgeletFileError",
    "HodgeletInputError",
    "NotFittedError",
]
