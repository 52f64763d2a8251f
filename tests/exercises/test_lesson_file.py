"""Lesson files: parsing, checks, and error messages with their location."""

import os

import pytest

from pond_hw.exercises import LessonError, load_lesson, load_lessons, parse_lesson
from pond_hw.exercises.lesson_file import SHIPPED_FOLDER
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import Action, legal_actions, play
from pond_hw.session import GoalKind
from tests.conftest import each

GOOD = """
title = "Mine"
position = "..e/.T./... l 8 8 0 0"
[[step]]
task.en = "Move to b1."
task.nl = "Ga naar b1."
goal = "move"
actions = ["b2b1"]
light = ["b2"]
replies = ["@a3"]
[[step]]
task = "Place an egg."
goal = "place"
"""

HEAD = 'title = "Mine"\nposition = "..e/.T./... l 8 8 0 0"\n'


def ids(message):
    """Return the ids of a message and its nested messages, from the outside in."""
    found = [message.id]
    for argument in message.arguments.values():
        if isinstance(argument, Message):
            found += ids(argument)
    return found


def fault(text):
    with pytest.raises(LessonError) as wrong:
        parse_lesson(text, "mine")
    assert get_catalogue().text(wrong.value.message)  # the message has a text
    return ids(wrong.value.message)


def test_valid_lesson_is_parsed():
    lesson = parse_lesson(GOOD, "mine")
    assert (lesson.name, lesson.variant.name, len(lesson.steps)) == ("mine", "3x3/9/5", 2)
    step = lesson.steps[0]
    assert (step.goal.kind, step.goal.actions) == (GoalKind.MOVE, (Action("b2", "b1"),))
    assert (step.lit_cells, step.replies, step.turn_limit) == (("b2",), (Action(None, "a3"),), 1)
    assert lesson.has_other_side


def test_first_language_is_the_fallback():
    task = parse_lesson(GOOD, "mine").steps[0].task
    shown_text = {language: get_catalogue(language).text(task) for language in LANGUAGES}
    assert shown_text == {"en": "Move to b1.", "nl": "Ga naar b1.", "de": "Move to b1.", "fr": "Move to b1."}


def test_name_is_file_name_without_number(tmp_path):
    path = tmp_path / "07-mine.toml"
    path.write_text(GOOD)
    assert load_lesson(path).name == "mine"


def test_unexpected_character_is_named():
    with pytest.raises(LessonError) as error:
        parse_lesson("title = \u201cMine\u201d\n", "mine")
    reason = "Invalid value (at line 1, column 9): left double quotation mark (U+201C)"
    assert error.value.message == Message("lesson_file.no_toml", reason=reason)


