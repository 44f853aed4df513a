"""Dask: predictions of the partitions of a data frame."""

import sys
from pathlib import Path

import dask.dataframe
import data
import pandas
import pyarrow

from hodgelet import arrow


def main(folder: Path) -> None:
    """Predicts."""
    table, model = data.write(folder)
    job = arrow.Job("predict", model, threads=1)
    molecules = dask.dataframe.read_parquet(table, split_row_groups=True)[["name", "smiles"]]

    def predict(frame: pandas.DataFrame) -> pandas.DataFrame:
        out = job(pyarrow.Table.from_pandas(frame, preserve_index=False))
        return out.to_pandas(types_mapper=pandas.ArrowDtype)

    meta = predict(pandas.DataFrame({"name": pandas.Series(dtype="str"), "smiles": pandas.Series(dtype="str")}))
    predicted = molecules.map_partitions(predict, meta=meta)
    errors = predicted[predicted["error"].notnull()].compute()
    print("rows at fault:", list(zip(errors["name"], errors["error"], strict=True)))
    predicted[["name", "prediction", "error"]].to_parquet(folder / "predicted")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
