"""The games that a journal holds: listed, shown, written as records, read from records, counted, deleted.

`times` and `rows` and `statistics` are pure, `commands` prints.
"""
