"""GPflow's SVGP on features and inducing inputs of `hodgelet-lab bench sparse`, in several ways, to its ELBO."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # read when TensorFlow is imported

import gpflow
import numpy as np
import tensorflow as tf

BATCH = 1024
JITTER = 1e-6
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
    constant = header[prefix + "constant"]
    if constant is not None:
        parts.append(gpflow.kernels.Constant(constant))
    return gpflow.kernels.Sum(parts) if len(parts) > 1 else parts[0]


def build(problem: Problem, trains: bool) -> gpflow.models.SVGP:
    """The model, whitened, with full covariance, from the prior; inducing inputs stay where they are."""
    inputs = problem.features[problem.inducing].copy()
    kernel = kernel_of(problem.header, "start_" if trains else "")
    model = gpflow.models.SVGP(kernel, gpflow.likelihoods.Bernoulli(), inputs, num_data=len(problem.labels))
    gpflow.set_trainable(model.inducing_variable, False)
    gpflow.set_trainable(model.kernel, trains)
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


def adam_step(
    model: gpflow.models.SVGP, data: Callable[[], Any], rate: float, variables: Sequence[tf.Variable]
) -> Callable[[tf.Tensor], None]:
    """A step of Adam on some variables, compiled; the argument scales the rate."""
    optimizer = tf.keras.optimizers.Adam(rate)
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


class Watch:
    """Seconds and ELBO as a way goes on; compilation and evaluations of the ELBO are not timed."""

    def __init__(self, name: str, elbo: Callable[[], float], target: float, limit: float) -> None:
        """Stand at zero."""
        self.name, self.elbo, self.target, self.limit = name, elbo, target, limit
        self.seconds, self.trace, self.failed = 0.0, [(0.0, elbo())], False
        self.best = self.trace[0][1]
        self.began = time.perf_counter()

    def start(self) -> None:
        """Run from now on."""
        self.began = time.perf_counter()

    def stop(self, count: int) -> bool:
        """Note where it is, and say whether it may go on."""
        self.seconds += time.perf_counter() - self.began
        value = self.elbo()
        if not np.isfinite(value):
            self.failed = True
            return False
        self.trace.append((self.seconds, value))
        self.best = max(self.best, value)
        said = f"{self.name}: {self.seconds:.1f} s, {count} steps, ELBO {value:.3f} of {self.target:.3f}"
        print(said, file=sys.stderr, flush=True)
        return self.best < self.target and self.seconds < self.limit and not stalled(self.trace)

    def found(self, count: int) -> dict[str, Any]:
        """What is printed."""
        found = {"name": self.name, "trace": self.trace, "steps": count, "best": self.best}
        return {**found, "failed": self.failed}


def stepped(
    watch: Watch,
    model: gpflow.models.SVGP,
    steps: list[tuple[Callable[[tf.Tensor], None], Schedule]],
    every: int,
) -> dict[str, Any]:
    """Take steps until the ELBO is reached or time is up."""
    variables = model.trainable_variables
    start = [variable.numpy() for variable in variables]
    for step, _ in steps:
        step(tf.constant(0.0, dtype=tf.float64))
    for variable, value in zip(variables, start, strict=True):
        variable.assign(value)
    count, goes_on = 0, True
    while goes_on:
        watch.start()
        try:
            for _ in range(every):
                for step, schedule in steps:
                    step(tf.constant(schedule(count), dtype=tf.float64))
                count += 1
        except tf.errors.InvalidArgumentError:  # a factor that does not exist
            print(f"{watch.name}: failed after {count} steps", file=sys.stderr)
            watch.failed = True
            break
        goes_on = watch.stop(count)
    return watch.found(count)


class Enough(Exception):
    """The ELBO is reached, or time is up."""


def quasi_newton(watch: Watch, model: gpflow.models.SVGP, data: Data) -> dict[str, Any]:
    """SciPy's L-BFGS-B on everything, as `gpflow.optimizers.Scipy` calls it."""
    loss = model.training_loss_closure(data.all(), compile=True)
    with tf.GradientTape() as tape:  # compiles
        value = loss()
    tape.gradient(value, model.trainable_variables)
    counts = [0]

    def callback(*_: object) -> None:
        counts[0] += 1
        if not watch.stop(counts[0]):
            raise Enough
        watch.start()

    watch.start()
    try:
        gpflow.optimizers.Scipy().minimize(
            loss, model.trainable_variables, step_callback=callback, options={"maxiter": 100_000}
        )
    except (Enough, tf.errors.InvalidArgumentError) as error:
        print(f"{watch.name}: {type(error).__name__}", file=sys.stderr)
    return watch.found(counts[0])


def evaluation(model: gpflow.models.SVGP, data: Data) -> Callable[[], float]:
    """The ELBO of all graphs, compiled."""
    compiled = tf.function(lambda: model.elbo(data.all()))
    return lambda: float(compiled())


