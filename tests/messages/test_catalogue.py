"""The sentences: every language has them all, with the same gaps, and text is made of them."""

import ast
import re
from gettext import GNUTranslations
from pathlib import Path
from string import Formatter

import pytest

import pond_hw
from pond_hw.messages.catalogue import LANGUAGES, choose_language, get_catalogue
from pond_hw.messages.message import Message, PondError, as_message
from tests.messages.says import text

PACKAGE = Path(pond_hw.__file__).parent
FOLDERS = sorted((PACKAGE / "messages" / "catalogues").iterdir())


def entries(folder):
    """Every sentence of a language, by id; plural forms as a tuple."""
    with (folder / "pond.mo").open("rb") as compiled:
        catalog = GNUTranslations(compiled)._catalog
    found = {}
    for key, sentence in catalog.items():
        if isinstance(key, tuple):
            found.setdefault(key[0], {})[key[1]] = sentence
        elif key:
            found[key] = {None: sentence}
    return found


ENGLISH = entries(PACKAGE / "messages" / "catalogues" / "en")


def ids_in_code():
    """The ids that the package names, each as a pattern with its place: what an f-string leaves open may be any word."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
            if is_call and node.func.id in ("Message", "describe_action", "describe_sets"):
                yield file.relative_to(PACKAGE), node.lineno, id_pattern(node.args[0], node.func.id == "Message")


def id_pattern(argument, is_whole):
    match argument:
        case ast.Constant(str() as constant):
            pattern = re.escape(constant)
        case ast.JoinedStr(parts):
            pattern = "".join(
                re.escape(part.value) if isinstance(part, ast.Constant) else r"[a-z_0-9.]+" for part in parts
            )
        case _:
            return None
    return pattern if is_whole else rf"{pattern}\..*"


def test_every_id_in_the_code_has_a_sentence():
    places = [(file, line, pattern) for file, line, pattern in ids_in_code() if pattern]
    assert len(places) > 100
    assert [place for place in places if not any(re.fullmatch(place[2], known) for known in ENGLISH)] == []


def gaps(sentence):
    """The names in the gaps of a sentence, with how they are filled."""
    return {(name, spec) for _, name, spec, _ in Formatter().parse(sentence) if name is not None}


def test_a_sentence_with_several_forms_has_the_same_gaps_in_each_but_for_the_number():
    for sentence_id, forms in ENGLISH.items():
        several = [{name for name, _ in gaps(form)} - {"count"} for form in forms.values()]
        assert all(each == several[0] for each in several), sentence_id


@pytest.mark.parametrize("folder", [each for each in FOLDERS if each.name != "en"], ids=lambda each: each.name)
def test_a_language_knows_no_other_sentences_and_fills_the_same_gaps(folder):
    for sentence_id, forms in entries(folder).items():
        wanted = {name for form in ENGLISH[sentence_id].values() for name, _ in gaps(form)} - {"count"}
        for form in forms.values():
            assert {name for name, _ in gaps(form)} - {"count"} == wanted, sentence_id


def test_every_language_has_a_name():
    assert {folder.name for folder in FOLDERS} <= LANGUAGES.keys()


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (Message("illegal.not_empty", cell="c3"), "c3"),
        (Message("turn.place", side="light", cell="b2"), "Light"),
        (Message("turn.develop.frog", cells=("b2",), count=1), "b2 became a frog."),
        (Message("turn.develop.frog", cells=("a1", "b2", "c3"), count=3), "a1, b2 and c3 became frogs."),
        (Message("chosen.frog", cell="a1", cells=("b1", "c1")), "b1 or c1"),
        (Message("value.ahead", pieces=1.5, side="dark", other="light"), "1.5"),
        (Message("resume.ask", game=Message("game.not_begun", variant="mini", side="light", count=0, light=0, dark=0)), "mini"),
        (Message("action.wrong_notation", text="\x1b[31m"), "[31m"),
    ],
)  # fmt: skip
def test_gaps_are_filled(message, sentence):
    assert sentence in text(message)
    assert "\x1b" not in text(message)


def test_a_message_is_data():
    message = Message("turn.develop.frog", cells=("b2",), count=1)
    assert (
        message
        == Message("turn.develop.frog", cells=("b2",), count=1)
        != Message("turn.develop.egg", cells=("b2",), count=1)
    )
    assert message.to_json() == {"id": "turn.develop.frog", "arguments": {"cells": ("b2",), "count": 1}}


def test_an_error_speaks_english():
    error = PondError(Message("illegal.not_empty", cell="c3"))
    assert str(error) == text(error.message)
    assert error.message == Message("illegal.not_empty", cell="c3")
    assert str(PondError("spidev says no")) == "spidev says no"
    assert as_message(error.message) is error.message


def test_what_has_no_sentence_is_a_mistake():
    with pytest.raises(KeyError):
        get_catalogue().text(Message("no.such_sentence"))
    with pytest.raises(KeyError):
        get_catalogue().text(Message("illegal.not_empty"))


@pytest.mark.parametrize(
    ("wished", "environment", "language"),
    [
        (None, {}, "en"),
        ("nl", {"POND_LANGUAGE": "de"}, "nl"),
        (None, {"POND_LANGUAGE": "de", "LANG": "fr_FR.UTF-8"}, "de"),
        (None, {"LANG": "fr_FR.UTF-8"}, "fr"),
        (None, {"LC_ALL": "C", "LANG": "nl_NL.UTF-8"}, "nl"),
        (None, {"LANG": "xx"}, "en"),
    ],
)
def test_the_language_is_the_first_that_is_known(wished, environment, language):
    assert choose_language(wished, environment) == language


def test_several_messages_may_be_quoted_each_on_its_line():
    faults = (Message("printed.fit.pi", size=3, pitch=28), Message("text", text="So it is."))
    message = Message("build.impossible.sizes", board="kitchen", faults=faults)
    assert text(message) == f"The parts of kitchen don't fit:\n  {text(faults[0])}\n  So it is."
    assert message.to_json()["arguments"]["faults"] == tuple(fault.to_json() for fault in faults)
