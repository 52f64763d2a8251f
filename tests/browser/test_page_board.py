"""The board of a page, in simulated time and without a browser."""

import json
import shutil
from random import Random

import pytest

from pond_hw.browser.page_board import BoardStart
from tests.browser.page_table import PageTable
from tests.conftest import each

MINI_GAME = {
    "command": "new",
    "variant": "mini",
    "players": {"light": None, "dark": "level-3"},
    "names": {"light": None, "dark": None},
}

DARK_TO_MOVE = "..../..../.E../.... d 12 13 0 0"


@pytest.fixture
def open_table():
    """Return a function that opens a `PageTable`. All of them are closed at the end."""
    tables = []

    def open_next(*args, **options):
        tables.append(PageTable(*args, **options))
        return tables[-1]

    yield open_next
    for table in tables:
        table.board.close()


def play_to_end(table, seed=1):
    """Play random legal actions for all people until the game is over."""
    rng = Random(seed)
    while not table.state["outcome"]:
        if table.is_persons_turn:
            table.play(rng.choice(table.state["legal"]))
        else:
            table.wait(0.5)
        assert table.clock.now() < 4000
    return table.state["outcome"]


def test_page_sees_board_at_once(open_table):
    table = open_table()
    assert table.shown["hello"]["own"] is True
    assert table.shown["hello"]["players"] == {"light": None, "dark": "level-2"}
    assert table.shown["you"]["seat"]["sides"] == ["light", "dark"]
    assert "seats" not in table.shown
    assert table.state["turn"] == 0


def test_page_plays_whole_game_against_program(open_table):
    table = open_table(seed=3)
    assert play_to_end(table)["winner"]
    assert len(table.actions) == table.state["turn"]


def test_new_game_needs_no_permission(open_table):
    table = open_table()
    table.play("@b2")
    table.send(**MINI_GAME)
    assert (table.state["variant"], table.state["turn"]) == ("mini", 0)
    assert table.shown["hello"]["players"] == {"light": None, "dark": "level-3"}
    assert play_to_end(table)


def test_biggest_variant_fits(open_table):
    table = open_table()
    table.send(**(MINI_GAME | {"variant": "big"}))
    assert table.variant.size == 5
    table.play("@e5")
    assert table.actions == ["@e5"]


def test_two_people_play_at_one_screen(open_table):
    table = open_table(players=("human", "human"))
    table.play("@b2")
    table.play("@c3")
    assert table.actions == ["@b2", "@c3"]
    table.send(command="undo", turn=2)
    assert table.actions == ["@b2"]
    table.send(command="redo", turn=2)
    assert table.actions == ["@b2", "@c3"]


def test_undo_reaches_back_to_person(open_table):
    table = open_table()
    table.play("@b2")
    table.wait(3)
    assert len(table.actions) == 2
    table.send(command="undo", turn=2)
    assert table.actions == []


def test_game_ends_by_resignation_and_agreement(open_table):
    table = open_table(players=("human", "human"))
    table.play("@b2")
    table.send(command="resign")
    assert table.state["outcome"] == {"winner": "light", "reason": "resignation"}
    table.send(command="new")
    table.play("@b2")
    table.send(command="draw")
    assert table.state["outcome"] == {"winner": None, "reason": "agreement"}


def test_hint_comes_from_thinker(open_table):
    table = open_table()
    table.send(command="hint")
    assert table.state["hint"]["action"] in table.state["legal"]


def test_what_if_changes_nothing(open_table):
    table = open_table()
    answers = table.send(ask="what_if", action="@b2")
    assert [each["type"] for each in answers] == ["what_if"]
    assert table.actions == []


def test_page_changes_its_language(open_table):
    table = open_table(language="nl")
    dutch = table.state["message"]
    table.send(language="en")
    assert table.state["message"] != dutch


