"""`pond setup`: find faults in a board, learn its wiring and measure its sensors."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from pond_hw.commands import arguments
from pond_hw.messages.catalogue import BUILDER_LANGUAGES
from pond_hw.messages.message import Message, PondError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pond_hw.profile.board_profile import Profile


def add_arguments(parser: ArgumentParser) -> None:
    arguments.add_board_option(parser)
    parser.add_argument("--step", metavar="STEP", help="start with this step, such as map or sensors (a menu)")
    arguments.add_list(parser, "--cell", "CELL", "only this cell; repeatable")
    arguments.add_flag(parser, "--headless", "control set-up with JSON lines; see docs/protocol.md")
    arguments.add_flag(parser, "--pretend", "use a simulated board with this profile")
    help_text = "simulate a fault, such as never:b2, swapped:b2:c2, broken:7, colours:RGB"
    arguments.add_list(parser, "--flaw", "KIND:...", help_text)
    arguments.add_number(parser, "--seed", "random seed for the simulated board (0)", default=0)
    arguments.add_black_box_option(parser)
    default = "$POND_LANGUAGE, or the system language; with --headless: en"
    arguments.add_language_option(parser, default, BUILDER_LANGUAGES)


def run_command(options: Namespace) -> None:
    arguments.require_unix(f"pond {options.command}")
    if options.cell and not options.step:
        raise PondError(Message("setup_command.cell_needs_step"))
    from pond_hw.board import BoardFault
    from pond_hw.drivers.pi_machine import Machine, no_pi_fault
    from pond_hw.profile import load_profile

    profile = load_profile(options.board, measured=False)
    try:
        _set_up(options, profile)
    except BoardFault as fault:
        command = f"pond setup --board {shlex.quote(options.board)} --pretend"
        advice = Message("setup_command.try_simulated", command=command)
        raise no_pi_fault(profile, Machine(), advice) or fault from None


def _set_up(options: Namespace, profile: Profile) -> None:
    if options.headless and options.step:
        raise PondError(Message("setup_command.step_as_line", example='{"step":"map"}'))
    from pond_hw.profile.board_profile import SimulatedWiring
    from pond_hw.setup.controller import SetupController

    run: Callable[[Callable[..., SetupController]], None]
    if options.headless:
        from pond_hw.server import setup_lines

        is_simulated = options.pretend or isinstance(profile.sensing.wiring, SimulatedWiring)
        run_lines = setup_lines.run_simulated if is_simulated else setup_lines.run_real
        run = partial(run_lines, language=options.language or "en")
    else:
        from pond_hw.tui import setup_app

        language = arguments.read_language(options)
        run = partial(setup_app.run, step=options.step, cells=options.cell, language=language)
    simulation = {"is_simulated": options.pretend, "flaws": options.flaw, "random_seed": options.seed}
    with arguments.open_black_box(options, profile.name) as black_box:
        run(partial(SetupController, options.board, black_box=black_box, **simulation))
