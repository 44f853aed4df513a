"""What can go wrong, as exceptions: each says what was found, what was expected and, where possible, how to fix it."""

from __future__ import annotations

__all__ = [
    "HodgeletError",
    "HodgeletFileError",
    "HodgeletInputError",
    "HodgeletWarning",
    "NotFittedError",
    "not_fitted",
]


class HodgeletError(Exception):
    """Base of all exceptions of this package."""


class HodgeletInputError(HodgeletError, ValueError):
    """Graphs, targets or settings that are invalid."""


class HodgeletFileError(HodgeletError, OSError):
    """A file that cannot be read or written, or that is not a model file."""


class NotFittedError(HodgeletError, ValueError, AttributeError):
    """An estimator was used before it was fitted.

    Where scikit-learn is loaded, the exception raised is an instance of its ``NotFittedError`` too.
    """


class HodgeletWarning(UserWarning):
    """Something that may not be what was meant."""


def not_fitted(name: str) -> NotFittedError:
    """The exception for an estimator called ``name``, which is scikit-learn's too if that is loaded."""
    import sys

    message = f"this {name} is not fitted yet: call `fit` first, or `load` a saved model"
    theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    if theirs is None:
        return NotFittedError(message)
    both: type[NotFittedError] = type("NotFittedError", (NotFittedError, theirs), {"__module__": __name__})
    return both(message)
