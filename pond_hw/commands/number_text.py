"""Shares, differences and intervals, for tables of 80 columns. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def format_percent(share: float | None) -> str:
    """A share; nothing if there is none."""
    return "" if share is None else f"{100 * share:.1f} %"


def format_signed(signed_value: float) -> str:
    """A difference, as a whole number with its sign."""
    return f"{signed_value:+.0f}" if abs(signed_value) >= 0.5 else "0"


def format_interval(interval_ends: Mapping[str, Any], format_end: Callable[[Any], str]) -> str:
    """From where to where; infinite ends are left open."""
    low_end, high_end = interval_ends["low"], interval_ends["high"]
    if low_end is None and high_end is None:
        return ""
    if high_end is None:
        return f"{format_end(low_end)} or more"
    if low_end is None:
        return f"{format_end(high_end)} or less"
    return f"{format_end(low_end).removesuffix(' %')} to {format_end(high_end)}"


def format_share(share_result: Mapping[str, Any]) -> str:
    """A share and its interval."""
    return f"{format_percent(share_result['share'])}  {format_interval(share_result, format_percent)}"
