"""Tests of the manual: commands, examples and links."""

import doctest
import re
import shlex
from contextlib import suppress
from pathlib import Path

import pytest

from pond_hw.commands.main import build_parser
from tests.conftest import long_after_first

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("hardware/README.md"),
        *ROOT.glob("firmware/**/*.md"),
    )
    if path.name != "CHANGELOG.md"
)
PLACEHOLDERS = {
    "BOARD": "direct-4x4",
    "PROFILE": "direct-4x4",
    "POSITION": "standard",
    "VARIANT": "mini",
    "ACTION": "@b2",
    "DEPTH": "2",
    "FILE": "new.file",
    "FILE.pond": "tests/games/mini-patience.pond",
    "FOLDER": ".",
    "NAME": "name",
    "SHELL": "bash",
    "SOCKET": "/run/pond/pond.sock",
    "N": "1",
}
"""Values for the placeholders in commands."""


def shown_commands(page):
    """Yield the `pond` commands of a page, in blocks and sentences, without shell syntax."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^(?: {4}|```).*$", text, re.MULTILINE)
    for line in (*blocks, *re.findall(r"`([^`\n]+)`", text)):
        for command in re.split(r"\||;|&&", line.partition(" # ")[0]):
            if found := re.match(
                r"\s*(?:\$ )?(?:sudo (?:-u pond )?)?(?:\.venv/bin/|/usr/local/bin/)?pond( [^<>]*)$", command
            ):
                yield found[1].strip()


COMMANDS = sorted({(page.name, command) for page in PAGES for command in shown_commands(page) if "…" not in command})


def parse_command(command):
    """Parse a shown command. Return None for a placeholder such as COMMAND."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command) if word not in ("...", "\\")]
    if words and words[0].isupper():
        return None  # `pond COMMAND --help`
    try:
        return build_parser().read_command_line(words)
    except SystemExit as left:
        raise AssertionError(f"pond {command} is not understood") if left.code else HelpShown from None


class HelpShown(Exception):
    """Exception for a command that only prints help or the version."""


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_shown_commands_are_valid(page, command, monkeypatch):
    monkeypatch.chdir(ROOT)
    if command in build_parser().commands:  # only its name, in a sentence
        return
    with suppress(HelpShown):
        parse_command(command)


def test_many_commands_are_shown():
    assert len({command.split()[0] for _, command in COMMANDS}) > 20


RUNNABLE_COMMANDS = (
    "show",
    "legal",
    "apply",
    "perft",
    "replay",
    "boards",
    "statistics",
    "completion",
    "analyse",
    "export",
    "games",
)
"""Commands that end by themselves, without hardware."""


@pytest.mark.parametrize(
    "command",
    long_after_first(
        [command for _, command in dict(reversed(COMMANDS)).items() if command.split()[0] in RUNNABLE_COMMANDS]
    ),
)
def test_shown_commands_run(command, pond, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)]
    code, out, err = pond(*words)
    assert code in (0, 2)
    assert "Traceback" not in err
    assert out or err


def test_shown_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {(page.name, name) for page in PAGES for name in re.findall(r"`make ([a-z-]+)", page.read_text())}
    assert {name for _, name in shown} > {"play", "test", "docs"}
    assert [(page, name) for page, name in sorted(shown) if name not in targets] == []


def test_python_examples_run():
    for page in ("python.md",):
        result = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
        assert result.attempted >= 8
        assert result.failed == 0


def slug(heading):
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize(
    "page", sorted({*PAGES, *ROOT.glob("hardware/**/*.md")}), ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_have_targets(page):
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(#[^)]+)?\)", page.read_text(encoding="utf-8")):
        file = (page.parent / target) if target else page
        assert file.exists(), f"{page.name} points to {target}"
        if anchor:
            headings = map(slug, re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE))
            assert anchor[1:] in headings, f"{page.name} points to {target}{anchor}"


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
