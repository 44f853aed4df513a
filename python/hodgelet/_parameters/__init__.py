"""Parameters of the estimators, made from the settings of the library.

Written by ``cargo run -p hodgelet --example python_parameters python/hodgelet/_parameters``; do not edit.
"""

from __future__ import annotations

from hodgelet._parameters._classifier import ClassifierParameters
from hodgelet._parameters._regressor import RegressorParameters
from hodgelet._parameters._transformer import TransformerParameters

__all__ = ["ALIASES", "RENAMED", "ClassifierParameters", "RegressorParameters", "TransformerParameters"]

# Parameters with scikit-learn's names, and the settings that they are.
ALIASES = {
    "max_iter": "iterations",
    "random_state": "seed",
}

# Names of earlier versions, and what is written today.
RENAMED = {
    "model": "method",
    "cliques": "lift",
    "max_dim": "lift",
    "line_graph": "lift",
    "no_split": "split=false",
    "without": "exclude",
    "filters": "n_filters",
    "bands": "n_bands",
    "fourier": "method=fourier",
    "no_priors": "prior_deviation=none",
}
