"""Check the GPflow peer on a synthetic problem: features graph by graph, gradients, files."""

import tempfile
from pathlib import Path

import gpflow
import numpy as np
from gpflow_peer import HAT, build_model
from measures import Block, Problem, read_problem, synthetic_problem, write_problem


def plain_features(block: Block) -> np.ndarray:
    """Standardized features by the definition, one graph after the other."""
    rows = []
    for start, end in zip(block.starts[:-1], block.starts[1:], strict=True):
        energies, t = block.energies[start:end], block.eigenvalues[start:end]
        filters = [1 / (1 + a * t) + sum(HAT * (b * t) ** 2 * np.exp(-((b * t) ** 2) / 2) for b in bands)
                   for a, bands in zip(block.alphas, block.betas, strict=True)] or [np.ones_like(t)]  # fmt: skip
        rows.append(np.concatenate([np.sqrt(w**2 @ energies + 1e-12) for w in filters]))
    features = np.array(rows)
    return (features - features.mean(axis=0)) / features.std(axis=0)


def plain_gram(problem: Problem) -> np.ndarray:
    """Sum over blocks of squared-exponential Gram matrices."""
    gram = np.zeros((len(problem.train),) * 2)
    for block in (b.select(problem.train) for b in problem.blocks):
        z = plain_features(block) / block.lengthscale
        gram += block.variance * np.exp(-0.5 * np.square(z[:, None] - z[None]).sum(axis=2))
    return gram


def check_gradient(problem: Problem) -> None:
    """The gradient of the loss against central differences along random directions, away from the start."""
    model = build_model(problem)
    optimizer = gpflow.optimizers.Scipy()
    loss = optimizer.eval_func(model.training_loss_closure(compile=False), model.trainable_variables, {})
    rng = np.random.default_rng(1)
    x = optimizer.initial_parameters(model.trainable_variables).numpy()
    x += 0.1 * rng.standard_normal(x.size)
    _, gradient = loss(x)
    for _ in range(3):
        step = 1e-5 * rng.standard_normal(x.size) / np.sqrt(x.size)
        difference = (loss(x + step)[0] - loss(x - step)[0]) / 2
        error = abs(difference - gradient @ step) / (np.linalg.norm(gradient) * np.linalg.norm(step))
        assert error < 1e-7, error


def check_files(problem: Problem) -> None:
    """A problem is the same after writing and reading."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("problem.json", "problem.npz"):
            path = Path(folder) / name
            write_problem(path, problem)
            again = read_problem(path)
            assert np.array_equal(again.labels, problem.labels), name
            assert np.array_equal(plain_gram(again), plain_gram(problem)), name


def main() -> None:
    """Run all checks for two classes and for four."""
    for n_classes in (2, 4):
        whole = synthetic_problem(20, n_classes, channels=3, filters=4, seed=n_classes)
        problem = Problem(whole.blocks, whole.labels, np.arange(1, 20, 2), n_classes)
        model = build_model(problem)
        assert np.abs(model.kernel(model.data[0]).numpy() - plain_gram(problem)).max() < 1e-12
        check_gradient(problem)
        check_files(problem)
    print("features, gradients and files agree")


if __name__ == "__main__":
    main()
