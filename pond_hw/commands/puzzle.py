"""`pond puzzle`: solve puzzles on the lit board in this terminal, or line by line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from datetime import date

from pond_hw.commands import arguments
from pond_hw.commands.command_output import draw_position, print_lines, print_note
from pond_hw.messages.catalogue import get_catalogue
from pond_hw.messages.message import Message
from pond_hw.puzzles.course import PUZZLES_COURSE, exercise_name
from pond_hw.puzzles.daily_puzzle import daily_puzzle
from pond_hw.puzzles.puzzle import GRADES, Puzzle, PuzzleKind, choose_puzzles, find_puzzle, load_puzzles
from pond_hw.puzzles.solving import PuzzleAttempt
from pond_hw.rules import Action, PondError
from pond_hw.session import Course

ANSWER_INPUT = "?"
"""Input that shows the answer."""


def add_arguments(parser: ArgumentParser) -> None:
    help_text = "the puzzle's number (the next unsolved one)"
    parser.add_argument("number", metavar="NUMBER", nargs="?", type=arguments.parse_whole_number, help=help_text)
    arguments.add_flag(parser, "--daily", "the puzzle of the day")
    kinds = [kind.value for kind in PuzzleKind]
    parser.add_argument("--kind", metavar="KIND", choices=kinds, help=f"only this kind: {', '.join(kinds)}")
    help_text = "only this grade: 1 (easy) to 5"
    arguments.add_number(parser, "--grade", help_text, metavar="G", choices=GRADES)
    arguments.add_flag(parser, "--text", "solve it line by line, even in a terminal")
    arguments.add_flag(parser, "--show", "show the puzzle and exit")
    arguments.add_saving_options(parser, "your state folder")
    arguments.add_language_option(parser)


def run_command(options: Namespace) -> None:
    from pond_hw.exercises import ProgressFile

    language, folder = arguments.read_language(options), arguments.choose_journal(options)
    progress = ProgressFile(folder)
    done_names = progress.done_names.get(PUZZLES_COURSE, frozenset())
    puzzle = _choose_puzzle(options, done_names)
    is_at_terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    if is_at_terminal and not (options.text or options.show):
        from pond_hw import tui
        from pond_hw.engine import SeatedPlayers

        table = tui.TableOptions(folder=folder)
        tui.play_simulated(puzzle.variant, SeatedPlayers(), table, language, puzzle=exercise_name(puzzle))
        return
    if progress.fault:
        print_note(progress.fault)
    target = Message("puzzle.target", count=puzzle.variant.target)
    print_lines(puzzle.title, target, "", *draw_position(puzzle.position), "", puzzle.task, language=language)
    if options.show or not _solve_puzzle(puzzle, language):
        return
    solved_names = done_names | {exercise_name(puzzle)}
    if fault := progress.save([Course(PUZZLES_COURSE, tuple, solved_names)]):
        print_note(fault)
    print_lines(Message("puzzle.progress", solved=len(solved_names), total=len(load_puzzles())), language=language)


def _choose_puzzle(options: Namespace, done_names: frozenset[str]) -> Puzzle:
    """Return the requested puzzle; if several match, the first unsolved one."""
    choices = {"NUMBER": options.number, "--daily": options.daily, "--kind": options.kind, "--grade": options.grade}
    given = [name for name, value in choices.items() if value not in (None, False)]
    if len(given) > 1 and given[0] in ("NUMBER", "--daily"):
        raise PondError(Message("puzzle.two_choices", first=given[0], second=given[1]))
    if options.number is not None:
        return find_puzzle(options.number)
    if options.daily:
        return daily_puzzle(date.today())  # noqa: DTZ011 - the local date
    puzzles = choose_puzzles(PuzzleKind(options.kind) if options.kind else None, options.grade)
    return next((puzzle for puzzle in puzzles if exercise_name(puzzle) not in done_names), puzzles[0])


def _solve_puzzle(puzzle: Puzzle, language: str) -> bool:
    """Read actions until the puzzle is solved (True) or the input is empty (False)."""
    attempt, catalogue = PuzzleAttempt(puzzle), get_catalogue(language)
    while True:
        print_lines(Message("puzzle.ask"), language=language)
        sys.stdout.flush()
        text = sys.stdin.readline().strip()
        if not text:
            return False
        if text == ANSWER_INPUT:
            print_lines(Message("puzzle.answer", action=str(attempt.best_action())), language=language)
            continue
        try:
            verdict = attempt.play(Action.from_notation(text))
        except PondError as error:
            print_lines(error.message, language=language)
            continue
        reply = Message("puzzle.answers", action=str(verdict.reply))
        if verdict.is_solved:
            print_lines(*([reply] if verdict.reply else []), Message("puzzle.done"), language=language)
            return True
        if verdict.is_right:
            feedback = catalogue.text([Message("puzzle.right"), reply])
            task = Message("puzzle.rest", count=attempt.actions_left)
            print_lines(feedback, "", *draw_position(attempt.position), "", task, language=language)
            continue
        feedback = catalogue.text([Message(f"puzzle.mistake.{puzzle.kind}"), *([reply] if verdict.reply else [])])
        print_lines(feedback, Message("puzzle.try_again"), language=language)
