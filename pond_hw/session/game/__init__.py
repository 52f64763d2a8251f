"""The game as a conversation: turns, hints, exercises, menus and settings. It builds on `pieces`."""
