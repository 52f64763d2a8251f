"""Tests of the catalogues and of the messages in the code."""

import ast
import re
from collections import defaultdict
from functools import cache
from gettext import GNUTranslations
from itertools import groupby
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import pond_hw
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, LANGUAGES, Catalogue, choose_language, get_catalogue
from pond_hw.messages.message import Message, PondError, as_message
from tests.messages.says import text

PACKAGE = Path(pond_hw.__file__).parent
FOLDERS = sorted((PACKAGE / "messages" / "catalogues").iterdir())
ENGLISH_FOLDER = PACKAGE / "messages" / "catalogues" / "en"
OTHER_FOLDERS = [folder for folder in FOLDERS if folder.name != "en"]
EACH_LANGUAGE = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
EACH_OTHER_LANGUAGE = pytest.mark.parametrize("folder", OTHER_FOLDERS, ids=lambda folder: folder.name)


# Compiled and source catalogues


def compiled_entries(folder):
    """Return the singular and plural forms of every message in a language, by id."""
    with (folder / "pond.mo").open("rb") as compiled:
        catalog = GNUTranslations(compiled)._catalog
    entries_by_id = {}
    for key, sentence in catalog.items():
        if key:
            entries_by_id.setdefault(key[0] if isinstance(key, tuple) else key, []).append(sentence)
    return entries_by_id


def catalogue_entries(folder):
    """Yield the name and the entries of each .po file, in order."""
    for file in sorted(folder.glob("*.po")):
        with file.open("rb") as opened:
            yield file.name, [entry for entry in read_po(opened, folder.name) if entry.id]


def id_of(entry):
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def forms_of(entry):
    return [entry.string] if isinstance(entry.string, str) else list(entry.string)


ENGLISH = compiled_entries(ENGLISH_FOLDER)


@EACH_LANGUAGE
def test_compiled_catalogue_is_up_to_date(folder):
    """Run `make messages` after changing a .po file."""
    entries = [entry for _, entries in catalogue_entries(folder) for entry in entries if "".join(forms_of(entry))]
    entries_by_id = {id_of(entry): forms_of(entry) for entry in entries}
    assert compiled_entries(folder) == entries_by_id


@EACH_LANGUAGE
def test_no_message_is_empty_or_fuzzy(folder):
    entries = [(catalogue_name, entry) for catalogue_name, entries in catalogue_entries(folder) for entry in entries]
    assert [(catalogue_name, id_of(entry)) for catalogue_name, entry in entries if not all(forms_of(entry))] == [], (
        "empty"
    )
    assert [(catalogue_name, id_of(entry)) for catalogue_name, entry in entries if entry.fuzzy] == [], "fuzzy"


@EACH_LANGUAGE
def test_ids_are_unique_and_grouped(folder):
    every_id = []
    for catalogue_name, entries in catalogue_entries(folder):
        ids = [id_of(entry) for entry in entries]
        areas = [area for area, _ in groupby(each.partition(".")[0] for each in ids)]
        assert len(areas) == len(set(areas)), f"{catalogue_name}: {areas}"
        every_id += ids
    assert len(every_id) == len(set(every_id))
    assert [
        each for each in every_id if not re.fullmatch(r"text|[a-z0-9_]+(\.[a-z0-9_]+){1,3}(@(terminal|phone))?", each)
    ] == []


@EACH_OTHER_LANGUAGE
def test_ids_follow_the_english_order(folder):
    english = {
        catalogue_name: [id_of(entry) for entry in entries]
        for catalogue_name, entries in catalogue_entries(ENGLISH_FOLDER)
    }
    for catalogue_name, entries in catalogue_entries(folder):
        assert [id_of(entry) for entry in entries] == english[catalogue_name], catalogue_name


PLAYER_CATALOGUES = {
    "cards",
    "commands_play",
    "common",
    "drivers",
    "engine",
    "exercises",
    "games",
    "journal",
    "link",
    "puzzles",
    "rules",
    "session",
    "settings",
    "tui",
}
PLAYER_CATALOGUES |= {"remote", "web", "web_moments", "web_own", "web_page", "web_trial"}
BUILDER_CATALOGUES = {"blackbox", "commands_workshop", "doctor", "findings", "first_board", "setup", "wiring"}


@EACH_OTHER_LANGUAGE
def test_player_catalogues_are_complete(folder):
    assert {file.stem for file in folder.glob("*.po")} >= PLAYER_CATALOGUES


