"""What notebooks show of models and results: small tables, without script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hodgelet._batch import GraphBatch
    from hodgelet._results import Explanation, Prediction

__all__ = ["batch_html", "estimator_html", "explanation_html", "prediction_html", "several_html", "table_html"]

#: Rows of a table before it is cut.
MAX_ROWS = 20


def estimator_html(estimator: Any) -> str:
    """Name, settings that are not defaults, and, once fitted, blocks with what was learned of them."""
    title = f"<b>{escape(repr(estimator))}</b>"
    if not estimator.__sklearn_is_fitted__():
        return f"<div>{title}<br>not fitted</div>"
    rows = [
        [
            block.name,
            str(len(block.channels)),
            f"{block.n_varying} of {block.n_columns}",
            _number(block.variance),
            "" if block.lengthscales is None else ", ".join(_number(v) for v in list(block.lengthscales)[:4]),
        ]
        for block in estimator.blocks_
    ]
    head = ["block", "channels", "varying columns", "variance", "lengthscales"]
    classes = getattr(estimator, "classes_", None)
    about = f"fitted on {estimator.n_graphs_in_} graphs"
    if classes is not None:
        about += f", classes {', '.join(str(c) for c in classes)}"
    return f"<div>{title}<br>{escape(about)}{table_html(head, rows)}</div>"


def several_html(estimators: Mapping[str, Any]) -> str:
    """One row per target: what is predicted, and from how many graphs."""
    rows = []
    for name, estimator in estimators.items():
        classes = getattr(estimator, "classes_", None)
        what = "numbers" if classes is None else f"classes {', '.join(str(c) for c in classes)}"
        rows.append([name, what, str(estimator.n_graphs_in_)])
    return f"<div><b>{len(rows)} targets</b>{table_html(['target', 'predicts', 'training graphs'], rows)}</div>"


def prediction_html(prediction: Prediction) -> str:
    """One row per graph: the prediction, its uncertainty, and the block with the largest share."""
    import numpy as np

    n = len(prediction)
    rows = []
    for i in range(min(n, MAX_ROWS)):
        explanation = prediction.explain(i)
        most = max(explanation.contributions.items(), key=lambda item: abs(item[1]), default=("", 0.0))
        sure = f"± {explanation.std:.4g}"
        if explanation.probability is not None:
            sure = f"{explanation.probability:.3f}"
        latent = f"{explanation.latent_mean:+.3f} ± {explanation.latent_std:.3f}"
        rows.append([str(i), str(np.asarray(explanation.value)), sure, latent, f"{most[0]} {most[1]:+.3f}"])
    if n > MAX_ROWS:
        rows.append(["…", f"{n - MAX_ROWS} more", "", "", ""])
    sure = "probability" if prediction.probabilities is not None else "standard deviation"
    return f"<div>{table_html(['graph', 'prediction', sure, 'latent', 'largest share'], rows)}</div>"


def explanation_html(explanation: Explanation) -> str:
    """The share of each block as a bar."""
    largest = max((abs(share) for share in explanation.contributions.values()), default=0.0) or 1.0
    rows = []
    for name, share in sorted(explanation.contributions.items(), key=lambda item: -abs(item[1])):
        color = "#d55e00" if share >= 0 else "#0072b2"
        width = round(120 * abs(share) / largest)
        bar = f'<span style="display:inline-block;height:.8em;width:{width}px;background:{color}"></span>'
        rows.append(f"<tr><td>{escape(name)}</td><td>{share:+.3f}</td><td>{bar}</td></tr>")
    title = escape(str(explanation).splitlines()[0])
    if explanation.toward is not None:
        title += f"<br>orange speaks for {escape(str(explanation.toward))}, blue against it"
    return f"<div>{title}<table>{''.join(rows)}</table></div>"


def batch_html(batch: GraphBatch) -> str:
    """Numbers of graphs, vertices and edges, and the values on them."""
    edges = batch.edge_offsets[1:] - batch.edge_offsets[:-1]

    def spread(counts: Any) -> list[str]:
        if len(counts) == 0:
            return ["0", "", "", ""]
        return [str(int(counts.sum())), str(int(counts.min())), f"{counts.mean():.1f}", str(int(counts.max()))]

    rows = [["vertices", *spread(batch.vertices)], ["edges", *spread(edges)]]
    table = table_html(["cells", "in all", "least", "mean", "most"], rows)
    return f"<div><b>{len(batch)} graphs</b>{table}</div>"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def table_html(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of text."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
