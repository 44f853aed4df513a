"""HIV on Ray and on Spark against the command, to the bit, and what the adapter costs against a plain loop.

Prints JSON: whether features, predictions and the trained model are the same, seconds of each, memory of workers, and
the overhead of a job over a loop that predicts the same batches.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
from hodgelet import HodgeletClassifier, HodgeletTransformer, arrow, distributed, load
from hodgelet._stream import molecules

BATCH = 10_000
SETTINGS = {"posterior": "sparse", "inducing": 400, "max_iter": 20, "restarts": 1, "random_state": 0}
FLAGS = ["--posterior", "sparse", "--inducing", "400", "--iterations", "20", "--restarts", "1", "--seed", "0"]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it."""
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def bits(model: bytes) -> tuple[Any, bytes]:
    """What a model file says, without the time that training took and how its file was read, and its tensors."""
    length = int.from_bytes(model[:8], "little")
    header = json.loads(model[8 : 8 + length])
    described = json.loads(header["__metadata__"].pop("model"))
    header["__metadata__"].pop("sha256")
    described["summary"].pop("seconds")
    described["summary"].pop("reading", None)
    return (header, described), model[8 + length :]


def of_command(command: str, folder: Path, table: Path) -> tuple[dict[str, float], np.ndarray, list[float | None]]:
    """Seconds of the command, its features, and its probabilities of the second class."""
    named = ["--target", "HIV_active", "--quiet"]
    fit = [command, "fit", str(table), *named, *FLAGS, "--out", str(folder / "m.hodgelet")]
    predict = [command, "predict", str(folder / "m.hodgelet"), str(table), "--quiet", "--out", str(folder / "p.csv")]
    features = [command, "features", str(table), "--quiet", "--seed", "0", "--out", str(folder / "f.npy")]
    seconds = {}
    for name, arguments in (("fit", fit), ("predict", predict), ("features", features)):
        seconds[name] = timed(lambda own=arguments: subprocess.run(own, check=True))[0]
        print(name, round(seconds[name], 1), "s by the command", file=sys.stderr)
    with (folder / "p.csv").open(newline="") as file:
        rows = [float(row["p(1)"]) if row["p(1)"] else None for row in csv.DictReader(file)]
    return seconds, np.load(folder / "f.npy"), rows


def overhead(model: Any, table: pyarrow.Table, repeats: int) -> dict[str, float]:
    """Seconds of a plain loop over batches and of a job over the same, the fewest of some runs, one thread each."""
    batches = table.to_batches(max_chunksize=BATCH)
    model.set_params(n_jobs=1)

    def plain() -> None:
        for batch in batches:
            model.predict_full(molecules(batch.column("smiles").to_pylist(), threads=1)[0])

    job = arrow.Job("predict", model, threads=1)
    list(job.stream([batches[0].slice(0, 1)]))
    loop = min(timed(plain)[0] for _ in range(repeats))
    own = min(timed(lambda: list(job.stream(batches)))[0] for _ in range(repeats))
    return {"plain_loop": loop, "job": own, "overhead": own / loop - 1.0}


def probabilities(table: pyarrow.Table) -> list[float | None]:
    """Of the second class, in the order of rows."""
    return [None if p is None else p[1] for p in table.sort_by("row")["probabilities"].to_pylist()]


def vectors(table: pyarrow.Table) -> np.ndarray:
    """Features of the rows that have any."""
    return np.array([row for row in table.sort_by("row")["features"].to_pylist() if row is not None])


