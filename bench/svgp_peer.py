"""GPflow's SVGP on features and inducing inputs of `hodgelet-lab bench sparse`, in several ways, to its ELBO."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # read when TensorFlow is imported

import gpflow
import numpy as np
import tensorflow as tf

BATCH = 1024
EVERY = 50  # steps on minibatches between two evaluations of the ELBO, which are not timed


@dataclass(frozen=True)
class Problem:
    """Standardized features, classes, places of the inducing graphs, and what the kernel and the bound are."""

    features: np.ndarray  # [n, n_columns]
    labels: np.ndarray  # [n], 0 or 1
    inducing: np.ndarray  # [M]
    header: dict[str, Any]


def read_problem(folder: Path) -> Problem:
    """Read `problem.json` and `features.f64`, columns one after the other."""
    header = json.loads((folder / "problem.json").read_text())
    columns = np.fromfile(folder / "features.f64", dtype="<f8").reshape(-1, header["n"])
    labels = np.asarray(header["labels"], dtype=float)
    return Problem(np.ascontiguousarray(columns.T), labels, np.asarray(header["inducing"]), header)


def kernel_of(header: dict[str, Any], prefix: str = "") -> gpflow.kernels.Kernel:
    """The sum over blocks and the constant, with trained values or, with `start_`, those of the start."""
    parts: list[gpflow.kernels.Kernel] = []
    first = 0
    for block in header["blocks"]:
        dims = slice(first, first + block["columns"])
        first = dims.stop
        values = {"variance": block[prefix + "variance"], "lengthscales": block[prefix + "lengthscale"]}
        parts.append(gpflow.kernels.SquaredExponential(active_dims=dims, **values))
    if header["constant"] is not None:
        parts.append(gpflow.kernels.Constant(header["constant"]))
    return gpflow.kernels.Sum(parts) if len(parts) > 1 else parts[0]


def build(problem: Problem, prefix: str = "") -> gpflow.models.SVGP:
    """The model, whitened, with full covariance, from the prior; inducing inputs stay where they are."""
    inputs = problem.features[problem.inducing].copy()
    kernel = kernel_of(problem.header, prefix)
    model = gpflow.models.SVGP(kernel, gpflow.likelihoods.Bernoulli(), inputs, num_data=len(problem.labels))
    gpflow.set_trainable(model.inducing_variable, False)
    if not prefix:
        gpflow.set_trainable(model.kernel, False)
    return model


class Data:
    """All graphs, and random minibatches of them, as tensors."""

    def __init__(self, problem: Problem) -> None:
        """Hold features and classes."""
        self.inputs = tf.constant(problem.features)
        self.targets = tf.constant(problem.labels[:, None])

    def all(self) -> tuple[tf.Tensor, tf.Tensor]:
        """Every graph."""
        return self.inputs, self.targets

    def batch(self) -> tuple[tf.Tensor, tf.Tensor]:
        """Some graphs, drawn with replacement."""
        rows = tf.random.uniform([BATCH], 0, tf.shape(self.inputs)[0], dtype=tf.int32)
        return tf.gather(self.inputs, rows), tf.gather(self.targets, rows)


def natural_step(model: gpflow.models.SVGP, data: Callable[[], Any]) -> Callable[[tf.Tensor], None]:
    """A natural-gradient step of a given length on the variational parameters, compiled."""
    optimizer = gpflow.optimizers.NaturalGradient(gamma=tf.Variable(1.0, dtype=tf.float64))

    @tf.function
    def step(gamma: tf.Tensor) -> None:
        optimizer.gamma.assign(gamma)
        batch = data()
        optimizer.minimize(lambda: model.training_loss(batch), [(model.q_mu, model.q_sqrt)])

    return step


def adam_step(model: gpflow.models.SVGP, data: Callable[[], Any], rate: float) -> Callable[[tf.Tensor], None]:
    """A step of Adam on all that is trainable, compiled; the argument scales the rate."""
    optimizer = tf.keras.optimizers.Adam(rate)
    variables = model.trainable_variables
    optimizer.build(variables)

    @tf.function
    def step(scale: tf.Tensor) -> None:
        optimizer.learning_rate.assign(tf.cast(rate * scale, optimizer.learning_rate.dtype))
        batch = data()
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(variables)
            loss = model.training_loss(batch)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    return step


Schedule = Callable[[int], float]


def stalled(trace: list[tuple[float, float]]) -> bool:
    """Whether thirty evaluations changed the ELBO by next to nothing."""
    return len(trace) > 30 and abs(trace[-1][1] - trace[-31][1]) < 1e-9 * abs(trace[-1][1])


def timed(
    name: str,
    model: gpflow.models.SVGP,
    elbo: Callable[[], float],
    steps: list[tuple[Callable[[tf.Tensor], None], Schedule]],
    every: int,
    target: float,
    limit: float,
) -> dict[str, Any]:
    """Take steps until the ELBO is reached or time is up; compilation and evaluations of the ELBO are not timed."""
    variables = model.trainable_variables
    start = [variable.numpy() for variable in variables]
    for step, _ in steps:
        step(tf.constant(0.0, dtype=tf.float64))
    for variable, value in zip(variables, start, strict=True):
        variable.assign(value)
    seconds, count, best = 0.0, 0, elbo()
    trace = [(0.0, best)]
    while best < target and seconds < limit and not stalled(trace):
        began = time.perf_counter()
        try:
            for _ in range(every):
                for step, schedule in steps:
                    step(tf.constant(schedule(count), dtype=tf.float64))
                count += 1
        except tf.errors.InvalidArgumentError:  # a factor that does not exist
            print(f"{name}: failed after {count} steps", file=sys.stderr)
            break
        seconds += time.perf_counter() - began
        value = elbo()
        if not np.isfinite(value):
            break
        trace.append((seconds, value))
        best = max(best, value)
        print(f"{name}: {seconds:.1f} s, {count} steps, ELBO {value:.3f} of {target:.3f}", file=sys.stderr)
    return {"name": name, "trace": trace, "steps": count, "best": best}


def evaluation(model: gpflow.models.SVGP, data: Data) -> Callable[[], float]:
    """The ELBO of all graphs, compiled."""
    compiled = tf.function(lambda: model.elbo(data.all()))
    return lambda: float(compiled())


def ways(problem: Problem, limit: float) -> list[dict[str, Any]]:
    """Every way to find the posterior, one after the other."""
    header, data = problem.header, Data(problem)
    target = header["elbo"] - header["tolerance"] * abs(header["elbo"])
    found = []

    def run(name: str, prefix: str, every: int, make: Callable[[gpflow.models.SVGP], list[Any]]) -> None:
        model = build(problem, prefix)
        found.append(timed(name, model, evaluation(model, data), make(model), every, target, limit))
        found[-1]["trains"] = bool(prefix)

    def constant(value: float) -> Schedule:
        return lambda _: value

    def decay(first: float, half: float) -> Schedule:
        return lambda step: first / (1.0 + step / half)

    def ramp(step: int) -> float:
        """Steps that begin small, as far from the optimum they must, and shrink in the end."""
        return min(1e-4 * 10 ** (step / 10), decay(0.1, 100.0)(step))

    full, batch = data.all, data.batch
    for gamma in (1.0, 0.5):
        run(f"natural, all, {gamma}", "", 1, lambda m, g=gamma: [(natural_step(m, full), constant(g))])
        if found[-1]["best"] >= target:
            break
    run(f"natural, {BATCH}", "", EVERY, lambda m: [(natural_step(m, batch), decay(0.1, 100.0))])
    run(f"Adam, {BATCH}", "", EVERY, lambda m: [(adam_step(m, batch, 0.01), decay(1.0, 2000.0))])

    def both(model: gpflow.models.SVGP) -> list[Any]:
        gpflow.set_trainable(model.q_mu, False)
        gpflow.set_trainable(model.q_sqrt, False)
        adam = adam_step(model, batch, 0.01)
        gpflow.set_trainable(model.q_mu, True)
        gpflow.set_trainable(model.q_sqrt, True)
        return [(natural_step(model, batch), ramp), (adam, decay(1.0, 2000.0))]

    gpflow.config.set_default_jitter(1e-6)  # GPflow's own: the kernel moves
    run("kernel trained too", "start_", EVERY, both)
    return found


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with problem.json and features.f64")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which each way gives up")
    parser.add_argument("--threads", type=int, help="threads of TensorFlow; its default without")
    return parser.parse_args()


def main() -> None:
    """Find the posterior in every way and print JSON."""
    args = parsed()
    if args.threads:
        tf.config.threading.set_intra_op_parallelism_threads(args.threads)
        tf.config.threading.set_inter_op_parallelism_threads(args.threads)
    tf.random.set_seed(0)
    problem = read_problem(args.folder)
    gpflow.config.set_default_jitter(problem.header["jitter"])
    print(json.dumps(ways(problem, args.limit)))


if __name__ == "__main__":
    main()