@EACH_OTHER_LANGUAGE
def test_builder_catalogues_are_complete(folder):
    builder_catalogues = BUILDER_CATALOGUES if folder.name in BUILDER_LANGUAGES else set()
    assert {file.stem for file in folder.glob("*.po")} == PLAYER_CATALOGUES | builder_catalogues


def list_placeholders(sentence):
    """Return the name and format of each placeholder."""
    return {(name, spec) for _, name, spec, _ in Formatter().parse(sentence) if name is not None}


def test_plural_forms_have_the_same_placeholders():
    for sentence_id, forms in ENGLISH.items():
        several = [{name for name, _ in list_placeholders(form)} - {"count"} for form in forms]
        assert all(each == several[0] for each in several), sentence_id


@EACH_OTHER_LANGUAGE
def test_translations_have_the_english_placeholders(folder):
    for sentence_id, forms in compiled_entries(folder).items():
        expected = {gap for form in ENGLISH[sentence_id] for gap in list_placeholders(form)} | {("count", "")}
        for form in forms:
            assert list_placeholders(form) <= expected, sentence_id
            assert {name for name, _ in list_placeholders(form)} | {"count"} == {name for name, _ in expected}, (
                sentence_id
            )


@EACH_LANGUAGE
def test_number_of_plural_forms(folder):
    expected = Catalog(folder.name).num_plurals
    several = [
        entry for _, entries in catalogue_entries(folder) for entry in entries if not isinstance(entry.string, str)
    ]
    assert [id_of(entry) for entry in several if len(forms_of(entry)) != expected] == []


def test_french_punctuation_follows_a_no_break_space():
    """Otherwise, a line could begin with a question mark."""
    french = compiled_entries(PACKAGE / "messages" / "catalogues" / "fr")
    breakable = {key for key, forms in french.items() if re.search(r"[^!?] [!?:;»]|« ", " ".join(forms))}
    assert breakable == {"moves.signs"}  # the signs stand before their names


def test_every_language_has_a_name():
    assert {folder.name for folder in FOLDERS} <= LANGUAGES.keys()


@pytest.mark.parametrize("word", ["the wood", "felt", "feels", "whoever", "leave off", "comes to", "as it were"])
def test_no_dialect_words(word):
    assert [each for each, forms in ENGLISH.items() if re.search(rf"\b{word}\b", " ".join(forms).lower())] == []


# Messages in the code

ANY_WORD = r"[a-z_0-9.]+"
TAKES_AN_ID = ("Message", "_find_word", "explain_system_errors")
TAKES_A_SUBJECT = {"describe_action": 0, "describe_sets": 0, "_describe_developed": 0, "describe_preview": 1}
"""Functions that build ids such as `turn.place` from a subject such as `turn`, with the index of that argument."""