def on_ray(folder: Path, model: Path, transformer: Any, expected: tuple[np.ndarray, list[Any]]) -> dict[str, Any]:
    """Features, predictions and training."""
    import ray
    import ray.data

    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    ray.data.DataContext.get_current().enable_progress_bars = False
    data = ray.data.read_parquet(str(folder / "in.parquet"))
    out: dict[str, Any] = {}
    for kind, own in (("predict", model), ("features", transformer)):
        job = arrow.Job(kind, own, threads=1)  # type: ignore[arg-type]
        place = str(folder / f"ray-{kind}")
        out[f"{kind}_seconds"] = timed(
            lambda job=job, place=place: distributed.map_ray(data, job).write_parquet(place)
        )[0]
    found = pyarrow.parquet.read_table(folder / "ray-predict")
    out["rows_at_fault"] = found.num_rows - found["error"].null_count
    out["predictions_are_the_same"] = probabilities(found) == expected[1]
    found = vectors(pyarrow.parquet.read_table(folder / "ray-features"))
    out["features_are_the_same"] = bool(np.array_equal(found, expected[0]))
    fit = lambda: distributed.fit(data, HodgeletClassifier(**SETTINGS), target="HIV_active", workers=2)  # noqa: E731
    out["fit_seconds"], trained = timed(fit)
    out["training_is_the_same"] = bits(trained._native().to_bytes()) == bits(model.read_bytes())
    out["workers"] = str(trained.distributed_).splitlines()
    ray.shutdown()
    return out


def on_spark(folder: Path, model: Path, transformer: Any, expected: tuple[np.ndarray, list[Any]]) -> dict[str, Any]:
    """Features and predictions."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for key in ("spark.driver.host", "spark.driver.bindAddress"):
        builder = builder.config(key, "127.0.0.1")
    spark = builder.config("spark.driver.memory", "3g").getOrCreate()
    data = spark.read.parquet(str(folder / "in.parquet")).repartition(8)
    out: dict[str, Any] = {}
    for kind, own in (("predict", model), ("features", transformer)):
        job = arrow.Job(kind, own, threads=1)  # type: ignore[arg-type]
        mapped, place = distributed.map_spark(data, job), str(folder / f"spark-{kind}")
        out[f"{kind}_seconds"] = timed(lambda mapped=mapped, place=place: mapped.write.parquet(place))[0]
    found = pyarrow.parquet.read_table(folder / "spark-predict")
    out["rows_at_fault"] = found.num_rows - found["error"].null_count
    out["predictions_are_the_same"] = probabilities(found) == expected[1]
    found = vectors(pyarrow.parquet.read_table(folder / "spark-features"))
    out["features_are_the_same"] = bool(np.array_equal(found, expected[0]))
    spark.stop()
    return out


def main() -> None:
    """Runs everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True, help="HIV.csv")
    parser.add_argument("--command", required=True, help="the program hodgelet, of the same build")
    parser.add_argument("--rows", type=int, help="the first rows alone")
    parser.add_argument("--engines", nargs="*", default=["ray", "spark"])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with options.table.open(newline="") as file:
        rows = list(csv.DictReader(file))[: options.rows]
    columns = {"row": list(range(len(rows))), "smiles": [row["smiles"] for row in rows]}
    table = pyarrow.table({**columns, "HIV_active": [int(row["HIV_active"]) for row in rows]})
    with TemporaryDirectory() as name:
        folder = Path(name)
        own = folder / "in.csv"
        with own.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([["smiles", "HIV_active"], *((row["smiles"], row["HIV_active"]) for row in rows)])
        pyarrow.parquet.write_table(table, folder / "in.parquet", row_group_size=4096)
        seconds, features, predictions = of_command(options.command, folder, own)
        graphs, _, _ = molecules(table["smiles"].to_pylist(), learn=True)
        transformer = HodgeletTransformer(random_state=0).fit(graphs)
        expected = (features, predictions)
        found: dict[str, Any] = {"rows": len(rows), "command_seconds": seconds}
        for engine, run in (("ray", on_ray), ("spark", on_spark)):
            if engine in options.engines:
                found[engine] = run(folder, folder / "m.hodgelet", transformer, expected)
                print(json.dumps(found[engine]), file=sys.stderr)
        found["adapter"] = overhead(load(folder / "m.hodgelet"), table, options.repeats)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
