"""Spark with two workers: features and predictions have the bits of one process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import faults_are_named, molecules, rings_with_faults

from hodgelet import HodgeletClassifier, HodgeletTransformer, arrow, distributed
from hodgelet._stream import molecules as read_molecules


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java of 17 or later, and there is none")
    package = str(Path(__file__).parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").appName("hodgelet")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.parametrize("kind", ["predict", "features", "measure"])
def test_results_of_spark_are_those_of_one_process(spark: Any, kind: Any, tmp_path: Path) -> None:
    smiles, labels = molecules(300)
    model = HodgeletClassifier(hyperparameters="map", max_iter=3).fit(read_molecules(smiles, learn=True)[0], labels)
    model.save(tmp_path / "m.hodgelet")
    given: list[str | None] = [*smiles]
    given[5], given[200] = "C(C)(C)(C)(C)C", None
    table = pa.table({"id": list(range(300)), "smiles": given})
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    frame = spark.read.parquet(str(tmp_path / "in.parquet")).repartition(4)
    job = arrow.Job(kind, tmp_path / "m.hodgelet")
    out = distributed.map_spark(frame, job)
    out.write.parquet(str(tmp_path / "out"))
    found = pa.parquet.read_table(tmp_path / "out").sort_by("id")
    expected = job(table)
    assert found.column_names == expected.column_names
    for name in expected.column_names:
        assert found[name].to_pylist() == expected[name].to_pylist(), name
    assert 300 - found["error"].null_count == 2


def test_complexes_at_fault_are_answered_in_the_error_column(spark: Any, tmp_path: Path) -> None:
    table, said = rings_with_faults()
    sound = table.filter(pa.array([name not in said for name in table["id"].to_pylist()]))
    job = arrow.Job("features", HodgeletTransformer(vertices="attributes").fit(arrow.from_arrow(sound)))
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    frame = spark.read.parquet(str(tmp_path / "in.parquet")).repartition(2)
    distributed.map_spark(frame, job).write.parquet(str(tmp_path / "out"))
    found = pa.parquet.read_table(tmp_path / "out")
    faults_are_named(found, said)
    good = found.filter(found["error"].is_null()).sort_by("id")
    assert good["features"].to_pylist() == job(sound).sort_by("id")["features"].to_pylist()
