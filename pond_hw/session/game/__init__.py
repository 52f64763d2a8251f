"""Game sessions: turns, hints, exercises, menus and settings. This package builds on `pieces`."""
