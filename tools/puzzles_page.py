"""Generate the tables of puzzles in docs/curious.md from the shipped puzzles: `make man`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from pond_hw.puzzles.puzzle import GRADES, PuzzleKind, load_puzzles
from tools.page_blocks import replace_blocks

PAGE = Path(__file__).parents[1] / "docs" / "curious.md"


def page(text: str) -> str:
    return replace_blocks(text, {"levels": _level_rows(), "kinds": _kind_rows()})


def _level_rows() -> Iterator[str]:
    yield f"| grade | puzzles | {' | '.join(f'level {number}' for number in range(1, 13))} | mean solving level |"
    yield "|---" * 15 + "|"
    for grade in GRADES:
        puzzles = [puzzle for puzzle in load_puzzles() if puzzle.grade == grade]
        shares = [f"{mean(column):.0f} %" for column in zip(*(puzzle.levels for puzzle in puzzles), strict=True)]
        solving = mean(puzzle.solving_level for puzzle in puzzles)
        yield f"| {grade} | {len(puzzles)} | {' | '.join(shares)} | {solving:.1f} |"


def _kind_rows() -> Iterator[str]:
    ponds = Counter(puzzle.variant.name for puzzle in load_puzzles())
    yield f"| kind | {' | '.join(f'grade {grade}' for grade in GRADES)} | together |"
    yield "|---" * 7 + "|"
    for kind in PuzzleKind:
        counts = Counter(puzzle.grade for puzzle in load_puzzles() if puzzle.kind is kind)
        yield f"| `{kind}` | {' | '.join(str(counts[grade]) for grade in GRADES)} | {counts.total()} |"
    yield ""
    yield f"Puzzles on each pond: {', '.join(f'{name} {count}' for name, count in ponds.most_common())}."


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
