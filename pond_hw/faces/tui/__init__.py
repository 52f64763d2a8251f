"""The board in a terminal: its lamps, what happened in words, and keys and a mouse for fingers."""

from pond_hw.faces.tui.app import run

__all__ = ["run"]
