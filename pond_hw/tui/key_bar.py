"""The keys at the bottom of a window, in the reader's language."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from pond_hw.messages.message import Message
from pond_hw.tui.terminal import find_catalogue


class KeyBar(Footer):
    """The keys of a screen. Its bindings name messages: a `description` is `key.NAME`, a `tooltip` is `command.NAME`."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(compact=True, classes=classes)

    def compose(self) -> ComposeResult:
        """One widget a key."""
        text = find_catalogue(self).text
        for key_widget in super().compose():
            if isinstance(key_widget, FooterKey):
                key_widget.description = text(Message(f"key.{key_widget.description}"))
                if key_widget.tooltip:
                    key_widget.tooltip = text(Message(f"command.{key_widget.tooltip}"))
            yield key_widget