def constant(value: float) -> Schedule:
    """The same at every step."""
    return lambda _: value


def decay(first: float, half: float) -> Schedule:
    """Steps that shrink."""
    return lambda step: first / (1.0 + step / half)


def ramp(last: float) -> Schedule:
    """Natural gradients that begin small, as they must far from the optimum, and grow tenfold in ten steps."""
    return lambda step: min(1e-4 * 10 ** (step / 10), last)


def fading(last: float) -> Schedule:
    """As a ramp, with steps that shrink in the end."""
    return lambda step: min(ramp(last)(step), decay(last, 100.0)(step))


def ways(problem: Problem, limit: float, only: str | None) -> list[dict[str, Any]]:
    """Every way to find the posterior, and to train the kernel with it, one after the other."""
    header, data = problem.header, Data(problem)
    found = []

    def run(name: str, trains: bool, way: Callable[[Watch, gpflow.models.SVGP], dict[str, Any]]) -> float:
        if only is not None and not any(text in name for text in only.split("|")):
            return -np.inf
        # GPflow's own jitter where the kernel moves: the other is enough for one kernel, not for all on the way.
        gpflow.config.set_default_jitter(JITTER if trains else header["jitter"])
        best = header["trained_elbo" if trains else "elbo"]
        target = best - header["tolerance"] * abs(best)
        model = build(problem, trains)
        found.append(way(Watch(name, evaluation(model, data), target, limit), model))
        found[-1]["trains"] = trains
        return found[-1]["best"] - target

    full, batch = data.all, data.batch
    for gamma in (1.0, 0.5):
        if (
            run(
                f"natural {gamma:g}, all graphs",
                False,
                lambda w, m, g=gamma: stepped(w, m, [(natural_step(m, full), constant(g))], 1),
            )
            >= 0
        ):
            break
    run(
        f"natural 0.1, batches of {BATCH}",
        False,
        lambda w, m: stepped(w, m, [(natural_step(m, batch), decay(0.1, 100.0))], EVERY),
    )
    run(
        f"Adam 0.01, batches of {BATCH}",
        False,
        lambda w, m: stepped(w, m, [(adam_step(m, batch, 0.01, m.trainable_variables), decay(1.0, 2000.0))], EVERY),
    )

    def both(gamma: Schedule, rate: float, seen: Callable[[], Any], fades: float | None) -> Any:
        """Natural gradients on the variational parameters, Adam on the kernel, in turn."""
        scale = constant(1.0) if fades is None else decay(1.0, fades)

        def way(watch: Watch, model: gpflow.models.SVGP) -> dict[str, Any]:
            steps = [
                (natural_step(model, seen), gamma),
                (adam_step(model, seen, rate, model.kernel.trainable_variables), scale),
            ]
            gpflow.set_trainable(model.q_mu, False)  # as GPflow's documentation does
            gpflow.set_trainable(model.q_sqrt, False)
            return stepped(watch, model, steps, 1 if seen == full else EVERY)

        return way

    for rate in (0.01, 0.03, 0.1, 0.3):
        for gamma in (1.0, 0.5, 0.1):  # the longest natural steps that do not fail
            run(f"natural {gamma:g} and Adam {rate:g}, all graphs", True, both(constant(gamma), rate, full, None))
            if not (found and found[-1]["failed"]):
                break
    for rate, fades in ((0.01, None), (0.03, None), (0.03, 500.0)):
        for gamma in (0.1, 0.03, 0.01):
            name = f"natural {gamma:g} and Adam {rate:g}{', fading' if fades else ''}, batches of {BATCH}"
            run(name, True, both(ramp(gamma) if fades is None else fading(gamma), rate, batch, fades))
            if not (found and found[-1]["failed"]):
                break
    run(
        f"Adam 0.01 on everything, batches of {BATCH}",
        True,
        lambda w, m: stepped(w, m, [(adam_step(m, batch, 0.01, m.trainable_variables), constant(1.0))], EVERY),
    )
    run("L-BFGS on everything, all graphs", True, lambda w, m: quasi_newton(w, m, data))
    return found


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with problem.json and features.f64")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which each way gives up")
    parser.add_argument("--threads", type=int, help="threads of TensorFlow; its default without")
    parser.add_argument("--ways", help="only those whose names have one of these texts, A|B, in them")
    return parser.parse_args()


def main() -> None:
    """Find the posterior in every way and print JSON."""
    args = parsed()
    if args.threads:
        tf.config.threading.set_intra_op_parallelism_threads(args.threads)
        tf.config.threading.set_inter_op_parallelism_threads(args.threads)
    tf.random.set_seed(0)
    problem = read_problem(args.folder)
    print(json.dumps(ways(problem, args.limit, args.ways)))


if __name__ == "__main__":
    main()