def test_first_lesson_is_done_to_its_end(open_table):
    table = open_table()
    courses = next(each for each in table.send(ask="exercises"))["courses"]
    name = courses["lessons"][0]["name"]
    table.send(command="exercise", course="lessons", name=name)
    rng = Random(2)
    while not table.state["exercise"]["done"]:
        assert table.clock.now() < 2000
        lit = table.state["exercise"]["lit"]
        wanted = [action for action in table.state["legal"] if action[-2:] in lit] or table.state["legal"]
        table.play(rng.choice(wanted))
        table.wait(3)
    table.send(command="exercise", choice="leave")
    assert "exercise" not in table.state
    assert next(each for each in table.send(ask="exercises"))["courses"]["lessons"][0]["done"]


def test_hint_lesson_lights_no_cell_to_hold(open_table):
    table = open_table(lesson="hint")
    assert table.state["exercise"]["lit"] == []
    table.send(command="hint")
    assert table.state["exercise"]["step"] == 2


def test_lesson_begins_at_start(open_table):
    assert open_table(lesson="place").state["exercise"]["course"] == "lessons"


def test_position_begins_at_start(open_table):
    table = open_table(position=DARK_TO_MOVE)
    assert table.to_move == "dark"


def test_levels_that_think_are_not_answered_at_once(open_table):
    table = open_table(players=("level-3", "human"))
    table.board.pump()
    assert table.actions == []


def test_lost_thinker_is_replaced(open_table):
    table = open_table(players=("level-3", "human"))
    table.board.pump()
    table.board.handle_lost_thinker()
    table.wait(3)
    assert len(table.actions) == table.restarts == 1


# Saved games


def kill_tab(folder):
    """Return a copy of the folder, as the browser has stored it, while the first board still has it open."""
    return shutil.copytree(folder, folder.with_name("stored"))


def test_reload_continues_game_and_players(open_table, tmp_path):
    table = open_table(tmp_path / "games", players=("human", "level-4"))
    table.play("@b2")
    table.wait(3)
    actions = table.actions
    assert len(actions) == 2
    reloaded = open_table(kill_tab(tmp_path / "games"), players=("human", "human"))
    reloaded.pump()
    assert reloaded.actions == actions
    assert reloaded.shown["hello"]["players"] == {"light": None, "dark": "level-4"}
    assert reloaded.state["phase"] != "resume"
    assert play_to_end(reloaded)


def test_files_change_before_turn_is_news(open_table, tmp_path):
    table = open_table(tmp_path, players=("human", "human"))
    table.board.has_unsaved_files()
    assert not table.board.has_unsaved_files()
    table.board.hear(json.dumps({"command": "action", "action": "@b2"}))
    table.board.pump()
    assert table.board.has_unsaved_files()
    assert not table.board.has_unsaved_files()


def test_finished_game_is_listed_read_and_reviewed(open_table, tmp_path):
    table = open_table(tmp_path, players=("human", "human"))
    table.send(**(MINI_GAME | {"players": {"light": None, "dark": None}}))
    play_to_end(table)
    [listed] = table.send(ask="games")[0]["games"]
    game = table.send(ask="game", number=listed["number"])[0]
    assert [turn["action"] for turn in game["turns"]] == table.actions
    table.send(ask="analysis")
    table.wait(1)
    assert len(table.shown["analysis"]["turns"]) == len(table.actions)


def test_exported_game_is_imported_once(open_table, tmp_path):
    table = open_table(tmp_path / "old", players=("human", "human"))
    table.send(**(MINI_GAME | {"players": {"light": None, "dark": None}}))
    play_to_end(table)
    record = table.send(ask="game", number=1)[0]["record"]
    other = open_table(tmp_path / "new")
    for _ in range(2):
        assert other.send(**{"import": record}) == [{"type": "imported"}]
    assert len(other.send(ask="games")[0]["games"]) == 1
    other.play("@b2")
    assert other.actions[:1] == ["@b2"]


