"""What a cell of the board's menu stands for."""

from __future__ import annotations

from typing import NamedTuple


class MenuChoice(NamedTuple):
    """What a cell of the menu stands for.

    Attributes:
        kind: `variant`, `course`, `exercise`, `page` (another page of the menu), `value` (of the setting whose page is
            open) or `phones` (which sends them all away).
        name: of the variant, the course, the exercise, the page or the value.
        is_usual: whether it is the one to choose if one has no wish: the variant of now, the next exercise, the value of
            now.
    """

    kind: str
    name: str = ""
    is_usual: bool = False
