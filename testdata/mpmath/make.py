"""Energies on adversarial spectra and posteriors of nearly singular kernels, in 60 digits.

Inputs are double precision numbers, written so that they come back bit for bit; everything after is mpmath.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import mpmath as mp

mp.mp.dps = 60
HERE = Path(__file__).parent
TIMES = [0.001, 0.1, 1.0, 10.0]


def clique_edges(vertices: Iterable[int]) -> list[list[int]]:
    """All pairs."""
    return [list(pair) for pair in combinations(vertices, 2)]


def graphs() -> Iterator[tuple[str, int, list[list[int]], list[float] | None]]:
    """Degenerate, clustered and nearly split spectra."""
    path = [[v, v + 1] for v in range(13)]
    cycle = [[v, (v + 1) % 12] for v in range(12)]
    two = clique_edges(range(5)) + clique_edges(range(5, 11)) + [[4, 5]]
    yield "path", 14, path, None
    yield "cycle", 12, cycle, None
    yield "star", 12, [[0, v] for v in range(1, 12)], None
    yield "complete", 8, clique_edges(range(8)), None
    yield "two cliques and a bridge", 11, two, None
    yield "three parts, two alike", 9, [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [6, 7]], None
    yield "weights over 16 decades", 14, path, [10.0 ** (8 - 16 * e / 12) for e in range(13)]
    yield "a bridge of weight 1e-12", 11, two, [1.0] * (len(two) - 1) + [1e-12]
    yield "a cycle almost cut", 12, cycle, [1.0] * 11 + [1e-9]


def boundaries(n: int, edges: list[list[int]]) -> tuple[Any, Any]:
    """The boundary operators of a graph with its triangles."""
    b1 = mp.zeros(n, len(edges))
    for e, (a, b) in enumerate(edges):
        b1[a, e], b1[b, e] = -1, 1
    index = {frozenset(edge): e for e, edge in enumerate(edges)}
    triangles = [t for t in combinations(range(n), 3) if all(frozenset(s) in index for s in combinations(t, 2))]
    b2 = mp.zeros(len(edges), len(triangles))
    for t, (a, b, c) in enumerate(triangles):
        for (s, e), sign in (((a, b), 1), ((b, c), 1), ((a, c), -1)):
            place = index[frozenset((s, e))]
            b2[place, t] = sign * (1 if edges[place] == [s, e] else -1)
    return b1, b2


def heat(matrix: Any, x: list[Any]) -> tuple[list[Any], Any, Any]:
    """Sums of exp(-2 t lambda) (u.x)^2 over eigenvalues that are not 0, that of the others, and the largest."""
    values, vectors = mp.eigsy(matrix)
    n = len(x)
    scale = max(abs(v) for v in values) if n else mp.mpf(1)
    shares = [sum(vectors[i, k] * x[i] for i in range(n)) ** 2 for k in range(n)]
    is_zero = [abs(v) < scale * mp.mpf(10) ** -40 for v in values]
    sums = [
        sum(
            (mp.exp(-2 * mp.mpf(t) * v) * s for v, s, z in zip(values, shares, is_zero, strict=True) if not z),
            mp.mpf(0),
        )
        for t in TIMES
    ]
    return sums, sum((s for s, z in zip(shares, is_zero, strict=True) if z), mp.mpf(0)), scale


def spectra(rng: random.Random) -> list[dict[str, Any]]:
    """Heat sums of random signals."""
    cases = []
    for name, n, edges, weights in graphs():
        b1, b2 = boundaries(n, edges)
        x0 = [rng.uniform(-1, 1) for _ in range(n)]
        x1 = [rng.uniform(-1, 1) for _ in edges]
        w = mp.diag([mp.mpf(v) for v in weights]) if weights else mp.eye(len(edges))
        vertices, harmonic, norm = heat(b1 * w * b1.T, [mp.mpf(v) for v in x0])
        case = {
            "name": name,
            "n": n,
            "edges": edges,
            "weights": weights,
            "vertex_signal": x0,
            "vertex_norm": float(norm),
            "vertex_coexact": [float(v) for v in vertices],
            "vertex_harmonic": float(harmonic),
        }
        if weights is None:
            x = [mp.mpf(v) for v in x1]
            exact, _, down = heat(b1.T * b1, x)
            coexact, _, up = heat(b2 * b2.T, x) if b2.cols else ([mp.mpf(0)] * len(TIMES), 0, mp.mpf(0))
            _, kernel, _ = heat(b1.T * b1 + b2 * b2.T, x)
            case |= {
                "edge_signal": x1,
                "edge_norm": float(max(down, up)),
                "edge_exact": [float(v) for v in exact],
                "edge_coexact": [float(v) for v in coexact],
                "edge_harmonic": float(kernel),
            }
        cases.append(case)
    return cases


def posteriors(rng: random.Random) -> list[dict[str, Any]]:
    """Exact regression with kernels whose points are as near to each other as 1e-8, and little noise."""
    cases = []
    for name, gap, noise in [
        ("plain", 0.5, 0.1),
        ("near", 1e-2, 1e-4),
        ("nearer", 1e-5, 1e-6),
        ("almost equal", 1e-8, 1e-8),
        ("almost equal, much noise", 1e-8, 1.0),
    ]:
        points = [k // 2 + gap * (k % 2) for k in range(12)]
        new = [0.25, 3.1, 50.0]
        kernel = lambda a, b: float(1.7 * mp.exp(-(mp.mpf(a - b) ** 2) / 2))  # noqa: E731
        gram = [[kernel(a, b) for b in points] for a in points]
        cross = [[kernel(a, b) for b in points] for a in new]
        diagonal = [kernel(a, a) for a in new]
        y = [rng.gauss(0, 1) for _ in points]
        n = len(points)
        k, target = mp.matrix(gram), mp.matrix(y)
        noisy = k + mp.mpf(noise) * mp.eye(n)
        inverse = noisy**-1
        mean, variance = [], []
        for row, prior in zip(cross, diagonal, strict=True):
            v = mp.matrix(row)
            mean.append(float((v.T * inverse * target)[0]))
            variance.append(float(mp.mpf(prior) - (v.T * inverse * v)[0]))
        evidence = -(target.T * inverse * target)[0] / 2 - mp.log(mp.det(noisy)) / 2 - n * mp.log(2 * mp.pi) / 2
        values = sorted(mp.eigsy(k, eigvals_only=True))
        condition = float(values[-1] / max(abs(values[0]), mp.mpf(10) ** -30))
        cases.append(
            {
                "name": name,
                "noise": noise,
                "condition": condition,
                "largest": float(values[-1]),
                "gram": gram,
                "cross": cross,
                "diagonal": diagonal,
                "y": y,
                "mean": mean,
                "variance": variance,
                "evidence": float(evidence),
            }
        )
    return cases


def main() -> None:
    """Writes the file."""
    rng = random.Random(1)
    content = {
        "made_with": {"mpmath": mp.__version__, "digits": mp.mp.dps},
        "convention": (
            "heat sums are over eigenvalues lambda of exp(-2 t lambda) times the squared coefficient of the signal for "
            "each of `times`; the vertex Laplacian is B_1 diag(weights) B_1^T; posteriors are of y = f + noise"
        ),
        "times": TIMES,
        "spectra": spectra(rng),
        "posteriors": posteriors(rng),
    }
    (HERE / "precise.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
