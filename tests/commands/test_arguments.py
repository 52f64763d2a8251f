"""Tests of the arguments that several commands share."""

import subprocess
import sys

import pytest

from pond_hw import tui
from pond_hw.commands import main, replay
from pond_hw.companion import SimulatedClock
from pond_hw.companion.saved_state import open_with_resume_prompt
from pond_hw.engine import SeatedPlayers, make_player
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, LANGUAGES, Catalogue, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, parse_variant
from pond_hw.server import board_run, setup_lines
from pond_hw.session import Session
from pond_hw.tui import setup_app
from pond_hw.tui.dialogs import GameChoice
from pond_hw.tui.local_table import LocalTable, TableOptions
from tests.conftest import each
from tests.journal.journal_folder import JournalFolder, play_on
from tests.messages.says import assert_refused, text
from tests.tui.test_replay_app import GAMES

SETTINGS = ("POND_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture
def opened_languages(monkeypatch):
    opened = []
    monkeypatch.setattr(tui, "play_simulated", lambda _pond, _seated, _options, language, **_: opened.append(language))
    monkeypatch.setattr(tui, "play_connected", lambda _paths, language: opened.append(language))
    monkeypatch.setattr(replay, "_step_through", lambda _record, _lamps, language: opened.append(language))
    monkeypatch.setattr(setup_app, "run", lambda *_, language, **__: opened.append(language))
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    return opened


COMMANDS = (
    ["play", "--unsaved"],
    ["play", "--connect", "somewhere"],
    ["setup", "--board", "direct-4x4", "--pretend"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_screen_uses_the_chosen_language(opened_languages, monkeypatch, command):
    assert main.main(command) == 0
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert main.main(command) == 0
    monkeypatch.setenv("POND_LANGUAGE", "de")
    assert main.main(command) == 0
    assert main.main([*command, "--language", "nl"]) == 0
    assert opened_languages == (["en", "en", "en", "nl"] if command[0] == "setup" else ["en", "fr", "de", "nl"])


def test_replay_uses_the_chosen_language(opened_languages, monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    record = str(GAMES / "mini-patience.pond")
    monkeypatch.setattr(replay, "sys", type("System", (), dict.fromkeys(("stdin", "stdout", "stderr"), Terminal())))
    assert main.main(["replay", record, "--language", "de"]) == 0
    assert opened_languages == ["de"]


def test_unknown_language_is_refused(pond):
    assert_refused(pond("play", "--language", "xx"), "en, nl, de")


PRINTING = {
    "games": Message("games.column.turns"),
    "show-game 1": Message("show_game.label.begun"),
    "statistics": Message("statistics.label.result"),
    "analyse 1 --depth 1": Message("analysis.legend"),
    "replay 1 --text": Message("outcome.resignation", winner="light", loser="dark"),
    "resume 2": Message("resuming.offered", number=2, size=4),
}


@pytest.mark.parametrize("command", PRINTING)
def test_printed_text_uses_the_chosen_language(tmp_path, monkeypatch, capsys, command):
    stored = JournalFolder(tmp_path)
    stored.play("@b2 @b3 @c3 resign", light="Ada", dark="Ben")
    stored.play("@b2 @b3", light="Ada", dark="Ben")
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    message = PRINTING[command]
    for options, language in (([], "en"), (["--language", "nl"], "nl")):
        assert main.main([*command.split(), "--journal", str(tmp_path), *options]) == 0
        assert get_catalogue(language).text(message).split()[0] in capsys.readouterr().out
    monkeypatch.setenv("LANG", "nl_NL.UTF-8")
    assert main.main([*command.split(), "--journal", str(tmp_path)]) == 0
    assert get_catalogue("nl").text(message).split()[0] in capsys.readouterr().out


LINES = b'{"touch":"b2"}\n{"touch":"b2"}\n{"ask":"nothing"}\n'


def headless(*options, **settings):
    command = [sys.executable, "-m", "pond_hw", *options]
    return subprocess.run(command, input=LINES, env=settings, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("boards direct-4x4", Message("boards.label.lamps")),
        ("report", Message("report.title")),
        ("doctor --board simulated-4x4", Message("doctor.subject.profile")),
        ("replay-board BOX --text", Message("recording.touch.down", cell="b2")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_builder_commands_print_dutch(tmp_path, capsys, command, message):
    box = tmp_path / "evening.box"
    headless("headless", "--record", str(box))
    for language in ("en", "nl"):
        main.main([*command.replace("BOX", str(box)).split(), "--language", language])
        assert get_catalogue(language).text(message) in capsys.readouterr().out


BUILDER_COMMANDS = ("boards direct-4x4", "doctor --board simulated-4x4", "report --board hall-5x5")


@pytest.fixture
def read_languages(monkeypatch):
    """Languages of all messages looked up."""
    read = []

    def find_entry(self, *entry, find=Catalogue._find_entry):
        read.append(self.language)
        return find(self, *entry)

    monkeypatch.setattr(Catalogue, "_find_entry", find_entry)
    return read


@pytest.mark.slow
def test_builder_commands_fall_back_to_english(pond, tmp_path, monkeypatch, read_languages):
    box = tmp_path / "evening.box"
    headless("headless", "--record", str(box))
    monkeypatch.delenv("POND_LANGUAGE", raising=False)
    for language in LANGUAGES.keys() - BUILDER_LANGUAGES.keys():
        monkeypatch.setenv("LC_ALL", f"{language}_XX.UTF-8")
        for command in (*BUILDER_COMMANDS, f"replay-board {box} --text"):
            main.main(command.split())
            refusal = f"pond: --language can't be “{language}”. Choose one of en, nl.\n"
            assert pond(command.split()[0], "--language", language)[2].startswith(refusal)
    assert set(read_languages) == {"en"}


def test_builder_commands_are_entirely_in_dutch(read_languages):
    for command in BUILDER_COMMANDS:
        main.main([*command.split(), "--language", "nl"])
    assert set(read_languages) == {"nl"}


@pytest.mark.slow
def test_headless_defaults_to_english():
    english = headless("headless")
    assert headless("headless", POND_LANGUAGE="nl", LC_ALL="fr_FR.UTF-8", LANG="de") == english
    assert "aan de beurt" in headless("headless", "--language", "nl").decode()


def test_headless_setup_defaults_to_english(monkeypatch):
    asked = []
    monkeypatch.setattr(setup_lines, "run_real", lambda _, *, language: asked.append(language))
    monkeypatch.setenv("POND_LANGUAGE", "de")
    main.main(["setup", "--board", "direct-4x4", "--headless"])
    main.main(["setup", "--board", "direct-4x4", "--headless", "--language", "nl"])
    assert asked == ["en", "nl"]


@pytest.fixture
def stored(tmp_path):
    (tmp_path / "state").mkdir()
    return JournalFolder(tmp_path / "state")


class TestNames:
    def test_human_name_is_saved_beside_a_program(self, pond, stored):
        seated = SeatedPlayers((None, make_player("greedy", 1)), ("Ada", None))
        start = Session.start_game(parse_variant("mini"))
        session, journal = open_with_resume_prompt(stored.folder, start, 0.0, board="t", seated=seated, threaded=False)
        play_on(journal, session, "@b2")
        journal.close()
        assert [stored.games[0].facts[side] for side in ("light", "dark")] == ["Ada", "greedy"]

    def test_names_are_saved_from_a_terminal(self, stored):
        people = SeatedPlayers(names=("Ada", "Ben"))
        table = LocalTable(STANDARD, people, TableOptions(4, SimulatedClock(), folder=stored.folder))
        table.touch_cell("b2")
        table.step()
        assert table.begin_game(GameChoice(parse_variant("big"), ("human", "human")))
        table.touch_cell("e5")
        table.step()
        table.close()
        assert [(game.facts["light"], game.facts["dark"]) for game in stored.games] == [("Ada", "Ben")] * 2

    def test_names_are_taken_from_the_command_line(self, monkeypatch):
        given = []
        monkeypatch.setattr(board_run.BoardRun, "run", lambda run: given.append(run.names))
        monkeypatch.setattr(tui, "play_simulated", lambda _, seated, *__, **___: given.append(seated.names))
        for command in (["serve", "--board", "simulated-4x4"], ["play"], ["play", "--dark", "human"]):
            assert main.main([*command, "--unsaved", "--names", " Ada ,"]) == 0
        assert main.main(["play", "--unsaved"]) == 0
        assert given == [("Ada", None), ("Ada", None), ("Ada", None), (None, None)]

    def test_level_words_choose_levels(self, monkeypatch):
        given = []
        monkeypatch.setattr(tui, "play_simulated", lambda _, seated, *__, **___: given.append(seated.players))
        assert main.main(["play", "--unsaved", "--light", "strongest", "--dark", "club"]) == 0
        assert [player.name for player in given[0]] == ["level-12", "level-7"]

    def test_single_name_goes_to_the_only_human(self, monkeypatch, capsys):
        given = []
        monkeypatch.setattr(tui, "play_simulated", lambda _, seated, *__, **___: given.append(seated.names))
        assert main.main(["play", "--unsaved", "--names", "Ada"]) == 0
        assert main.main(["play", "--unsaved", "--light", "greedy", "--dark", "human", "--names", "Ben"]) == 0
        assert given == [("Ada", None), (None, "Ben")]
        assert main.main(["play", "--unsaved", "--dark", "human", "--names", "Ada"]) == 2
        assert capsys.readouterr().err == f"pond: {text(Message('argument.two_names_needed'))}\n"

    @each("inside", ["", "/deeper/still"])
    def test_file_as_journal_folder_is_refused(self, monkeypatch, capsys, tmp_path, inside):
        monkeypatch.setattr(tui, "play_simulated", lambda *_, **__: pytest.fail("the game started"))
        (tmp_path / "file").touch()
        assert main.main(["play", "--journal", f"{tmp_path}/file{inside}"]) == 2
        assert (
            capsys.readouterr().err == f"pond: {text(Message('argument.journal_no_folder', path=f'{tmp_path}/file'))}\n"
        )

    @each(
        "names, kind, arguments",
        [
            ("Ada,Ben,Eve", "too_many_names", {}),
            (",Ben", "name_of_program.dark", {"program": "level-2", "person": "Ben"}),
            ("greedy,", "taken_name", {"name": "greedy"}),
            ("x" * 31 + ",", "bad_name", {"name": "x" * 20, "longest": 30}),
            ("\x1b[2J,", "bad_name", {"name": "\x1b[2J", "longest": 30}),
        ],
    )
    def test_invalid_names_are_refused(self, capsys, names, kind, arguments):
        try:
            code = main.main(["play", "--names", names])
        except SystemExit as stop:
            code = stop.code
        assert code == 2
        assert text(Message(f"argument.{kind}", **arguments)) in capsys.readouterr().err
