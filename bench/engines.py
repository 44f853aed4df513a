"""HIV on Ray and on Spark against the command, to the bit, and what the adapters cost against a plain loop.

Steps take minutes each: `command` trains, predicts and takes features by the program hodgelet; `ray` and `spark` do the
same on two workers, on Ray with workers that are killed, too; `overhead` compares one worker of each with a loop in one
process. Everything is at the default settings. Prints JSON.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
from hodgelet import HodgeletClassifier, HodgeletTransformer, arrow, distributed, load
from hodgelet._stream import molecules
from hodgelet.distributed import _fit

BATCH = 10_000


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


def write_tables(folder: Path, table: Path, n: int | None) -> None:
    """The rows as CSV for the command and as Parquet for engines."""
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))[:n]
    with (folder / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["smiles", "HIV_active"], *((r["smiles"], r["HIV_active"]) for r in rows)])
    columns = {"row": list(range(len(rows))), "smiles": [row["smiles"] for row in rows]}
    own = pyarrow.table({**columns, "HIV_active": [int(row["HIV_active"]) for row in rows]})
    pyarrow.parquet.write_table(own, folder / "in.parquet", row_group_size=BATCH)


def by_command(command: str, folder: Path) -> dict[str, Any]:
    """Seconds of the command, whose files the other steps are compared with."""
    table, model = str(folder / "in.csv"), str(folder / "m.hodgelet")
    runs = {
        "fit": ["fit", table, "--target", "HIV_active", "--out", model],
        "predict": ["predict", model, table, "--out", str(folder / "p.csv")],
        "features": ["features", table, "--seed", "0", "--standardize", "--out", str(folder / "f.npy")],
    }
    out: dict[str, Any] = {}
    for name, arguments in runs.items():
        own = [command, *arguments, "--quiet", "--force"]
        out[f"{name}_seconds"] = timed(lambda own=own: subprocess.run(own, check=True))[0]
    described = bits((folder / "m.hodgelet").read_bytes())[0][1]
    return {**out, "rows": sum(1 for _ in (folder / "in.csv").open()) - 1, "posterior": described["summary"]}


class Compared:
    """What the command found, and whether tables of an engine are the same."""

    def __init__(self, folder: Path) -> None:
        """Reads the files of the command, and makes the jobs."""
        self.folder = folder
        with (folder / "p.csv").open(newline="") as file:
            self.rows = [float(row["p(1)"]) if row["p(1)"] else None for row in csv.DictReader(file)]
        self.features = np.load(folder / "f.npy")
        graphs, _, _ = molecules(pyarrow.parquet.read_table(folder / "in.parquet")["smiles"].to_pylist(), learn=True)
        transformer = HodgeletTransformer().fit(graphs)
        self.jobs = {"predict": folder / "m.hodgelet", "features": transformer}

    def job(self, kind: Any) -> Noting:
        """A job of one thread."""
        return Noting(kind, self.jobs[kind], self.folder / "peaks")

    def place(self, name: str) -> str:
        """Where a table is written that is not there yet."""
        return str(self.folder / f"{name}-{time.time_ns()}")

    def compare(self, kind: str, place: str) -> dict[str, Any]:
        """Whether a table has every row once, with the bits of the command."""
        found = pyarrow.parquet.read_table(place).sort_by("row")
        assert found["row"].to_pylist() == list(range(len(self.rows))), "rows are lost or doubled"
        out: dict[str, Any] = {"at_fault": found.num_rows - found["error"].null_count}
        if kind == "predict":
            own = [None if p is None else p[1] for p in found["probabilities"].to_pylist()]
            return {**out, "same_bits": own == self.rows}
        vectors = np.array([row for row in found["features"].to_pylist() if row is not None])
        return {**out, "same_bits": bool(np.array_equal(vectors, self.features))}

    def peaks(self) -> list[int]:
        """Peak memory in MB of the workers of the jobs since this was asked last."""
        found = []
        for path in (self.folder / "peaks").glob("*"):
            found.append(int(path.read_text()) // 10**6)
            path.unlink()
        return sorted(found)


class Noting(arrow.Job):
    """A job that notes the memory of its process, and that ends its first process if it is told to."""

    def __init__(self, kind: Any, model: Any, peaks: Path, dying: Path | None = None) -> None:
        """Takes the folder for notes, and a file that is made by the process that dies."""
        super().__init__(kind, model, threads=1)
        self.peaks, self.dying = peaks, dying
        peaks.mkdir(exist_ok=True)

    def __call__(self, table: Any) -> Any:
        """The results of a table."""
        if self.dying is not None and not self.dying.exists():
            self.dying.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        out = super().__call__(table)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        (self.peaks / str(os.getpid())).write_text(str(peak))
        return out

    def stream(self, batches: Any) -> Any:
        """The results of batches, as for Spark."""
        for batch in batches:
            yield from self(batch).combine_chunks().to_batches()


def start_ray() -> Any:
    """Ray with two processors for workers, and two for the tasks that read and write beside them."""
    import ray
    import ray.data

    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray


def ray_map(ray: Any, folder: Path, job: arrow.Job, place: str, workers: int) -> None:
    """A table through workers of Ray; one file is one block for it, which one worker would take alone."""
    data = ray.data.read_parquet(str(folder / "in.parquet"))
    if workers > 1:
        data = data.repartition(2 * workers)
    distributed.map_ray(data, job, workers=workers, batch_size=BATCH).write_parquet(place)


def on_ray(known: Compared) -> dict[str, Any]:
    """Features, predictions and training; the latter two with a worker that is killed, too."""
    ray, folder, out = start_ray(), known.folder, {}
    for name, kind, dying in (("features", "features", None), ("predict", "predict", None), ("kill", "predict", "d")):
        job, place = known.job(kind), known.place(f"ray-{name}")
        job.dying = None if dying is None else Path(place + ".died")
        seconds, _ = timed(lambda job=job, place=place: ray_map(ray, folder, job, place, 2))
        out[name] = {"seconds": seconds, **known.compare(kind, place), "peak_MB": known.peaks()}
        if job.dying is not None:
            out[name]["killed"] = job.dying.exists()
        print(name, json.dumps(out[name]), file=sys.stderr)
    expected = bits((folder / "m.hodgelet").read_bytes())
    for name in ("fit", "fit_kill"):
        killing = kill_once(ray) if name == "fit_kill" else None
        data = ray.data.read_parquet(str(folder / "in.parquet"))
        fit = lambda data=data: distributed.fit(data, HodgeletClassifier(), target="HIV_active", workers=2)  # noqa: E731
        seconds, trained = timed(fit)
        if killing is not None:
            killing()
        same = bits(trained._native().to_bytes()) == expected
        out[name] = {"seconds": seconds, "same_bits": same, "workers": str(trained.distributed_).splitlines()}
        print(name, json.dumps(out[name]), file=sys.stderr)
    ray.shutdown()
    return out


def kill_once(ray: Any) -> Callable[[], None]:
    """Kills the second worker before the third pass; the function that is returned ends that."""
    ask, killed = _fit._Crew.ask, []

    def and_kill(crew: Any, question: bytes) -> list[bytes]:
        if crew.training.passes == 2 and not killed:
            killed.append(ray.get(crew.actors[1].__ray_call__.remote(lambda actor: os.getpid())))
            os.kill(killed[0], signal.SIGKILL)
        return ask(crew, question)

    _fit._Crew.ask = and_kill  # type: ignore[method-assign]
    return lambda: setattr(_fit._Crew, "ask", ask)


def start_spark(cores: int) -> Any:
    """Spark on this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    for key in ("spark.driver.host", "spark.driver.bindAddress"):
        builder = builder.config(key, "127.0.0.1")
    return builder.config("spark.driver.memory", "3g").getOrCreate()


