"""Estimators from model files."""

from __future__ import annotations

import os
from typing import Any

from hodgelet._classifier import HodgeletClassifier
from hodgelet._regressor import HodgeletRegressor

__all__ = ["load"]


def load(path: str | os.PathLike[str], *, classes: Any = None, **params: Any) -> HodgeletClassifier | HodgeletRegressor:
    """The classifier or regressor of a model file from Python, Rust or the command; see `HodgeletClassifier.load`."""
    from hodgelet import _native

    fitted = _native.Model.load(os.fspath(path))
    if fitted.class_names() is None:
        return HodgeletRegressor._from_native(fitted, params)
    return HodgeletClassifier._of_model(fitted, path, classes, params)
