"""Numbers of simplices, filtration values and Betti numbers of random complexes, by GUDHI."""

import json
import platform
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import gudhi
import numpy as np

OUT = Path(__file__).with_name("complexes.json")
# A prime so large that no small complex has torsion of its order: Betti numbers are those over the rationals.
LARGE_PRIME = 46337

CONVENTION = {
    "simplicial": "maximal simplices on the vertices 0..n-1, with n the largest vertex plus one or more",
    "rips": "points by rows; simplices whose vertices are pairwise at most `radius` apart, up to dimension max_dim",
    "alpha": "points of the plane by rows; simplices whose filtration value, GUDHI's square root, is at most radius; "
    "`edges` and `triangles` hold [vertices, radius] of the whole filtration, in lexicographic order",
    "cells": "number of simplices of each dimension 0..max_dim",
    "betti": "Betti numbers of dimensions 0..max_dim modulo a large prime, equal to those over the rationals",
    "betti_mod_2": "the same modulo 2; larger where the complex has torsion of even order",
}


def betti(tree: gudhi.SimplexTree, max_dim: int, prime: int) -> list[int]:
    """Betti numbers of a whole complex modulo a prime."""
    tree.compute_persistence(homology_coeff_field=prime, min_persistence=-1, persistence_dim_max=True)
    found = tree.betti_numbers()
    return [int(found[k]) if k < len(found) else 0 for k in range(max_dim + 1)]


def topology(tree: gudhi.SimplexTree, max_dim: int) -> dict[str, Any]:
    """Numbers of simplices and Betti numbers."""
    cells = [0] * (max_dim + 1)
    for simplex, _ in tree.get_simplices():
        cells[len(simplex) - 1] += 1
    rational, mod_2 = betti(tree, max_dim, LARGE_PRIME), betti(tree, max_dim, 2)
    signs = [(-1) ** k for k in range(max_dim + 1)]
    for numbers in (rational, mod_2):
        assert sum(s * b for s, b in zip(signs, numbers, strict=True)) == sum(
            s * c for s, c in zip(signs, cells, strict=True)
        )
    return {"cells": cells, "betti": rational, "betti_mod_2": mod_2}


def simplicial(rng: np.random.Generator, n: int, counts: dict[int, int]) -> dict[str, Any]:
    """A random complex with `counts[k]` simplices of k + 1 vertices each, drawn afresh."""
    sizes = [k + 1 for k, count in counts.items() for _ in range(count)]
    maximal = [sorted(rng.choice(n, size, replace=False).tolist()) for size in sizes]
    tree = gudhi.SimplexTree()
    for v in range(n):
        tree.insert([v])
    for simplex in maximal:
        tree.insert(simplex)
    max_dim = max(len(s) for s in maximal) - 1
    return {"n": n, "max_dim": max_dim, "simplices": maximal, **topology(tree, max_dim)}


def projective_plane() -> dict[str, Any]:
    """The projective plane of six vertices, which has torsion of order 2."""
    facets = ["012", "023", "034", "045", "051", "124", "235", "341", "452", "513"]
    maximal = [sorted(map(int, facet)) for facet in facets]
    tree = gudhi.SimplexTree()
    for simplex in maximal:
        tree.insert(simplex)
    return {"n": 6, "max_dim": 2, "simplices": maximal, **topology(tree, 2)}


def rips(points: np.ndarray, radius: float, max_dim: int) -> dict[str, Any]:
    """A Vietoris-Rips complex."""
    tree = gudhi.RipsComplex(points=points.tolist(), max_edge_length=radius).create_simplex_tree(max_dimension=max_dim)
    return {"points": points.tolist(), "radius": radius, "max_dim": max_dim, **topology(tree, max_dim)}


def alpha(points: np.ndarray, radius: float) -> dict[str, Any]:
    """The alpha complex of points in the plane at a radius, and the whole filtration."""
    whole = gudhi.AlphaComplex(points=points.tolist(), precision="exact").create_simplex_tree()
    by_size: dict[int, list[Any]] = {2: [], 3: []}
    for simplex, value in whole.get_simplices():
        if len(simplex) > 1:
            by_size[len(simplex)].append([sorted(simplex), float(np.sqrt(value))])
    tree = gudhi.SimplexTree()
    for simplex, value in whole.get_simplices():
        if np.sqrt(value) <= radius:
            tree.insert(simplex)
    return {
        "points": points.tolist(),
        "radius": radius,
        "max_dim": 2,
        "edges": sorted(by_size[2]),
        "triangles": sorted(by_size[3]),
        **topology(tree, 2),
    }


def circle(rng: np.random.Generator, n: int, noise: float) -> np.ndarray:
    """Points near the unit circle."""
    angles = rng.uniform(0, 2 * np.pi, n)
    return np.round(np.c_[np.cos(angles), np.sin(angles)] + noise * rng.normal(size=(n, 2)), 6)


def torus(rng: np.random.Generator, n: int) -> np.ndarray:
    """Points on a torus in space."""
    u, v = rng.uniform(0, 2 * np.pi, (2, n))
    return np.round(np.c_[(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v)], 6)


def main() -> None:
    """Write the golden file beside this script."""
    rng = np.random.default_rng(20260)
    plane = [np.round(rng.uniform(size=(n, 2)), 6) for n in (3, 4, 10, 30, 60)]
    everything = {
        "simplicial": [
            *(
                simplicial(rng, n, counts)
                for n, counts in (
                    (6, {2: 8}),
                    (8, {1: 4, 2: 12}),
                    (9, {2: 10, 3: 6}),
                    (10, {1: 5, 2: 10, 3: 10}),
                    (10, {3: 25}),
                    (12, {2: 30, 4: 6}),
                    (14, {1: 20, 2: 40}),
                    (9, {5: 4}),
                    (20, {2: 15, 3: 12, 4: 5}),
                )
            ),
            projective_plane(),
        ],
        "rips": [
            *(rips(points, radius, 2) for points in plane for radius in (0.2, 0.35)),
            rips(circle(rng, 40, 0.05), 0.6, 3),
            rips(torus(rng, 50), 1.4, 3),
            rips(np.round(rng.normal(size=(25, 5)), 6), 2.2, 4),
            rips(np.round(rng.uniform(size=(20, 1)), 6), 0.1, 2),
        ],
        "alpha": [
            *(alpha(points, radius) for points in plane for radius in (0.08, 0.15)),
            alpha(circle(rng, 40, 0.05), 0.4),
            alpha(np.vstack([circle(rng, 30, 0.03), circle(rng, 30, 0.03) + np.array([3, 0])]), 0.35),
        ],
    }
    for record in everything["simplicial"]:
        assert all(len(set(s)) == len(s) for s in record["simplices"])
        faces = {f for s in record["simplices"] for k in range(2, len(s) + 1) for f in combinations(s, k)}
        assert len(faces) + record["n"] == sum(record["cells"])
    versions = {name: version(name) for name in ("gudhi", "numpy")}
    golden = {"made_with": {"python": platform.python_version(), **versions}, "convention": CONVENTION, **everything}
    OUT.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
