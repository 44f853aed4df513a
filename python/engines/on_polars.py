"""Polars: predictions of a table that is read and written in batches."""

import sys
from pathlib import Path

import data
import polars
import pyarrow

from hodgelet import arrow


def main(folder: Path) -> None:
    """Predicts."""
    table, model = data.write(folder)
    job = arrow.Job("predict", model)
    scan = polars.scan_parquet(table)
    schema = polars.DataFrame(job.schema(pyarrow.parquet.read_schema(table)).empty_table()).schema
    predicted = scan.map_batches(
        lambda frame: polars.DataFrame(job(frame)), schema=schema, streamable=True, validate_output_schema=False
    )
    predicted.sink_parquet(folder / "predicted.parquet")
    errors = polars.scan_parquet(folder / "predicted.parquet").filter(polars.col("error").is_not_null())
    print("rows at fault:", errors.select("name", "error").collect().rows())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
