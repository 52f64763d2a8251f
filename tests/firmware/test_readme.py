import re

import pytest

from pond_hw.profile import list_shipped
from tests.firmware.card import FIRMWARE

README = (FIRMWARE / "README.md").read_text(encoding="utf-8")
ROOT = FIRMWARE.parents[1]
CODE = [FIRMWARE / "pond-board", *FIRMWARE.glob("*.sh"), *FIRMWARE.glob("*.py"), *(ROOT / "pond_hw").rglob("*.py")]
SENTENCES = (ROOT / "pond_hw" / "messages" / "catalogues" / "en").glob("*.po")
SOURCES = [path.read_text(encoding="utf-8") for path in (*CODE, *SENTENCES)]
QUOTED_MESSAGES = re.findall(r'^\| "([^"]+)"(?! \(from systemctl)', README, re.MULTILINE)


@pytest.mark.parametrize("sentence", QUOTED_MESSAGES)
def test_quoted_messages_exist_in_the_code(sentence):
    assert any(sentence in source for source in SOURCES)


def test_readme_has_a_table_of_messages():
    assert len(QUOTED_MESSAGES) > 15


def test_readme_names_every_board():
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)?-[0-9]x[0-9])`", README))
    assert named == {name for name in list_shipped() if not name.startswith("simulated")}


def test_readme_starts_with_the_untested_warning():
    assert "Nothing here has been run on a Raspberry Pi yet" in README.split("\n\n")[1]
    above = (FIRMWARE.parent / "README.md").read_text(encoding="utf-8")
    assert "None of these files has been used on a real Raspberry Pi or Pico yet" in above


def test_readme_links_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (FIRMWARE / target).exists(), target


def test_table_of_models_matches_the_fragment():
    fragment = (FIRMWARE / "boot" / "spi-lamps.txt").read_text(encoding="utf-8")
    rows = {row.split("|")[1].split(",")[0].strip(): row for row in README.splitlines() if "`dtparam=spi=on`" in row}
    sections = dict(zip(*[iter(re.split(r"^\[(.+)\]\n", fragment, flags=re.MULTILINE)[1:])] * 2, strict=True))
    for model, section in (("Zero", "pi0"), ("3A+", "pi3"), ("4B", "pi4")):
        assert f"`{sections[section].strip()}`" in rows[model]
    assert "core_freq" not in rows["5"]
