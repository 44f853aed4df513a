"""Social networks: whether friends of friends become friends.

Two ways to grow a network give about the same degrees. In one of them each new tie is often to a friend of a friend,
which closes a triangle. Any signal on people, even a random one, depends on the spectrum of the network and so carries
some information about it; signals on ties, which also see the triangles, carry the most.
"""

from __future__ import annotations

import argparse

import networkx as nx
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score

from hodgelet import HodgeletClassifier


def network(closing: bool, seed: int) -> nx.Graph:
    """A network of 30 people who have an age and a team, with ties that close triangles or do not."""
    graph = nx.powerlaw_cluster_graph(30, 3, 0.95 if closing else 0.0, seed=seed)
    rng = np.random.default_rng(seed)
    for person in graph:
        graph.nodes[person]["age"] = float(rng.integers(18, 65)) / 40.0
        graph.nodes[person]["team"] = str(rng.choice(["red", "green", "blue"]))
    return graph


def main(arguments: list[str] | None = None) -> None:
    """The whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="fewer networks")
    options = parser.parse_args(arguments)
    count = 60 if options.small else 200
    labels = np.array(["closing", "open"] * (count // 2))
    graphs = [network(label == "closing", seed) for seed, label in enumerate(labels)]
    clustering = [np.mean([nx.average_clustering(g) for g in graphs[i::2]]) for i in (0, 1)]
    print(f"clustering of the two classes: {clustering[0]:.2f} and {clustering[1]:.2f}")

    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = {}
    settings = {
        # attributes by name: strings become labels, floats numbers
        "attributes of people": {"vertices": "attributes", "vertex_attrs": ["age", "team"], "edges": "none"},
        "degrees": {"vertices": "degree-one-hot", "vertex_attrs": [], "edges": "none"},
        # one on every tie: its exact, co-exact and harmonic shares know about triangles and longer rings
        "ties": {"vertices": "none", "vertex_attrs": [], "edges": "constant"},
    }
    for name, chosen in settings.items():
        model = HodgeletClassifier(max_iter=20, **chosen)
        scores[name] = cross_val_score(model, graphs, labels, cv=folds).mean()
        print(f"{name}: {100 * scores[name]:.1f} % right")
    assert scores["ties"] >= 0.9
    assert scores["ties"] >= max(scores.values()) - 0.05

    model = HodgeletClassifier(max_iter=20, **settings["ties"]).fit(graphs, labels)
    weight = {block.name: block.variance for block in model.blocks_}
    print("variance of each block:", ", ".join(f"{name} {value:.2f}" for name, value in weight.items()))
    print(model.explain(network(True, 10_001)))


if __name__ == "__main__":
    main()
