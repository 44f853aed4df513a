"""The kernel of a trained model, as a function of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._results import Block

if TYPE_CHECKING:
    from hodgelet._batch import GraphBatch

__all__ = ["FittedKernel"]


class FittedKernel:
    """The sum of the kernels of all blocks, at the most probable hyperparameters.

    Called with graphs it gives the Gram matrix ``[n_graphs, n_graphs]``, with two sets of graphs the kernel between
    them.
    """

    def __init__(
        self,
        blocks: list[Block],
        constant: float | None,
        gram: Callable[[GraphBatch, GraphBatch | None], NDArray[np.float64]],
        batch: Callable[[Any], GraphBatch],
    ) -> None:
        self.blocks, self.constant = blocks, constant
        self._gram, self._batch = gram, batch

    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        return self._gram(self._batch(X), None if Y is None else self._batch(Y))

    def diag(self, X: Any) -> NDArray[np.float64]:
        """The kernel of each graph with itself."""
        diagonal: NDArray[np.float64] = np.diag(self(X)).copy()
        return diagonal

    def __repr__(self) -> str:
        def term(block: Block) -> str:
            family = str(block.kernel).strip('"')
            lengths = "" if block.lengthscales is None else ", ".join(f"{x:.3g}" for x in block.lengthscales[:3])
            more = "" if block.lengthscales is None or len(block.lengthscales) <= 3 else ", …"
            scale = 0.0 if block.variance is None else block.variance
            return f"{scale:.3g} {family}({block.name}{'; ' + lengths + more if lengths else ''})"

        terms = [term(block) for block in self.blocks]
        if self.constant is not None:
            terms.append(f"{self.constant:.3g}")
        return " + ".join(terms)
