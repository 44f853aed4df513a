"""Flows on meshes: which kind of vector field is it.

A vector field on a surface becomes a flow on the edges of a triangle mesh: the integral of the field along each edge.
The Hodge decomposition splits it into a gradient (sources and sinks), a rotation (vortices) and a harmonic part (a
current around a hole), and the model learns from the energy of each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from hodgelet import HodgeletClassifier, as_batch, hodge

KINDS = ["source", "vortex", "current"]


def mesh(rng: np.random.Generator, side: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, edges and triangles of a square with a hole: a jittered grid, cells cut in two, no middle."""
    axis = np.linspace(-1.0, 1.0, side)
    places = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    places = places + rng.uniform(-0.08, 0.08, size=places.shape)
    number = np.arange(side * side).reshape(side, side)
    a, b, c, d = (part.reshape(-1) for part in (number[:-1, :-1], number[1:, :-1], number[:-1, 1:], number[1:, 1:]))
    triangles = np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, c, d], axis=1)])
    center = places[triangles].mean(axis=1)
    triangles = np.sort(triangles[np.abs(center).max(axis=1) > 0.3], axis=1)
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
    edges = np.unique(sides, axis=0)
    used = np.unique(edges)
    renumber = np.full(len(places), -1)
    renumber[used] = np.arange(len(used))
    return places[used], renumber[edges], renumber[triangles]


def field(kind: str, rng: np.random.Generator, points: np.ndarray) -> np.ndarray:
    """A random field of one kind at these points, ``[n, 2]``."""
    center = rng.uniform(-0.6, 0.6, size=2)
    offset = points - (0.0 if kind == "current" else center)
    turned = np.stack([-offset[:, 1], offset[:, 0]], axis=1)
    if kind == "current":  # around the hole: curl and divergence are zero everywhere else
        return rng.choice([-1.0, 1.0]) * turned / np.sum(offset**2, axis=1, keepdims=True)
    bump = np.exp(-2.0 * np.sum(offset**2, axis=1, keepdims=True))
    return rng.choice([-1.0, 1.0]) * 3.0 * bump * (offset if kind == "source" else turned)


def flow(kind: str, rng: np.random.Generator, places: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The integral of a field along each edge, by the midpoint rule, with some noise."""
    way = places[edges[:, 1]] - places[edges[:, 0]]
    middle = places[edges].mean(axis=1)
    exact = np.sum(field(kind, rng, middle) * way, axis=1)
    return exact + rng.normal(scale=0.05 * np.abs(exact).max(), size=len(exact))


def main(arguments: list[str] | None = None) -> None:
    """The whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="fewer meshes")
    parser.add_argument("--plots", type=Path, help="folder for pictures")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(0)

    # One mesh as an example: one hole, so one harmonic direction on edges.
    places, edges, _ = mesh(rng)
    print(f"{len(places)} vertices, {len(edges)} edges, Betti numbers {hodge.betti_numbers((edges.T,))}")
    assert hodge.betti_numbers((edges.T,))[:2] == [1, 1]
    # The mesh is not even, so a vortex has a gradient and a harmonic part, too; but each kind has most of its own.
    shares = {}
    for kind in KINDS:
        values = flow(kind, np.random.default_rng(1), places, edges)
        parts = hodge.decompose((edges.T,), values)
        shares[kind] = [float(np.sum(part**2) / np.sum(values**2)) for part in parts]
        exact, coexact, harmonic = (100 * share for share in shares[kind])
        print(f"{kind}: exact {exact:.0f} %, co-exact {coexact:.0f} %, harmonic {harmonic:.0f} %")
        if options.plots is not None:
            from hodgelet.plot import plot_components

            options.plots.mkdir(parents=True, exist_ok=True)
            figure = plot_components((edges.T,), values, positions=places)
            figure.savefig(options.plots / f"flow-{kind}.png")
    for part, kind in enumerate(KINDS):
        assert max(KINDS, key=lambda other: shares[other][part]) == kind

    # Many meshes, each with its own vertices and a field of a random kind.
    graphs, labels = [], []
    for i in range(60 if options.small else 240):
        places, edges, _ = mesh(rng)
        labels.append(KINDS[i % 3])
        graphs.append((edges.T, len(places), flow(labels[-1], rng, places, edges)))
    half = len(graphs) // 2
    # `oriented` says that the numbers on edges are a flow: their sign belongs to the direction of the edge.
    model = HodgeletClassifier(oriented=["edge_attr"], vertices="none", max_iter=20)
    model.fit(graphs[:half], labels[:half])
    score = model.score(graphs[half:], labels[half:])
    print(f"right: {100 * score:.1f} % of {len(graphs) - half} fields of three kinds")
    assert score >= 0.9

    # Directions of edges are arbitrary, so nothing may depend on them: turn some around, with their flow.
    index, n, values = graphs[-1]
    turned = np.random.default_rng(2).random(len(values)) < 0.5
    other = (np.where(turned, index[::-1], index), n, np.where(turned, -values, values))
    a, b = model.predict_proba([graphs[-1]]), model.predict_proba([other])
    print("turning edges around changes probabilities by", np.abs(a - b).max())
    assert np.allclose(a, b, atol=1e-9)

    # For the same reason energies cannot tell a flow from its reverse; that needs other features.
    assert np.allclose(model.predict_proba([(index, n, -values)]), a, atol=1e-9)
    assert as_batch([graphs[0]], oriented=["edge_attr"]).columns[0].oriented


if __name__ == "__main__":
    main()
