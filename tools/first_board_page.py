"""Generate the checks of docs/first-board.md from the list in the package: `make man`."""

import os
from collections.abc import Iterator
from pathlib import Path

from pond_hw.doctor.first_board import FirstCheck, numbered_sections, wrap_markdown
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.profile import Profile, list_shipped, load_profile
from tools.page_blocks import replace_blocks

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "first-board.md"
COLUMNS = 128


def page(text: str) -> str:
    return replace_blocks(text, {"checks": _check_lines()})


def _check_lines() -> Iterator[str]:
    profiles = [load_profile(name, measured=False) for name in list_shipped() if not name.startswith("simulated")]
    english = get_catalogue().text
    for number, (section, checks) in enumerate(numbered_sections(), start=1):
        yield f"## {number}. {english(Message(f'first_board.section.{section}'))}"
        for check_number, check in checks:
            how, see, measure, refutes, claim = (
                english(check.message(part, "BOARD", "the profile's `budget_ma`", "1 mA for each lamp of the profile"))
                for part in ("how", "see", "measure", "refutes", "claim")
            )
            link = os.path.relpath(DOCS.parent / check.source, DOCS)
            yield from ("", f"### {check_number} {claim}", "")
            items = {"Check": how, "You should see": see, "Measure": f"{measure}.", "If not": refutes}
            items["Boards"] = f"{_boards(check, profiles)}. [Claimed here]({link})."
            for label, text in items.items():
                yield from wrap_markdown(f"**{label}:** {text}", item=True, columns=COLUMNS)
        yield ""


def _boards(check: FirstCheck, profiles: list[Profile]) -> str:
    """Return the names of the shipped boards that a check applies to, or of the few that it doesn't apply to."""
    names = [profile.name for profile in profiles if check.fits(profile)]
    others = [profile.name for profile in profiles if not check.fits(profile)]
    if not names:
        return "only boards of your own"
    if len(others) < len(names):
        return f"all except {', '.join(others)}" if others else "all"
    return ", ".join(names)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
