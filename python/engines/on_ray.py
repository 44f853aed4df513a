"""Ray: predictions of a table by two workers, and a model trained on them."""

import sys
from pathlib import Path

import data
import ray
import ray.data
from ray.data.expressions import col

from hodgelet import HodgeletClassifier, arrow, distributed


def main(folder: Path) -> None:
    """Predicts, and trains."""
    table, model = data.write(folder, copies=30)
    molecules = ray.data.read_parquet(str(table))

    job = arrow.Job("predict", model)  # pickles as a path; one thread for each worker
    predicted = distributed.map_ray(molecules, job, workers=2)
    predicted.write_parquet(str(folder / "predicted"))
    errors = ray.data.read_parquet(str(folder / "predicted")).filter(expr=col("error").is_not_null())
    print("rows at fault:", [(row["name"], row["error"]) for row in errors.take_all()])

    settings = HodgeletClassifier(posterior="sparse", inducing=20, sample=60, max_iter=3)
    trained = distributed.fit(molecules, settings, target="active", id="name", checkpoint=folder / "checkpoint")
    trained.save(folder / "trained.hodgelet")
    print(trained.distributed_)


if __name__ == "__main__":
    ray.init(num_cpus=4, include_dashboard=False)  # two for workers, two for reading and writing
    main(Path(sys.argv[1]))