@pytest.mark.parametrize("record", ["", "nonsense", "# pond\n", "x" * 1000])
def test_invalid_record_is_refused(open_table, tmp_path, record):
    table = open_table(tmp_path)
    assert [each["type"] for each in table.send(**{"import": record})] == ["refused"]
    assert table.send(ask="games")[0]["games"] == []


def test_page_without_folder_saves_nothing(open_table):
    table = open_table()
    assert table.send(**{"import": "x"})[0]["type"] == "refused"
    assert not table.board.has_unsaved_files()


def test_storage_fault_is_shown_until_it_ends(open_table, tmp_path):
    table = open_table(tmp_path)
    table.board.report_storage("QuotaExceededError")
    table.pump()
    assert "QuotaExceededError" in table.state["unsaved"]
    table.play("@b2")
    assert "QuotaExceededError" in table.state["unsaved"]
    table.board.report_storage(None)
    table.pump()
    assert "unsaved" not in table.state


def test_reload_begins_exercise_again_above_its_game(open_table, tmp_path):
    table = open_table(tmp_path / "games", players=("human", "human"))
    table.play("@b2")
    table.send(command="exercise", course="lessons", name="grow")
    reloaded = open_table(kill_tab(tmp_path / "games"), players=("human", "human"))
    reloaded.pump()
    assert reloaded.state["exercise"]["title"] == table.state["exercise"]["title"]
    reloaded.send(command="exercise", choice="leave")
    assert reloaded.actions == ["@b2"]


def test_reload_after_exercise_shows_game(open_table, tmp_path):
    table = open_table(tmp_path / "games", players=("human", "human"))
    table.send(command="exercise", course="lessons", name="grow")
    table.send(command="exercise", choice="leave")
    reloaded = open_table(kill_tab(tmp_path / "games"))
    reloaded.pump()
    assert "exercise" not in reloaded.state


@pytest.mark.parametrize("content", [b"", b"[1]", b'["lessons", "none"]', b'["none", "grow"]', b"[" * 5000])
def test_unknown_exercise_is_ignored_after_reload(open_table, tmp_path, content):
    (tmp_path / "exercise.json").write_bytes(content)
    table = open_table(tmp_path, players=("human", "human"))
    table.pump()
    table.play("@b2")
    assert table.actions == ["@b2"]


# Pieces


def test_board_changes_to_pieces_and_back(open_table, tmp_path):
    table = open_table(tmp_path)
    table.play("@b2")
    table.send(board="pieces")
    assert table.shown["hello"]["pieces"] is True
    assert table.actions == []
    assert table.shown["table"] == {"type": "table", "standing": {}, "held": []}
    table.send(board="buttons")
    assert table.shown["hello"]["pieces"] is False
    assert len(table.send(ask="games")[0]["games"]) == 1


def test_piece_is_placed_lifted_and_moved(open_table):
    table = open_table(board="pieces", players=("human", "human"))
    table.send(drop="b2", owner="light")
    table.wait(3)
    assert table.actions == ["@b2"]
    assert table.shown["table"]["standing"] == {"b2": "light"}
    table.send(lift="b2")
    assert table.shown["table"] == {"type": "table", "standing": {}, "held": ["light"]}
    table.send(drop="b2")
    assert table.shown["table"]["standing"] == {"b2": "light"}


def test_held_piece_is_put_aside(open_table):
    table = open_table(board="pieces", players=("human", "human"))
    table.send(drop="b2", owner="light")
    table.send(lift="b2")
    table.send(aside=True)
    assert table.shown["table"] == {"type": "table", "standing": {}, "held": []}
    assert [each["type"] for each in table.send(aside=True)] == ["refused"]


def test_pieces_stand_again_after_reload(open_table, tmp_path):
    table = open_table(tmp_path / "games", board="pieces", players=("human", "human"))
    table.send(drop="b2", owner="light")
    table.wait(3)
    reloaded = open_table(kill_tab(tmp_path / "games"))
    reloaded.wait(2)
    assert reloaded.shown["table"]["standing"] == {"b2": "light"}
    assert reloaded.actions == ["@b2"]
    assert reloaded.state["phase"] == table.state["phase"]


