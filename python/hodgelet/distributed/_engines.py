"""Thin adapters: a `Job` on the workers of Ray Data and of Spark."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from hodgelet._stream import Job, plain

__all__ = ["map_ray", "map_spark"]


class RayMap:
    """A job in a worker of Ray Data, which makes one of these per process."""

    def __init__(self, job: Job) -> None:
        """Takes the job from the object store, where Ray put it once for all workers."""
        self.job = job

    def __call__(self, table: Any) -> Any:
        """The results of one batch."""
        return self.job(table)


def map_ray(dataset: Any, job: Job, *, workers: int = 2, batch_size: int = 10_000, **options: Any) -> Any:
    """A dataset of Ray Data with the results of a job, batch by batch.

    Each of ``workers`` processes has as many processors as the job has threads, 1 where it does not say.
    ``options`` go to ``Dataset.map_batches``. A worker that dies is replaced by Ray and its batch computed again. Tasks
    that read and write need processors of Ray beside those of the workers.
    """
    import ray.data

    own = _with_threads(job, 1)
    return dataset.map_batches(
        RayMap,
        fn_constructor_args=(own,),
        batch_format="pyarrow",
        batch_size=batch_size,
        num_cpus=own.threads,
        compute=ray.data.ActorPoolStrategy(size=workers),
        **options,
    )


class SparkMap:
    """A job in a worker of Spark, whose arrays are lists of any length and whose strings are short."""

    def __init__(self, job: Job) -> None:
        """Takes the job, which travels with the task."""
        self.job = job

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The results of all batches of a partition."""
        for batch in self.job.stream(batches):
            yield batch.cast(plain(batch.schema))


def map_spark(frame: Any, job: Job) -> Any:
    """A data frame of Spark with the results of a job, by ``mapInArrow``.

    Rows per batch are ``spark.sql.execution.arrow.maxRecordsPerBatch``. A task has one thread where the job does not
    say: set ``spark.task.cpus`` to the threads of the job. A model that is given by its path travels as the path.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    own = _with_threads(job, 1)
    schema = plain(own.schema(to_arrow_schema(frame.schema)))
    return frame.mapInArrow(SparkMap(own), from_arrow_schema(schema))


def _with_threads(job: Job, threads: int) -> Job:
    """The job with a number of threads: workers times threads are the processors that an engine gives."""
    own = copy.copy(job)
    own.threads = job.threads or threads
    return own
