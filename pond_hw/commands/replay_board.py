"""`pond replay-board`: play back a board recording in a terminal, or print it as text."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pond_hw.commands.arguments import add_flag, add_language_option, add_number, decimal_parser, read_language
from pond_hw.commands.command_output import print_note
from pond_hw.messages.catalogue import BUILDER_LANGUAGES, get_catalogue

MAX_SPEED = 1000
"""Maximum playback speed."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("box", metavar="FILE", help="the recording")
    parse_speed = decimal_parser(0.01, MAX_SPEED)
    add_number(
        parser, "--speed", "speed: 2 is twice as fast as the original (1)", parse_speed, metavar="X", default=1.0
    )
    add_flag(parser, "--text", "print everything, one line per event")
    add_language_option(parser, languages=BUILDER_LANGUAGES)


def run_command(options: Namespace) -> None:
    from pond_hw.blackbox import read_box

    box, language = read_box(Path(options.box)), read_language(options)
    if options.text:
        from pond_hw.blackbox.text import format_notes

        for note_line in format_notes(box.notes, language):
            print(note_line)
    else:
        from pond_hw.tui.replay_board_app import play_recording

        play_recording(box, options.speed, language)
    if box.damage:
        print_note(get_catalogue(language).text(box.damage))
