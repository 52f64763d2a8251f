"""Shares, differences and intervals, for tables of 80 columns. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def format_percent(share: float | None) -> str:
    """A share; nothing if there is none."""
    return "" if share is None else f"{100 * share:.1f} %"


def format_signed(value: float) -> str:
    """A difference, as a whole number with its sign."""
    return f"{value:+.0f}" if abs(value) >= 0.5 else "0"


def format_interval(ends: Mapping[str, Any], format_end: Callable[[Any], str]) -> str:
    """From where to where; infinite ends are left open."""
    low, high = ends["low"], ends["high"]
    if low is None and high is None:
        return ""
    if high is None:
        return f"{format_end(low)} or more"
    if low is None:
        return f"{format_end(high)} or less"
    return f"{format_end(low).removesuffix(' %')} to {format_end(high)}"


def format_share(share: Mapping[str, Any]) -> str:
    """A share and its interval."""
    return f"{format_percent(share['share'])}  {format_interval(share, format_percent)}"