def source_trees():
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE), ast.parse(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def code():
    return Code()


class Code:
    """The parsed modules of the package.

    Attributes:
        words: all string constants.
        messages: all calls that create a message: place, called function, pattern of the id, call node.
    """

    def __init__(self):
        nodes = [(file, node) for file, tree in source_trees() for node in ast.walk(tree)]
        constants = (node.value for _, node in nodes if isinstance(node, ast.Constant))
        self.words = {constant for constant in constants if isinstance(constant, str)}
        calls = [
            (f"{file}:{node.lineno}", node.func.id if isinstance(node.func, ast.Name) else node.func.attr, node)
            for file, node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        ]
        self.subject = "|".join(map(re.escape, sorted({"preview", *find_subjects(calls)})))  # the default subjects
        self.messages = [
            (place, name, pattern, call)
            for place, name, call in calls
            if name in TAKES_AN_ID and call.args
            for pattern in self.id_patterns(call.args[0])
        ]

    def id_patterns(self, argument):
        """Yield patterns for the ids that an expression can produce. A placeholder in an f-string matches any word."""
        match argument:
            case ast.Constant(str() as constant):
                yield re.escape(constant)
            case ast.IfExp(body=one, orelse=other):
                yield from (*self.id_patterns(one), *self.id_patterns(other))
            case ast.JoinedStr(parts):
                yield "".join(map(self.part_pattern, parts))

    def part_pattern(self, part):
        match part:
            case ast.Constant(constant):
                return re.escape(constant)
            case ast.FormattedValue(ast.Name("subject")):
                return f"({self.subject})"
        return ANY_WORD


def find_subjects(calls):
    for _, name, call in calls:
        arguments = call.args[TAKES_A_SUBJECT.get(name, 99) :][:1]
        yield from (each.value for each in arguments if isinstance(each, ast.Constant))


@cache
def matching_ids(pattern):
    """Return the known ids that match a pattern. Most patterns are simply an id."""
    plain = pattern.replace("\\", "")
    if re.escape(plain) == pattern:
        return [plain] if plain in ENGLISH else []
    return list(filter(re.compile(pattern).fullmatch, ENGLISH))


def test_ids_in_the_code_exist(code):
    assert len(code.messages) > 100
    unknown = [(place, pattern) for place, _, pattern, _ in code.messages if not matching_ids(pattern)]
    assert unknown == []


def test_every_message_is_used(code):
    fillings = {spec for forms in ENGLISH.values() for form in forms for _, spec in list_placeholders(form) if spec}
    patterns = [pattern for _, _, pattern, _ in code.messages if not pattern.startswith(ANY_WORD)]
    patterns += [rf"{re.escape(spec)}\.[a-z_]+" for spec in fillings]
    messages = re.compile("|".join(f"({pattern})" for pattern in sorted(set(patterns))))
    plain_ids = {known.partition("@")[0] for known in ENGLISH}
    plain_ids -= {known for known in plain_ids if known.startswith("page.")}  # tests/web/test_page_files.py looks there
    assert [known for known in plain_ids if known not in code.words and not messages.fullmatch(known)] == []


def test_surface_specific_message_uses_known_arguments():
    for own_id in filter(lambda known: "@" in known, ENGLISH):
        plain_id = own_id.partition("@")[0]
        assert needed_arguments(ENGLISH[own_id]) <= needed_arguments(ENGLISH[plain_id]), own_id


def needed_arguments(forms):
    """Return the names of the arguments that a message needs. Plural forms need `count`."""
    return {name for form in forms for name, _ in list_placeholders(form)} | ({"count"} if len(forms) > 1 else set())


def test_messages_have_all_arguments(code):
    """A call whose id is a pattern needs the arguments of at least one matching id."""
    incomplete = []
    for place, name, pattern, call in code.messages:
        if name != "Message" or any(keyword.arg is None for keyword in call.keywords):
            continue  # it passes arguments as a mapping
        given = {keyword.arg for keyword in call.keywords}
        missing = [needed_arguments(ENGLISH[known]) - given for known in matching_ids(pattern)]
        incomplete += [(place, pattern, *missing)] if missing and all(missing) else []
    assert incomplete == []


# Text


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (Message("illegal.not_empty", cell="c3"), "c3"),
        (Message("turn.place", side="light", cell="b2"), "Light"),
        (Message("turn.develop.frog", cells=("b2",), count=1), "b2 became a frog."),
        (Message("turn.develop.frog", cells=("a1", "b2", "c3"), count=3), "a1, b2 and c3 became frogs."),
        (Message("turn.set.egg", cells=("a1", "b1", "c1"), count=3), "3 eggs"),
        (Message("chosen.frog", cell="a1", cells=("b1", "c1")), "b1 or c1"),
        (Message("value.good", side="dark"), "Dark"),
        (Message("worth.level", pieces=1.5), "1.5"),
        (Message("pending.wait", seconds=3.0, side="dark"), "3 s"),
        (Message("resume.ask", game=Message("game.not_begun", variant="mini", side="light")), "Mini"),
        (Message("puzzle.answer", action="@b4"), "The answer is an egg on b4."),
        (Message("puzzle.answer", action="b2b3"), "The answer is b2 to b3."),
        (Message("action.wrong_notation", text="\x1b[31m"), "[31m"),
    ],
)
def test_placeholders_are_filled(message, sentence):
    assert sentence in text(message)
    assert "\x1b" not in text(message)


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("No space left", "Can't read a.pond: No space left."),
        ("Make room (see README.md).", "Can't read a.pond: Make room (see README.md)."),
        ("Really?", "Can't read a.pond: Really?"),
        ("there is no /tmp/..", "Can't read a.pond: there is no /tmp/..."),
        ("it says “No.”", "Can't read a.pond: it says “No.”."),
    ],
)
def test_full_stop_after_an_argument_is_not_repeated(reason, sentence):
    assert text(Message("recording.unreadable", file="a.pond", reason=reason)) == sentence
    assert text(Message("recording.unreadable", file="a.pond", reason=as_message(reason))) == sentence


