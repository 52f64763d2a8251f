"""`pond board`: find and configure boards on USB."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pond_hw.commands.command_output import print_lines
from pond_hw.messages.message import Message
from pond_hw.rules import PondError

TASKS = ("find", "flash-config", "show-config")


def add_arguments(parser: ArgumentParser) -> None:
    help_text = (
        "find: list the boards on USB; flash-config: write the configuration of a profile to a board; "
        "show-config: print that configuration"
    )
    parser.add_argument("task", metavar="TASK", choices=TASKS, help=help_text)
    help_text = "a name that `pond boards` lists, or the path of your own .toml (flash-config and show-config)"
    parser.add_argument("board", metavar="PROFILE", nargs="?", help=help_text)
    parser.add_argument("--port", metavar="PORT", help="serial port of the board, if there are several")


def run_command(options: Namespace) -> None:
    from pond_hw.drivers import usb_hello
    from pond_hw.drivers.usb_config import make_board_config
    from pond_hw.drivers.usb_link import list_board_ports
    from pond_hw.profile import load_profile

    needs_profile = options.task in ("flash-config", "show-config")
    if needs_profile != (options.board is not None):
        raise PondError(
            Message("board_command.profile" if needs_profile else "board_command.no_profile", task=options.task)
        )
    if not needs_profile:
        devices = [options.port] if options.port else list_board_ports()
        usb_hello.choose_device(devices[:1])  # Raises an error if there is no board.
        print_lines(*map(_describe_board, devices))
        return
    profile = load_profile(options.board)
    if profile.controller != "pico":
        raise PondError(Message("board_command.no_pico", board=profile.name))
    config = make_board_config(profile)
    if options.task == "show-config":
        print(config.text.decode())
        return
    device = usb_hello.choose_device(list_board_ports(), options.port)
    hello = usb_hello.flash_config(device, config, list_board_ports)
    print_lines(Message("board_command.given", device=hello.device, board=profile.name))


def _describe_board(device: str) -> Message:
    """Describe the board at a port, and name the shipped profile that matches its configuration."""
    from pond_hw.board import BoardFault
    from pond_hw.drivers.usb_config import make_board_config
    from pond_hw.drivers.usb_hello import ask_board
    from pond_hw.profile import list_shipped, load_profile

    try:
        hello = ask_board(device)
    except BoardFault as fault:
        return fault.message
    fields = {"device": hello.device, "firmware": hello.firmware}
    if hello.fingerprint == "00000000":
        return Message("board_command.found_empty", **fields)
    profiles = (load_profile(name) for name in list_shipped())
    usb_profiles = (each.name for each in profiles if each.controller == "pico")
    name = next(
        (each for each in usb_profiles if make_board_config(load_profile(each)).fingerprint == hello.fingerprint), ""
    )
    if name:
        return Message("board_command.found", **fields, board=name)
    return Message("board_command.found_other", **fields, fingerprint=hello.fingerprint)
