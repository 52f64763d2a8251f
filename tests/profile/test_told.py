"""Everything that the reader can say, held against told.txt, where it stands as a builder reads it."""

import re
from pathlib import Path

from tests.conftest import each
from tests.profile import texts

TOLD = Path(__file__).with_name("told.txt")
BLOCK = re.compile(r"^(\w+): (`.*`)\n((?:  .+\n)+)", re.MULTILINE)
CHANGE = re.compile(r"`([^`]*)` -> `([^`]*)`")


def blocks():
    """Each block: the profile, what is changed in it, and what is said then."""
    _, *parts = re.split(r"^== (.+) ==$", TOLD.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [
        (f"{heading} {number}", name, changes, [line[2:] for line in said.splitlines()])
        for heading, body in zip(parts[0::2], parts[1::2], strict=True)
        for number, (name, changes, said) in enumerate(BLOCK.findall(body), 1)
    ]


def meant(text):
    return re.sub(r"\\(.)", lambda sign: "\n" if sign[1] == "n" else sign[1], text)


@each(("block", "name", "changes", "said"), blocks())
def test_what_a_builder_reads(block, name, changes, said):
    pairs = [(meant(old), meant(new)) for old, new in CHANGE.findall(changes)]
    assert [str(fault) for fault in texts.faults(texts.edited(texts.ALL[name], *pairs))] == said


def test_no_block_is_overlooked():
    lines = TOLD.read_text(encoding="utf-8").splitlines()
    assert len(blocks()) == sum(" -> " in line for line in lines) > 100


@each("name", texts.ALL)
def test_without_a_change_nothing_is_said(name):
    assert texts.parse_profile(texts.ALL[name], name).name == name