def test_impossible_piece_requests_are_refused(open_table):
    table = open_table(board="pieces")
    assert [each["type"] for each in table.send(lift="b2")] == ["refused"]
    assert [each["type"] for each in table.send(lift="z9")] == ["refused"]
    buttons = open_table()
    assert [each["type"] for each in buttons.send(lift="b2")] == ["refused"]
    assert [each["type"] for each in buttons.send(aside=True)] == ["refused"]


# Requests


INVALID_MESSAGES = [
    *("", "{", "[]", "null", "7", '"new"', "{}", '{"board": "cards"}', '{"import": 7}', '{"lift": 7}', '{"aside": 1}'),
    *('{"command": "quit"}', '{"command": "action"}', '{"trial": {}}', '{"trial": 1}', '{"seat": ["light"]}'),
    *('{"ask": "game", "number": -1}', '{"command": "new", "variant": "huge"}', "[" * 100_000, "x" * 2_000_000),
]


def test_invalid_messages_are_refused(open_table):
    table = open_table(players=("human", "human"))
    for text in INVALID_MESSAGES:
        table.board.hear(text)
        table.pump()
        assert table.answers.pop()["type"] == "refused", text[:80]
    table.play("@b2")
    assert table.actions == ["@b2"]


def test_trial_finds_broken_sensor(open_table):
    table = open_table()
    table.send(trial={"start": {"fault": "never", "cell": "a3"}})
    for _ in range(3):
        table.send(trial={"press": "a3"})
        table.wait(0.3)
        table.send(trial={"release": "a3"})
        table.wait(0.3)
    for _ in range(40):
        if table.shown["trial"]["over"]:
            break
        for choice in table.shown["trial"]["choices"]:
            table.send(trial={"reply": choice["key"]})
        table.wait(0.5)
    assert table.shown["trial"]["is_found"]


def test_lamps_are_sent_if_page_shows_them(open_table):
    assert "frame" not in open_table().shown
    table = open_table(lamps=4)
    table.wait(0.1)
    assert len(table.shown["frame"]["cells"]["a1"]) == 4


def test_hidden_lamps_need_no_time(open_table):
    table = open_table()
    table.pump()
    assert table.board.pump() > 1


def test_start_is_parsed_from_address():
    fields = {"board": "pieces", "lesson": "hop", "lamps": "16", "players": "human,level-1"}
    start = BoardStart("pieces", "hop", None, 16, ("human", "level-1"))
    assert BoardStart.parse(fields | {"position": DARK_TO_MOVE}) == start._replace(position=DARK_TO_MOVE)
    assert BoardStart.parse({}) == BoardStart()


@each(
    "name, text",
    [
        ("board", "cards"),
        ("lesson", "../place"),
        ("position", "..../.... l 1 1 0 0"),
        ("lamps", "7"),
        ("players", "human"),
        ("players", "human,level-1,level-2"),
        ("players", "human,./a-program"),
        ("folder", "/games"),
    ],
)
def test_strange_start_is_refused(name, text):
    with pytest.raises(ValueError, match=name):
        BoardStart.parse({name: text})


def test_touch_on_board_shows_in_its_lamps(open_table):
    table = open_table(lamps=16, players=("human", "human"), position=DARK_TO_MOVE)
    before = table.shown["frame"]["cells"]
    table.send(touch="a1")
    table.wait(1)
    assert table.actions == ["@a1"]
    assert table.shown["frame"]["cells"]["a1"] != before["a1"]
    table.send(touch="b2")  # an egg can't move: the cell flashes red
    shown = []
    for _ in range(10):
        table.wait(0.1)
        shown.append(tuple(map(max, zip(*table.shown["frame"]["cells"]["b2"], strict=True))))
    assert any(red and not green and not blue for red, green, blue in shown), shown
