"""Pickling, copying, and model files that Python, the command and Rust share."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from conftest import path, ring
from numpy.testing import assert_array_equal

import hodgelet
from hodgelet import (
    HodgeletClassifier,
    HodgeletFileError,
    HodgeletInputError,
    HodgeletRegressor,
    HodgeletTransformer,
    datasets,
)


def command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command that comes with the package."""
    line = [sys.executable, "-m", "hodgelet", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=300, **options)


def by_joblib(estimator: Any) -> Any:
    """There and back through joblib."""
    buffer = io.BytesIO()
    joblib.dump(estimator, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


WAYS = {
    "pickle": lambda e: pickle.loads(pickle.dumps(e)),
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_predicts_the_same_bits(way: str, fitted: HodgeletClassifier) -> None:
    graphs = [ring(5), path(20), ring(17)]
    again = WAYS[way](fitted)
    assert_array_equal(again.predict_proba(graphs), fitted.predict_proba(graphs))
    assert_array_equal(again.classes_, fitted.classes_)
    assert repr(again) == repr(fitted)
    assert again.training_ == fitted.training_


@pytest.mark.parametrize("way", WAYS)
def test_a_copied_transformer_gives_the_same_bits(way: str, shapes: tuple[list[Any], list[str]]) -> None:
    transformer = HodgeletTransformer(vertices="degree", edges="constant").fit(shapes[0])
    assert_array_equal(WAYS[way](transformer).transform(shapes[0]), transformer.transform(shapes[0]))
    WAYS[way](HodgeletTransformer())


def test_a_model_file_gives_the_same_bits_and_parameters(fitted: HodgeletClassifier, tmp_path: Path) -> None:
    file = tmp_path / "model.hodgelet"
    fitted.save(file)
    for again in (HodgeletClassifier.load(file), hodgelet.load(str(file))):
        assert isinstance(again, HodgeletClassifier)
        assert again.classes_.tolist() == ["path", "ring"]
        assert_array_equal(again.predict_proba([ring(6)]), fitted.predict_proba([ring(6)]))
        assert again.n_graphs_in_ == 16
        assert (again.vertices, again.max_iter) == ("degree", 20)
    with pytest.raises(HodgeletInputError, match=r"predicts classes, expected numbers"):
        HodgeletRegressor.load(file)
    renamed = HodgeletClassifier.load(file, classes=["P", "R"], n_jobs=1)
    assert renamed.predict([ring(6)]).tolist() == ["R"]
    assert renamed.n_jobs == 1
    with pytest.raises(HodgeletInputError, match="3 classes, but the model has 2: path, ring"):
        HodgeletClassifier.load(file, classes=[1, 2, 3])


def test_a_loaded_estimator_trains_the_same_model_again(shapes: tuple[list[Any], list[str]], tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "vertices": "degree-one-hot",
        "edges": "constant",
        "laplacian": "normalized",
        "exclude": ("edge harmonic",),
        "lift": "cliques:3",
        "scale_transform": "softplus",
        "n_filters": 4,
        "n_bands": 2,
        "low_pass": "none",
        "band_pass": "heat",
        "band_pass_scales": (0.5, 2.0),
        "scales": "reference",
        "shared_bank": True,
        "kernel": "matern:1.25",
        "lengthscales": "per-channel",
        "initial_lengthscale": 2.0,
        "likelihood": "softmax",
        "prior_deviation": None,
        "restarts": 2,
        "max_iter": 3,
        "tol": 1e-4,
        "time_limit": 100.5,
        "collapse": False,
        "random_state": 11,
    }
    model = HodgeletClassifier(**settings).fit(*shapes)
    assert model.get_params()["signed"] is None
    model.save(tmp_path / "model")
    again = HodgeletClassifier.load(tmp_path / "model")
    assert {name: again.get_params()[name] for name in settings} == settings
    assert_array_equal(again.fit(*shapes).predict_proba(shapes[0]), model.predict_proba(shapes[0]))


def test_a_faithful_model_is_the_same_when_it_is_loaded_and_trained_again(
    shapes: tuple[list[Any], list[str]], tmp_path: Path
) -> None:
    model = HodgeletClassifier(vertices="degree", faithful=True, max_iter=4).fit(*shapes)
    model.save(tmp_path / "model")
    again = HodgeletClassifier.load(tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert_array_equal(again.fit(*shapes).predict_proba(shapes[0]), model.predict_proba(shapes[0]))


def test_files_that_are_no_models_are_refused(tmp_path: Path, fitted: HodgeletClassifier) -> None:
    with pytest.raises(HodgeletFileError, match="cannot read") as error:
        HodgeletClassifier.load(tmp_path / "missing")
    assert isinstance(error.value, OSError)
    assert error.value.errno == 2
    text = tmp_path / "text"
    text.write_text("not a model")
    with pytest.raises(HodgeletFileError, match="text: not a model file"):
        hodgelet.load(text)
    with pytest.raises(HodgeletFileError, match="cannot write"):
        fitted.save(tmp_path / "no" / "such" / "folder")
    with pytest.raises(
        HodgeletFileError, match=r"text: holds something else, and a model would replace it; .*force=True"
    ):
        fitted.save(text)
    assert text.read_text() == "not a model"
    fitted.save(text, force=True)
    assert hodgelet.load(text).n_graphs_in_ == fitted.n_graphs_in_
    whole = tmp_path / "model"
    fitted.save(whole)
    whole.write_bytes(whole.read_bytes()[:-8])
    with pytest.raises(HodgeletFileError, match="truncated"):
        hodgelet.load(whole)


def test_python_and_the_command_train_the_same_model(
    blocks: datasets.Dataset, codes: np.ndarray, tmp_path: Path
) -> None:
    file = tmp_path / "sbm.hodgelet"
    ran = command(
        "fit", "sbm", "--set", "n_graphs=30", "--iterations", "10", "--hyperparameters", "map", "--out", str(file)
    )
    assert ran.returncode == 0, ran.stderr
    ours = HodgeletClassifier(max_iter=10).fit(blocks.graphs, codes)
    theirs = HodgeletClassifier.load(file)
    assert theirs.classes_.tolist() == ["two-blocks", "three-blocks"]
    assert_array_equal(theirs.predict_proba(blocks.graphs), ours.predict_proba(blocks.graphs))
    full, other = ours.predict_full(blocks.graphs), theirs.predict_full(blocks.graphs)
    assert_array_equal(full.attributions, other.attributions)
    assert_array_equal(full.latent_variance, other.latent_variance)
    assert {**theirs.training_, "seconds": 0} == {**ours.training_, "seconds": 0}


def test_the_command_predicts_with_models_of_python(
    blocks: datasets.Dataset, codes: np.ndarray, tmp_path: Path
) -> None:
    ours = HodgeletClassifier(max_iter=5).fit(blocks.graphs, codes)
    ours.save(tmp_path / "model")
    ran = command("predict", str(tmp_path / "model"), "sbm", "--set", "n_graphs=30", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    rows = json.loads(ran.stdout)["predictions"]
    theirs = np.array([list(row["probabilities"].values()) for row in rows])
    assert_array_equal(theirs, ours.predict_proba(blocks.graphs))
    full = ours.predict_full(blocks.graphs)
    shares = np.array([[share["latent_mean"] for share in row["blocks"]] for row in rows])
    assert_array_equal(shares, full.attributions)


@pytest.mark.parametrize("scales", ["reference", "spectrum"])
@pytest.mark.parametrize("standardize", [True, False])
def test_features_are_those_of_the_command(
    blocks: datasets.Dataset, standardize: bool, scales: str, tmp_path: Path
) -> None:
    file = tmp_path / "features.npy"
    flags = ["--seed", "0", "--n-filters", "4", "--scales", scales, *(["--standardize"] if standardize else [])]
    ran = command("features", "sbm", "--set", "n_graphs=30", "--out", str(file), *flags)
    assert ran.returncode == 0, ran.stderr
    ours = HodgeletTransformer(n_filters=4, scales=scales, standardize=standardize).fit(blocks.graphs)
    assert_array_equal(ours.transform(blocks.graphs), np.load(file))
    (columns,) = [path for path in tmp_path.iterdir() if path.suffix == ".json"]
    assert ours.get_feature_names_out().tolist() == json.loads(columns.read_text())["columns"]


def test_published_settings_are_those_of_the_command(
    blocks: datasets.Dataset, codes: np.ndarray, tmp_path: Path
) -> None:
    file = tmp_path / "model"
    flags = ["--faithful", "--iterations", "3", "--seed", "0", "--out", str(file)]
    ran = command("fit", "sbm", "--set", "n_graphs=30", *flags)
    assert ran.returncode == 0, ran.stderr
    ours = HodgeletClassifier(faithful=True, max_iter=3, random_state=0).fit(blocks.graphs, codes)
    theirs = HodgeletClassifier.load(file).predict_proba(blocks.graphs)
    assert_array_equal(ours.predict_proba(blocks.graphs), theirs)


def test_rust_trains_the_same_model(blocks: datasets.Dataset, codes: np.ndarray) -> None:
    programs = os.environ.get("HODGELET_EXAMPLES")
    if not programs:
        pytest.skip("SKIPPED HODGELET_EXAMPLES does not name the folder of the compiled examples")
    ran = subprocess.run([Path(programs) / "agreement"], capture_output=True, text=True, check=True, timeout=300)
    theirs = np.array([[float(p) for p in line.split()] for line in ran.stdout.splitlines()])
    ours = HodgeletClassifier(max_iter=10).fit(blocks.graphs, codes)
    assert_array_equal(theirs, ours.predict_proba(blocks.graphs))


def test_real_data_are_read_and_learned() -> None:
    folder = os.environ.get("HODGELET_DATA")
    if not folder:
        pytest.skip("SKIPPED HODGELET_DATA does not name a folder of datasets")
    mutag = datasets.load("MUTAG", data_dir=folder)
    assert len(mutag) == 188
    assert sorted(set(np.asarray(mutag.target).tolist())) == [-1, 1]
    train, test = np.arange(188) % 4 != 0, np.arange(188) % 4 == 0
    assert mutag.target is not None
    model = HodgeletClassifier(max_iter=15).fit(mutag.graphs[train], mutag.target[train])
    assert model.score(mutag.graphs[test], mutag.target[test]) > 0.75


def test_datasets_that_are_not_there_are_named() -> None:
    with pytest.raises(HodgeletFileError, match="no dataset `nothing`"):
        datasets.load("nothing", data_dir=".")
    with pytest.raises(HodgeletInputError, match="n_grafs"):
        datasets.load("sbm", n_grafs=3)


def test_the_command_prints_its_version_and_refuses_invalid_flags() -> None:
    ran = command("--version")
    assert (ran.returncode, ran.stdout.strip()) == (0, f"hodgelet {hodgelet.__version__}")
    ran = command("fit", "no-such-dataset", "--out", "x")
    assert ran.returncode == 1
    assert "no dataset" in ran.stderr
    assert command("--no-such-flag").returncode == 1
