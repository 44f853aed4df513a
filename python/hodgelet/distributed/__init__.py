"""Many machines: tables mapped by Ray and Spark, and training on Ray.

`map_ray` and `map_spark` run a `hodgelet.arrow.Job` on the workers of an engine; `fit` trains a model on a dataset of
Ray, with the same bits as one machine would. Neither Ray nor Spark is imported before it is used.
"""

from __future__ import annotations

from hodgelet.distributed._engines import map_ray, map_spark
from hodgelet.distributed._fit import Training, fit

__all__ = ["Training", "fit", "map_ray", "map_spark"]
