"""Generated blocks of a manual page, between `<!-- NAME ... -->` and `<!-- end of NAME -->`."""

import re
from collections.abc import Iterable, Mapping


def replace_blocks(text: str, blocks: Mapping[str, Iterable[str]]) -> str:
    """Replace the contents of blocks in a page. Raise ValueError if a block is not marked exactly once."""
    for name, lines in blocks.items():
        parts = re.split(rf"(?s)(<!-- {name}[^>]*-->\n).*?(\n<!-- end of {name} -->)", text)
        if len(parts) != 4:
            raise ValueError(f"{name} is marked {len(parts) // 3} times, not once")
        before, begin, end, after = parts
        text = "".join((before, begin, "\n".join(lines), end, after))
    return text