@EACH_LANGUAGE
def test_no_message_can_end_with_two_full_stops(folder):
    catalogue, values = get_catalogue(folder.name), defaultdict(lambda: "There is none.")
    with_two_stops = []
    for entry_id, forms in compiled_entries(folder).items():
        for form in forms:
            if not any(format_spec for _, _, format_spec, _ in Formatter().parse(form)):
                messages = catalogue.vformat(form, (), values)
                with_two_stops += [entry_id] if "none.." in messages else []
    assert with_two_stops == []


def test_message_equality_and_json():
    message = Message("turn.develop.frog", cells=("b2",), count=1)
    assert (
        message
        == Message("turn.develop.frog", cells=("b2",), count=1)
        != Message("turn.develop.egg", cells=("b2",), count=1)
    )
    assert message.to_json() == {"id": "turn.develop.frog", "arguments": {"cells": ("b2",), "count": 1}}


def test_error_shows_its_message():
    error = PondError(Message("illegal.not_empty", cell="c3"))
    assert str(error) == str(error.message) == "Message('illegal.not_empty', cell='c3')"
    assert error.message == Message("illegal.not_empty", cell="c3")
    assert str(PondError("spidev says no")) == "spidev says no"
    assert as_message(error.message) is error.message


def test_untranslated_message_is_entirely_english():
    message = Message("variant.unknown", name="9x9", names=("mini", "big"))
    dutch = get_catalogue("nl")
    assert "mini of big" in dutch.text(message)
    half_done = Catalogue("xx")
    assert half_done.text(message) == text(message)
    assert "mini or big" in half_done.text(message)


def test_phone_has_its_own_message():
    done = Message("exercise.done.buttons")
    board, terminal, phone = (get_catalogue("en", surface).text(done) for surface in ("board", "terminal", "phone"))
    assert "a1" in board == terminal
    assert "a1" not in phone
    assert Catalogue("xx", "phone").text(done) == phone  # missing messages are in English, for the same surface


LOCAL = Message("text.local", texts=("en=Ask.", "nl=Vraag.", "en@phone=Tap.", "nl@phone=Tik."))


@pytest.mark.parametrize(
    ("language", "surface", "sentence"),
    [
        ("nl", "board", "Vraag."),
        ("nl", "phone", "Tik."),
        ("de", "phone", "Tap."),
        ("de", "terminal", "Ask."),
    ],
)
def test_text_for_language_and_surface_is_chosen(language, surface, sentence):
    assert get_catalogue(language, surface).text(LOCAL) == sentence


def test_unknown_id_or_missing_argument_is_rejected():
    with pytest.raises(KeyError):
        get_catalogue().text(Message("no.such_sentence"))
    with pytest.raises(KeyError):
        get_catalogue().text(Message("illegal.not_empty"))


@pytest.mark.parametrize(
    ("option", "environment", "language"),
    [
        (None, {}, "en"),
        ("nl", {"POND_LANGUAGE": "de"}, "nl"),
        (None, {"POND_LANGUAGE": "de", "LANG": "fr_FR.UTF-8"}, "de"),
        (None, {"LANG": "fr_FR.UTF-8"}, "fr"),
        (None, {"LC_ALL": "C", "LANG": "nl_NL.UTF-8"}, "en"),
        (None, {"LC_ALL": "", "LANG": "nl-BE@euro"}, "nl"),
        ("xx", {"POND_LANGUAGE": "yy", "LANG": "de"}, "de"),
        (None, {"LANG": "xx"}, "en"),
        (None, {"POND_LANGUAGE": "de", "LC_ALL": "fr_FR.UTF-8"}, "de"),
    ],
)
def test_choose_language(option, environment, language):
    assert choose_language(option, environment) == language


def test_listed_messages_are_on_separate_lines():
    faults = (Message("printed.fit.magnet", width=10, height=5, piece=20), Message("text", text="So it is."))
    message = Message("build.impossible.sizes", board="kitchen", faults=faults)
    assert text(message) == f"The parts of kitchen don't fit:\n  {text(faults[0])}\n  So it is."
    assert message.to_json()["arguments"]["faults"] == tuple(fault.to_json() for fault in faults)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_nested_messages_are_translated(count):
    choices = tuple(Message("menu.exercise", cell="a1", title=Message("setting.back")) for _ in range(count))
    for language, back in {"en": "back", "de": "zurück", "nl": "terug", "fr": "retour"}.items():
        messages = get_catalogue(language).text(Message("menu.choose_exercise", exercises=choices))
        assert messages.count(f"a1 {back}") == count
