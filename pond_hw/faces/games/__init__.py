"""The games that a journal holds: listed, shown, written as records, read from records, counted, deleted.

`times` and `rows` and `statistics` are pure, `commands` prints.
"""

LARGEST_RECORD = 1_000_000
"""Bytes of a game record; the longest game with a word to every turn has far fewer."""
