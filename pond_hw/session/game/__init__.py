"""The conversation about a game: turns, hints, odds, exercises, menus and settings. It knows `pieces`."""
