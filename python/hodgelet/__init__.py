"""Gaussian processes on Hodge-decomposed spectral wavelet features of graphs and complexes.

`HodgeletClassifier` and `HodgeletRegressor` learn from lists of graphs and predict with uncertainty and an exact
explanation; `HodgeletTransformer` gives features to other models. Graphs come from many libraries, see `as_batch`.
"""

from hodgelet import arrow, datasets, hodge, plot
from hodgelet._batch import Boundary, Column, GraphBatch
from hodgelet._classifier import HodgeletClassifier
from hodgelet._errors import HodgeletError, HodgeletFileError, HodgeletInputError, HodgeletWarning, NotFittedError
from hodgelet._inputs import HodgeletLabelWarning, HodgeletOrientationWarning, as_batch
from hodgelet._lift import lift
from hodgelet._load import load
from hodgelet._native import __version__
from hodgelet._regions import ClassSets, Intervals
from hodgelet._regressor import HodgeletRegressor
from hodgelet._results import (
    Block,
    BlockMeasures,
    CellShares,
    Drift,
    EnergyMeasures,
    Explanation,
    FilterBank,
    Hyperparameters,
    LeaveOneOut,
    Novelty,
    Prediction,
)
from hodgelet._several import SeveralModels, fit_several, load_several
from hodgelet._transformer import HodgeletTransformer

__all__ = [
    "Block",
    "BlockMeasures",
    "Boundary",
    "CellShares",
    "ClassSets",
    "Column",
    "Drift",
    "EnergyMeasures",
    "Explanation",
    "FilterBank",
    "GraphBatch",
    "HodgeletClassifier",
    "HodgeletError",
    "HodgeletFileError",
    "HodgeletInputError",
    "HodgeletLabelWarning",
    "HodgeletOrientationWarning",
    "HodgeletRegressor",
    "HodgeletTransformer",
    "HodgeletWarning",
    "Hyperparameters",
    "Intervals",
    "LeaveOneOut",
    "NotFittedError",
    "Novelty",
    "Prediction",
    "SeveralModels",
    "__version__",
    "arrow",
    "as_batch",
    "datasets",
    "fit_several",
    "hodge",
    "lift",
    "load",
    "load_several",
    "plot",
]