def on_spark(known: Compared) -> dict[str, Any]:
    """Features and predictions."""
    spark, out = start_spark(2), {}
    data = spark.read.parquet(str(known.folder / "in.parquet")).repartition(4)
    for kind in ("features", "predict"):
        place = known.place(f"spark-{kind}")
        mapped = distributed.map_spark(data, known.job(kind))
        seconds, _ = timed(lambda mapped=mapped, place=place: mapped.write.parquet(place))
        out[kind] = {"seconds": seconds, **known.compare(kind, place), "peak_MB": known.peaks()}
        print(kind, json.dumps(out[kind]), file=sys.stderr)
    spark.stop()
    return out


def plain_loop(model: Any, folder: Path, place: str) -> None:
    """What one would write without a job: batches are read, predicted and written, with the predictions alone."""
    writer = None
    for batch in pyarrow.parquet.ParquetFile(folder / "in.parquet").iter_batches(BATCH):
        graphs, places, _ = molecules(batch.column("smiles").to_pylist(), threads=1)
        found = model.predict_full(graphs)
        columns = {"row": batch.column("row").take(pyarrow.array(places)), "prediction": found.labels}
        table = pyarrow.table({**columns, "probability": found.probabilities[:, 1]})
        writer = writer or pyarrow.parquet.ParquetWriter(place, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def overhead(known: Compared, repeats: int) -> dict[str, Any]:
    """Predictions of all rows, read from Parquet and written to it: a plain loop of one thread against one worker.

    Ray and Spark are started, and workers with the model, before what is timed; seconds are the fewest of some runs.
    """
    folder, model = known.folder, load(known.folder / "m.hodgelet")
    model.set_params(n_jobs=1)
    ray, spark = start_ray(), start_spark(1)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(BATCH))
    data = spark.read.parquet(str(folder / "in.parquet")).coalesce(1)
    job = arrow.Job("predict", folder / "m.hodgelet", threads=1)

    def by_job(place: str) -> None:
        rows = pyarrow.parquet.ParquetFile(folder / "in.parquet")
        with pyarrow.parquet.ParquetWriter(place, job.schema(rows.schema_arrow)) as writer:
            for batch in job.stream(rows.iter_batches(BATCH)):
                writer.write_batch(batch)

    ways: dict[str, Callable[[str], Any]] = {
        "plain": lambda place: plain_loop(model, folder, place),
        "job": by_job,
        "ray": lambda place: ray_map(ray, folder, job, place, 1),
        "spark": lambda place: distributed.map_spark(data, job).write.parquet(place),
    }
    distributed.map_spark(data.limit(10), job).collect()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            times[name].append(timed(lambda way=way, name=name: way(known.place(name)))[0])
            print(name, round(times[name][-1], 2), file=sys.stderr)
    spark.stop()
    ray.shutdown()
    fewest = {name: min(own) for name, own in times.items()}
    return {name: {"seconds": own, "overhead": own / fewest["plain"] - 1.0} for name, own in fewest.items()}


def main() -> None:
    """Runs the steps that are asked for."""
    steps = ["command", "ray", "spark", "overhead"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True, help="HIV.csv")
    parser.add_argument("--command", help="the program hodgelet, of the same build; for the step of that name")
    parser.add_argument("--folder", type=Path, required=True, help="where tables and the model are kept between steps")
    parser.add_argument("--rows", type=int, help="the first rows alone")
    parser.add_argument("--steps", nargs="*", default=steps, choices=steps)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    folder = options.folder.resolve()
    found: dict[str, Any] = {}
    if "command" in options.steps:
        write_tables(folder, options.table, options.rows)
        found["command"] = by_command(options.command, folder)
    known = Compared(folder)
    for name, step in (("ray", on_ray), ("spark", on_spark)):
        if name in options.steps:
            found[name] = step(known)
    if "overhead" in options.steps:
        found["overhead"] = overhead(known, options.repeats)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
