"""Parts of a tournament's and a study's results in 80 columns: headings, shares, intervals, sections. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from pond_hw.messages.catalogue import get_catalogue, to_english
from pond_hw.messages.message import Message

WIDTH = 80

Results = Mapping[str, Any]
"""The results of a study or a tournament, or a part of them, as programs read them."""


def make_headings(*columns: str) -> list[Message | str]:
    """The headings of a table: the messages `column.NAME`; a column without a name has none."""
    return [Message(f"column.{column}") if column else "" for column in columns]


def wrap_messages(messages: Iterable[Message]) -> list[str]:
    """A paragraph in English."""
    return wrap(get_catalogue().text(messages), WIDTH)


def join_sections(sections: Iterable[Sequence[str]]) -> list[str]:
    """The lines of all sections, with an empty line between two; a section without lines is none."""
    return [text_line for section in sections if section for text_line in ("", *section)][1:]


def format_percent(share: float | None) -> str:
    """A share; nothing if there is none."""
    return "" if share is None else f"{100 * share:.1f} %"


def format_signed(signed_value: float) -> str:
    """A difference, as a whole number with its sign."""
    return f"{signed_value:+.0f}" if abs(signed_value) >= 0.5 else "0"


def format_interval(interval_ends: Results, format_end: Callable[[Any], str] = format_percent) -> str:
    """From where to where; an end that is None is open."""
    low_end, high_end = interval_ends["low"], interval_ends["high"]
    if low_end is None and high_end is None:
        return ""
    if high_end is None:
        return to_english(Message("report.or_more", low=format_end(low_end)))
    if low_end is None:
        return to_english(Message("report.or_less", high=format_end(high_end)))
    return to_english(Message("report.interval", low=format_end(low_end).removesuffix(" %"), high=format_end(high_end)))


def format_share(share_result: Results) -> str:
    """A share and its interval."""
    return f"{format_percent(share_result['share'])}  {format_interval(share_result)}"
