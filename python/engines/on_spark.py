"""Spark: predictions of a table by two workers."""

import sys
from pathlib import Path
from typing import Any

import data
from pyspark.sql import SparkSession

from hodgelet import arrow, distributed


def main(folder: Path, spark: Any) -> None:
    """Predicts."""
    table, model = data.write(folder)
    molecules = spark.read.parquet(str(table))
    job = arrow.Job("predict", model)  # pickles as a path; one thread for each task
    predicted = distributed.map_spark(molecules, job)
    predicted.write.parquet(str(folder / "predicted"))
    errors = spark.read.parquet(str(folder / "predicted")).where("error is not null")
    print("rows at fault:", [(row["name"], row["error"]) for row in errors.collect()])


if __name__ == "__main__":
    main(Path(sys.argv[1]), SparkSession.builder.master("local[2]").getOrCreate())
