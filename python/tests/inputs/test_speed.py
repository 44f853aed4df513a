"""Converting NetworkX graphs costs little more than looking at them."""

from __future__ import annotations

import time
from collections.abc import Callable

import networkx as nx

from hodgelet import as_batch


def best(function: Callable[[], object], repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)


def test_conversion_takes_at_most_three_times_a_plain_iteration() -> None:
    graphs = [nx.gnp_random_graph(30, 0.15, seed=seed) for seed in range(600)]
    for graph in graphs:
        nx.set_node_attributes(graph, {v: {"element": "CNO"[v % 3], "charge": 0.5 * v} for v in graph})
        nx.set_edge_attributes(graph, {edge: {"bond": "ab"[sum(edge) % 2]} for edge in graph.edges})

    def iterate() -> int:
        count = 0
        for graph in graphs:
            for _vertex, _attributes in graph.nodes(data=True):
                count += 1
            for _tail, _head, _attributes in graph.edges(data=True):
                count += 1
        return count

    plain, converted = best(iterate), best(lambda: as_batch(graphs))
    print(f"iterating {1e3 * plain:.1f} ms, converting {1e3 * converted:.1f} ms, ratio {converted / plain:.2f}")
    assert converted <= 3.0 * plain