WRONG = {
    "not TOML": ("title = ", "lesson_file.no_toml"),
    "nested too deeply": (f"title = {'[' * 2000}{']' * 2000}", "lesson_file.too_much"),
    "endless number": (f"title = {'9' * 5000}", "lesson_file.too_much"),
    "unknown key": (GOOD.replace("[[step]]", "colour = 1\n[[step]]", 1), "lesson_file.unknown_key"),
    "no title": ('[[step]]\ntask = "Go."', "lesson_file.missing"),
    "no step": ('title = "Mine"', "lesson_file.no_step"),
    "unknown variant": ('variant = "9x9"\n' + GOOD, "lesson_file.wrong"),
    "invalid position": (GOOD.replace("l 8 8 0 0", "l 8 8"), "lesson_file.wrong"),
    "number instead of text": (GOOD.replace('"Mine"', "5"), "lesson_file.no_local_text"),
    "unknown language": (GOOD.replace("task.nl", "task.xx"), "lesson_file.no_language"),
    "text too long": (GOOD.replace("Mine", "M" * 401), "lesson_file.long_text"),
    "task for one surface only": (
        GOOD.replace("task = ", "task_terminal = "),
        "lesson_file.missing",
    ),
    "surface with fewer languages": (
        GOOD.replace("task.nl", 'task_phone.en = "Tap."\ntask.nl'),
        "lesson_file.other_languages",
    ),
    "empty text": (GOOD.replace("Mine", " "), "lesson_file.empty_text"),
    "unknown goal": (GOOD.replace('"move"', '"fly"'), "lesson_file.no_word"),
    "unknown opponent": ('opponent = "level-13"\n' + GOOD, "lesson_file.no_word"),
    "invalid count": (GOOD + "turns = true", "lesson_file.no_count"),
    "minimum of zero": (HEAD + '[[step]]\ntask = "Score."\ngoal = "score"\nleast = 0', "lesson_file.no_count"),
    "minimum for a goal without count": (GOOD.replace('"move"', '"move"\nleast = 2'), "lesson_file.no_least"),
    "more replies than turns": (GOOD.replace('"@a3"', '"@a3", "@a2"'), "lesson_file.too_many_replies"),
    "replies and an opponent": ('opponent = "level-1"\n' + GOOD, "lesson_file.two_answers"),
    "text instead of list": (GOOD + 'light = "b2"', "lesson_file.no_list"),
    "unknown cell": (GOOD + 'light = ["d4"]', "illegal.no_such_cell"),
    "invalid action": (GOOD + 'actions = ["b2-b3"]', "lesson_file.wrong"),
    "illegal action": (GOOD.replace("b2b1", "b2a1"), "lesson_file.illegal"),
    "illegal reply": (GOOD.replace("@a3", "@c3"), "lesson_file.illegal_reply"),
    "action that misses the goal": (GOOD.replace('"move"', '"hop"'), "lesson_file.misses_goal"),
    "impossible goal": (HEAD + '[[step]]\ntask = "Win."\ngoal = "win"', "lesson_file.impossible"),
    "other side's turn": (
        GOOD + '[[step]]\ntask = "And on."',
        "lesson_file.no_reply",
    ),
    "nothing to undo": (HEAD + '[[step]]\ntask = "Back."\ngoal = "undo"', "lesson_file.no_turn"),
    "actions for a hint": (
        HEAD + '[[step]]\ntask = "Ask."\ngoal = "hint"\nactions = ["@a1"]',
        "lesson_file.no_actions",
    ),
    "unknown step start": (
        HEAD + '[[step]]\ntask = "Play."\nturns = 0\n[[step]]\ntask = "And on."',
        "lesson_file.needs_position",
    ),
}


@each("text, message_id", WRONG.values())
def test_fault_is_reported(text, message_id):
    assert message_id in fault(text)


def test_fault_names_text_key():
    for text, key in ((GOOD.replace("Mine", "M" * 401), "title"), ('title.nl = ""', "title.nl")):
        with pytest.raises(LessonError) as wrong:
            parse_lesson(text, "mine")
        assert wrong.value.message.arguments["key"] == key


def test_fault_names_step():
    assert fault(GOOD.replace("b2b1", "b2a1"))[0] == "lesson_file.in_step"


def test_unreadable_file_is_named(tmp_path):
    for path, data in ((tmp_path / "none.toml", None), (tmp_path / "latin.toml", b"title = '\xe9'")):
        if data:
            path.write_bytes(data)
        with pytest.raises(LessonError) as wrong:
            load_lesson(path)
        assert wrong.value.message.arguments["file"] == str(path)


def test_pipe_in_lesson_folder_does_not_block(tmp_path):
    (tmp_path / "lessons").mkdir()
    os.mkfifo(tmp_path / "lessons" / "pipe.toml")
    assert [ids(fault)[0] for fault in load_lessons(tmp_path).faults] == ["lesson_file.fault"]


def test_lesson_too_large_for_board_is_skipped():
    course = load_lessons(None).course
    hint, game = course.exercises[-2:]
    assert course.find_following(hint, 4) is game
    assert course.find_following(hint, 3) is None
    assert course.find_following(game, 5) is None


