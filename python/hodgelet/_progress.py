"""Progress of long computations on a terminal: with tqdm where it is installed."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

__all__ = ["Progress"]


class Progress:
    """A context whose ``callback`` the native code calls a few times per second; ``None`` when nothing is shown."""

    def __init__(self, verbose: int) -> None:
        self.callback = self._show if verbose else None
        self._phase = ""
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _show(self, phase: str, done: int, total: int, value: float | None) -> None:
        if phase != self._phase:
            self._close()
            self._phase, self._bar = phase, _bar(phase, total)
        shown = "" if value is None else f"objective {value:.4g}"
        if self._bar is None:
            print(f"{phase}: {done} of {total} {shown}".rstrip(), file=sys.stderr)
            return
        self._bar.update(done - self._bar.n)
        if shown:
            self._bar.set_postfix_str(shown)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _bar(phase: str, total: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=phase, leave=False)
