"""DuckDB: predictions of the rows of a query, batch by batch, written by DuckDB."""

import sys
from pathlib import Path

import data
import duckdb
import pyarrow

from hodgelet import arrow


def main(folder: Path) -> None:
    """Predicts."""
    table, model = data.write(folder)
    job = arrow.Job("predict", model)
    query = duckdb.connect().sql(f"select name, smiles from '{table}' where name <> 'm7'").to_arrow_reader(50)
    predicted = pyarrow.RecordBatchReader.from_batches(job.schema(query.schema), job.stream(query))
    database = duckdb.connect()
    database.register("predicted", predicted)
    database.sql(f"copy (select name, prediction, probabilities, error from predicted) to '{folder}/predicted.parquet'")
    errors = database.sql(f"select name, error from '{folder}/predicted.parquet' where error is not null")
    print("rows at fault:", errors.fetchall())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