def test_built_in_lessons_have_every_language():
    files = sorted(SHIPPED_FOLDER.glob("*.toml"))
    assert len(files) == 10
    for lesson in map(load_lesson, files):
        texts = [lesson.title, lesson.done]
        for step in lesson.steps:
            texts += [step.task, step.task_pieces, step.mistake, step.praise]
        for text in filter(None, texts):
            marks = {shown_text.partition("=")[0] for shown_text in text.arguments["texts"]}
            surfaces = {mark.partition("@")[2] for mark in marks}
            assert marks == {f"{language}@{name}".rstrip("@") for language in LANGUAGES for name in surfaces}, (
                lesson.name
            )


def texts_of(name, step_number, language="en"):
    """Return the task of a step for each surface, including a board with pieces."""
    [lesson] = [lesson for lesson in load_lessons(None).course.exercises if lesson.name == name]
    step = lesson.steps[step_number - 1]
    texts = {surface: get_catalogue(language, surface).text(step.task) for surface in ("board", "terminal", "phone")}
    return texts | {"pieces": get_catalogue(language).text(step.describe_task(has_pieces=True))}


@each("language", LANGUAGES)
def test_tasks_name_page_buttons(language):
    for name, step_number, button in (("undo", 2, "page.button.undo"), ("hint", 1, "page.button.hint")):
        texts, label = texts_of(name, step_number, language), get_catalogue(language).text(Message(button))
        assert label in texts["phone"]
        assert len({*texts.values()}) == 4, "each surface has its own"


def test_tasks_name_keys_only_in_terminal():
    for name, step_number, key in (("undo", 2, " u."), ("hint", 1, " h.")):
        texts = texts_of(name, step_number)
        assert [surface for surface, shown_text in texts.items() if key in shown_text] == ["terminal"]
        assert "terminal" not in " ".join(texts.values())
        assert "c1" not in texts["terminal"]


def test_first_task_explains_how_to_place_an_egg():
    assert {
        surface: word in texts_of("place", 1)[surface]
        for surface, word in {
            "board": "press the cell",
            "terminal": "press Enter",
            "phone": "tap",
            "pieces": "Put an egg",
        }.items()
    } == dict.fromkeys(("board", "terminal", "phone", "pieces"), True)


def test_surface_specific_task_replaces_plain_task():
    own = 'task_terminal = "Press Enter."\ntask_pieces = "Lift it."'
    step = parse_lesson(GOOD.replace('task = "Place an egg."', f'task = "Place an egg."\n{own}'), "mine").steps[1]
    buttons, pieces = (step.describe_task(has_pieces=has_pieces) for has_pieces in (False, True))
    texts = {
        surface: [get_catalogue("en", surface).text(task) for task in (buttons, pieces)]
        for surface in ("board", "terminal", "phone")
    }
    assert texts == {
        "board": ["Place an egg.", "Lift it."],
        "terminal": ["Press Enter.", "Press Enter."],
        "phone": ["Place an egg.", "Lift it."],
    }


def test_only_last_lesson_needs_more_than_three_rows():
    large = [lesson.name for lesson in load_lessons(None).course.exercises if lesson.variant.size > 3]
    assert large == ["game"]


def test_custom_lessons_come_last_and_invalid_ones_are_skipped(tmp_path):
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / "mine.toml").write_text(GOOD)
    (folder / "wrong.toml").write_text("title = ")
    course, faults = load_lessons(tmp_path)
    assert [lesson.name for lesson in course.exercises][-1] == "mine"
    assert len(course.exercises) == 11
    assert [message.id for message in faults] == ["lesson_file.fault"]


def test_shipped_lessons_accept_every_scoring_or_winning_action():
    for lesson in load_lessons(None).course.exercises:
        position = lesson.position
        for step in lesson.steps:
            position = step.position or position
            if step.goal.kind in (GoalKind.SCORE, GoalKind.WIN) and step.goal.actions:
                any_action = step.goal._replace(actions=())
                reaching = [
                    action for action in legal_actions(position) if any_action.is_met_by(play(position, action))
                ]
                assert set(step.goal.actions) == set(reaching), lesson.name
