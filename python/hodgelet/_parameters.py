"""From the settings in a model file back to parameters of the estimators."""

from __future__ import annotations

from typing import Any

__all__ = ["parameters_of"]

_LAPLACIANS = {"symmetric-normalized": "normalized"}
_KERNELS = {
    "squared-exponential": "se",
    "matern12": "matern12",
    "matern32": "matern32",
    "matern52": "matern52",
    "rational-quadratic": "rq",
    "linear": "linear",
}
_CELLS = {0: "vertex", 1: "edge", 2: "triangle"}
_PARTS = {"coexact": "co-exact"}


def parameters_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Parameters with which `fit` would train the same model again."""
    space, kernel, optimizer = settings["space"], settings["kernel"], settings["optimizer"]
    encoding = space["encoding"]
    limit = optimizer.get("time_limit")
    return {
        "method": _method(space),
        "vertices": encoding["vertices"],
        "edges": encoding["edges"],
        "higher": encoding["higher"],
        "max_degree": encoding["max_degree"],
        "laplacian": _laplacian(space),
        "signed": _signed(space.get("signed")),
        "split": space["split"],
        "dims": space["dims"],
        "without": [_block(block) for block in space["without"]],
        "cliques": _cliques(space["lift"]),
        "shared_bank": space["shared-bank"],
        **_bank(space["transform"]),
        "kernel": _kernel(kernel["family"]),
        "lengthscales": kernel["lengthscales"],
        "initial_lengthscale": kernel["initial-lengthscale"],
        "likelihood": settings["likelihood"],
        "inference": settings["inference"],
        "prior_deviation": settings["prior-deviation"],
        "restarts": settings["restarts"],
        "random_state": settings["seed"],
        "max_iter": optimizer["max_iterations"],
        "tol": optimizer["objective_tolerance"],
        "time_limit": None if limit is None else limit["secs"] + 1e-9 * limit["nanos"],
        "collapse": settings["collapse"],
    }


def _method(space: dict[str, Any]) -> str:
    if "fourier" in space["transform"]:
        return "fourier"
    if space["lift"] == "line-graph":
        return "line-graph"
    return "wt" if not space["split"] and space["dims"] == [0] else "hodge"


def _laplacian(space: dict[str, Any]) -> str:
    metric = space.get("metric")
    if metric is not None:
        return "dec" if metric == "barycentric" else f"dec-{metric}"
    weighting: str = space["weighting"]
    return _LAPLACIANS.get(weighting, weighting)


def _signed(signed: dict[str, Any] | None) -> Any:
    if signed is None:
        return None
    if "cycles" in signed:
        return signed["cycles"]
    basis = signed["harmonic"]
    counts = (basis["exact"], basis["coexact"])
    return "harmonic" if counts == (0, 0) else f"harmonic:{counts[0]},{counts[1]}"


def _cliques(lift: Any) -> int:
    return int(lift["cliques"]) if isinstance(lift, dict) else 1


def _bank(transform: dict[str, Any]) -> dict[str, Any]:
    if "fourier" in transform:
        return {"n_points": transform["fourier"]}
    bank = transform["wavelets"]
    return {
        "n_filters": bank["n-filters"],
        "n_bands": bank["n-bands"],
        "low_pass": bank["low-pass"] or "none",
        "band_pass": bank["band-pass"],
        "low_pass_scales": tuple(bank["low-pass-scales"]),
        "band_pass_scales": tuple(bank["band-pass-scales"]),
        "scales": bank.get("spread"),
    }


def _kernel(family: dict[str, Any]) -> str:
    kind: str = family["type"]
    if kind == "matern":
        return f"matern:{family['nu']!r}"
    if kind == "polynomial":
        return f"poly:{family['degree']}"
    return _KERNELS.get(kind, kind)


def _block(block: dict[str, Any]) -> str:
    cell = _CELLS.get(block["dim"], f"{block['dim']}-cell")
    return f"{cell} {_PARTS.get(block['component'], block['component'])}"
