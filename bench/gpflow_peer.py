"""GPflow's VGP with the wavelet kernel over energy measures, compiled, trained by L-BFGS: the peer of one fold."""

import argparse
import json
import os
import platform
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # read when TensorFlow is imported

import gpflow
import numpy as np
import scipy.optimize
import tensorflow as tf
from gpflow.utilities import positive
from measures import Block, Problem, read_problem, synthetic_problem, write_problem

FLOOR = 1e-12  # under the root of a feature
CONSTANT = 1e-10  # a column whose standard deviation is this small relative to its mean is constant
HAT = 2.0 * np.sqrt(2.0 / 3.0) * np.pi**-0.25


def filter_bank(eigenvalues: tf.Tensor, alphas: tf.Tensor, betas: tf.Tensor) -> tf.Tensor:
    """Values of w_j = 1/(1 + alpha_j t) + sum_l b(beta_jl t), b(t) = HAT t^2 exp(-t^2/2): [..., W]."""
    squared = tf.square(eigenvalues[..., None, None] * betas)
    low_pass = 1.0 / (1.0 + eigenvalues[..., None] * alphas)
    return low_pass + tf.reduce_sum(HAT * squared * tf.exp(-0.5 * squared), axis=-1)


def standardized(features: tf.Tensor) -> tf.Tensor:
    """Columns minus their mean, over their standard deviation; constant ones become 0; gradients pass through."""
    mean = tf.reduce_mean(features, axis=0)
    centered = features - mean
    variance = tf.reduce_mean(tf.square(centered), axis=0)
    live = variance > tf.square(CONSTANT * mean)
    return tf.where(live, centered / tf.sqrt(tf.where(live, variance, 1.0)), 0.0)


class BlockKernel(gpflow.kernels.Kernel):
    """Squared exponential on the standardized features of one block; inputs are indices of training graphs."""

    def __init__(self, block: Block) -> None:
        """Hold the measures, and the scales, lengthscale and variance as trainable parameters."""
        super().__init__(name="block")
        eigenvalues, energies = block.padded()
        self.eigenvalues, self.energies = tf.constant(eigenvalues), tf.constant(energies)
        self.has_bank = len(block.alphas) > 0
        if self.has_bank:
            self.alphas = gpflow.Parameter(block.alphas, transform=positive())
            self.betas = gpflow.Parameter(block.betas, transform=positive())
        self.lengthscale = gpflow.Parameter(block.lengthscale, transform=positive())
        self.variance = gpflow.Parameter(block.variance, transform=positive())

    def features(self) -> tf.Tensor:
        """Standardized features of all training graphs, [n, W * D]; wavelet j, channel d at j * D + d."""
        if self.has_bank:
            squared = tf.square(filter_bank(self.eigenvalues, self.alphas, self.betas))  # [n, n_max, W]
            sums = tf.linalg.matmul(squared, self.energies, transpose_a=True)  # [n, W, D]
        else:
            sums = tf.reduce_sum(self.energies, axis=1)
        return standardized(tf.reshape(tf.sqrt(sums + FLOOR), [self.energies.shape[0], -1]))

    def K(self, X: tf.Tensor, X2: tf.Tensor | None = None) -> tf.Tensor:
        """Covariances between training graphs given by index."""
        features = self.features() / self.lengthscale
        rows = tf.gather(features, tf.cast(X[:, 0], tf.int32))
        columns = None if X2 is None else tf.gather(features, tf.cast(X2[:, 0], tf.int32))
        return self.variance * tf.exp(-0.5 * gpflow.utilities.ops.square_distance(rows, columns))

    def K_diag(self, X: tf.Tensor) -> tf.Tensor:
        """Variances, the same for every graph."""
        return tf.fill([tf.shape(X)[0]], tf.squeeze(self.variance))


def build_model(problem: Problem) -> gpflow.models.VGP:
    """The variational model of the training graphs: Bernoulli (probit) for two classes, else robust-max."""
    blocks = [BlockKernel(block.select(problem.train)) for block in problem.blocks]
    kernel = gpflow.kernels.Sum(blocks) if len(blocks) > 1 else blocks[0]
    binary = problem.n_classes == 2
    likelihood = gpflow.likelihoods.Bernoulli() if binary else gpflow.likelihoods.MultiClass(problem.n_classes)
    inputs = np.arange(len(problem.train), dtype=float)[:, None]
    targets = problem.labels[problem.train].astype(float)[:, None]
    return gpflow.models.VGP((inputs, targets), kernel, likelihood, num_latent_gps=1 if binary else problem.n_classes)


