"""Footer that lists the keys of a screen in the user's language."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from pond_hw.messages.catalogue import Catalogue
from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import count_columns
from pond_hw.tui.terminal import find_catalogue

NAMED_KEYS = "Space", "Home", "End", "Enter", "Esc"
"""Keys whose names are translated by messages such as `key_name.space`."""

WIDE_GAP, NARROW_GAP = 2, 1  # columns between two keys


class KeyBar(Footer):
    """Footer that shows as many keys as fit.

    In each binding, `description` is the NAME of a `key.NAME` message and `tooltip` is the NAME of a `command.NAME`
    message.
    """

    DROPPED_FIRST: ClassVar[tuple[str, ...]] = ()
    """Actions whose keys are dropped first in a narrow window. The other keys are dropped from left to right."""

    def __init__(self) -> None:
        super().__init__(compact=True)
        self._fitted_columns = 0

    @property
    def hidden_actions(self) -> Collection[str]:
        """Actions whose keys are hidden at the moment, regardless of the window's width."""
        return ()

    def describe_key(self, key: FooterKey) -> tuple[str, str]:
        """Return the display name of a key and the NAME of its `key.NAME` message."""
        return key.key_display, key.description

    def compose(self) -> ComposeResult:
        text, hidden_actions = find_catalogue(self).text, self.hidden_actions
        keys = [key for key in super().compose() if isinstance(key, FooterKey) and key.action not in hidden_actions]
        for key in keys:
            key_display, name = self.describe_key(key)
            key.key_display = name_keys(key_display, find_catalogue(self))
            key.description = text(Message(f"key.{name}"))
            if key.tooltip:
                key.tooltip = text(Message(f"command.{key.tooltip}"))
        self._fitted_columns = columns = self.app.size.width
        for action in (*self.DROPPED_FIRST, *(key.action for key in keys)):
            if _count_columns(keys, NARROW_GAP) <= columns:
                break
            keys = [key for key in keys if key.action != action]
        gap = WIDE_GAP if _count_columns(keys, WIDE_GAP) <= columns else NARROW_GAP
        for key in keys:
            key.styles.margin = (0, 0 if key is keys[-1] else gap, 0, 0)
            yield key

    def on_resize(self) -> None:
        """Select the keys that fit the new width."""
        if self._fitted_columns not in (0, self.app.size.width):
            self.refresh(recompose=True)


def name_keys(keys: str, catalogue: Catalogue) -> str:
    """Return the names of keys as printed on a local keyboard, such as `Leertaste` for `Space` in German."""
    return " ".join(
        catalogue.text(Message(f"key_name.{key.lower()}")) if key in NAMED_KEYS else key for key in keys.split(" ")
    )


def _count_columns(keys: Iterable[FooterKey], gap: int) -> int:
    return sum(count_columns(f"{key.key_display} {key.description}") + gap for key in keys) - gap
