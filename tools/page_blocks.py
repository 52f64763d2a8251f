"""Blocks of a manual page that are generated, between `<!-- NAME ... -->` and `<!-- end of NAME -->`."""

import re
from collections.abc import Iterable, Mapping


def replace_blocks(text: str, blocks: Mapping[str, Iterable[str]]) -> str:
    """Return the text of a page with the lines of these blocks replaced.

    Raises:
        ValueError: a block is not marked exactly once.
    """
    for name, lines in blocks.items():
        parts = re.split(rf"(?s)(<!-- {name}[^>]*-->\n).*?(\n<!-- end of {name} -->)", text)
        if len(parts) != 4:
            raise ValueError(f"{name} is marked {len(parts) // 3} times, not once")
        before, begin, end, after = parts
        text = "".join((before, begin, "\n".join(lines), end, after))
    return text
