"""Hodgelet features in your own model: a random forest, PyTorch, or any engine that reads Arrow.

`HodgeletTransformer` draws filters without training them and gives a plain array of features; with
``output="measures"`` it gives what they are made of, energies over spectra.
"""

from __future__ import annotations

import argparse
import importlib.util

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from hodgelet import HodgeletTransformer, arrow, datasets


def forest(graphs: object, labels: np.ndarray) -> float:
    """A pipeline like any other of scikit-learn."""
    pipeline = make_pipeline(HodgeletTransformer(edges="constant"), RandomForestClassifier(100, random_state=0))
    return float(cross_val_score(pipeline, graphs, labels, cv=3).mean())


def perceptron(features: np.ndarray, codes: np.ndarray, steps: int) -> float:
    """A small network of PyTorch on the same features: accuracy on every third graph."""
    import torch

    torch.manual_seed(0)
    held_out = np.arange(len(codes)) % 3 == 0
    x, y = torch.tensor(features, dtype=torch.float32), torch.tensor(codes)
    network = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], 32),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.3),
        torch.nn.Linear(32, int(codes.max()) + 1),
    )
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01, weight_decay=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(x[~held_out]), y[~held_out]).backward()
        optimizer.step()
    network.eval()
    return float((network(x[held_out]).argmax(dim=1) == y[held_out]).float().mean())


def main(arguments: list[str] | None = None) -> None:
    """The whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="fewer graphs")
    options = parser.parse_args(arguments)
    data = datasets.load("sbm", n_graphs=60 if options.small else 200)
    labels = np.asarray(data.target)
    chance = max(np.mean(labels == label) for label in np.unique(labels))

    score = forest(data.graphs, labels)
    print(f"random forest: {100 * score:.1f} % right (the larger class has {100 * chance:.1f} %)")
    assert score > chance + 0.1

    transformer = HodgeletTransformer(edges="constant").fit(data.graphs)
    features = transformer.transform(data.graphs)
    print(f"features: {features.shape[1]} columns, such as {transformer.get_feature_names_out()[0]!r}")
    if importlib.util.find_spec("torch") is None:
        print("SKIPPED the network: PyTorch is not installed")
    else:
        score = perceptron(features, np.unique(labels, return_inverse=True)[1], 100)
        print(f"network of PyTorch: {100 * score:.1f} % right")
        assert score > chance

    # The same as a table: one row per graph, for any engine that reads Arrow.
    table = arrow.features(transformer, arrow.to_arrow(data.graphs, ids=range(len(labels))))
    print(table)
    assert table.num_rows == len(labels) and table.column_names == ["id", "features"]

    # Below the features: total energy of a signal is the sum over its blocks.
    measures = transformer.measures(data.graphs)
    edges = data.graphs[0].edge_offsets[-1]
    total = sum(block[0][1].sum() for block in measures if block.block.startswith("edge"))
    print(f"energy of a one on each of {edges} edges: {total:.6f}")
    assert np.isclose(total, edges)


if __name__ == "__main__":
    main()