class Trace:
    """The objective handed to SciPy, with a record of when each new best ELBO was reached."""

    def __init__(self, objective: Any) -> None:
        """Wrap an objective that returns loss and gradient."""
        self.objective = objective
        self.evaluations = 0
        self.failures = 0  # TensorFlow answers NaN where a Cholesky factor does not exist
        self.best = -np.inf
        self.best_x: np.ndarray | None = None
        self.points: list[tuple[float, float]] = []
        self.start = time.perf_counter()

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Evaluate, and note the time if the ELBO is a new best."""
        loss, gradient = self.objective(x)
        self.evaluations += 1
        self.failures += int(not np.isfinite(loss))
        if -loss > self.best:
            self.best, self.best_x = float(-loss), x.copy()
            self.points.append((time.perf_counter() - self.start, self.best))
        return loss, gradient


def seconds_per_evaluation(objective: Any, x: np.ndarray, repeats: int) -> float:
    """Median time of one compiled evaluation of ELBO and gradient."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        objective(x)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def minimize(trace: Trace, x: np.ndarray, max_iterations: int) -> tuple[int, str]:
    """L-BFGS from x; iterations taken and why it stopped."""
    options = {"maxiter": max_iterations, "maxfun": 10 * max_iterations}
    result = scipy.optimize.minimize(trace, x, jac=True, method="L-BFGS-B", options=options)
    return int(result.nit), str(result.message)


def hyperparameters(model: gpflow.models.VGP) -> list[dict[str, Any]]:
    """Scales, lengthscale and variance of each block."""
    kernels = getattr(model.kernel, "kernels", [model.kernel])
    names = ("alphas", "betas", "lengthscale", "variance")
    return [{name: getattr(k, name).numpy().tolist() for name in names if hasattr(k, name)} for k in kernels]


def train(problem: Problem, max_iterations: int, repeats: int) -> dict[str, Any]:
    """Build, compile, time and train the model."""
    model = build_model(problem)
    optimizer = gpflow.optimizers.Scipy()
    variables = model.trainable_variables
    objective = optimizer.eval_func(model.training_loss_closure(compile=False), variables, {}, compile=True)
    x = optimizer.initial_parameters(variables).numpy()
    start = time.perf_counter()
    loss, _ = objective(x)
    first = time.perf_counter() - start
    each = seconds_per_evaluation(objective, x, repeats)
    trace = Trace(objective)
    iterations, message = minimize(trace, x, max_iterations)
    total = time.perf_counter() - trace.start
    objective(trace.best_x)  # leaves the best values in the model
    return {
        "source": problem.source,
        "graphs": len(problem.train),
        "classes": problem.n_classes,
        "variables": int(x.size),
        "first_evaluation_seconds": first,  # with tracing
        "evaluation_seconds": each,
        "fit_seconds": total,  # compiled before
        "evaluations": trace.evaluations,
        "failed_evaluations": trace.failures,
        "iterations": iterations,
        "stopped": message,
        "initial_elbo": float(-loss),
        "final_elbo": trace.best,
        "trace": trace.points,
        "hyperparameters": hyperparameters(model),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    }


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", type=Path, nargs="?", help="JSON or NPZ file; a synthetic problem without")
    parser.add_argument("--graphs", type=int, default=100, help="of the synthetic problem, and so on")
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--channels", type=int, default=4)
    parser.add_argument("--filters", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--export", type=Path, help="write the problem to this file, JSON or NPZ, and stop")
    parser.add_argument("--max-iterations", type=int, default=15000)
    parser.add_argument("--repeats", type=int, default=11, help="evaluations timed before training")
    parser.add_argument("--threads", type=int, help="threads of TensorFlow; its default without")
    return parser.parse_args()


def main() -> None:
    """Train on the problem and print JSON."""
    args = parsed()
    if args.threads:
        tf.config.threading.set_intra_op_parallelism_threads(args.threads)
        tf.config.threading.set_inter_op_parallelism_threads(args.threads)
    shape = (args.graphs, args.classes, args.channels, args.filters, args.seed)
    problem = read_problem(args.problem) if args.problem else synthetic_problem(*shape)
    if args.export:
        write_problem(args.export, problem)
        return
    versions = {name: version(name) for name in ("gpflow", "tensorflow", "numpy", "scipy")}
    result = train(problem, args.max_iterations, args.repeats)
    text = "{evaluations} evaluations of {evaluation_seconds:.4f} s, {fit_seconds:.1f} s to ELBO {final_elbo:.4f}"
    print(text.format(**result), file=sys.stderr)
    print(json.dumps({"versions": {"python": platform.python_version(), **versions}, **result}, indent=1))


if __name__ == "__main__":
    main()
