"""`pond sd-card`: make a copy of an image of Raspberry Pi OS that starts as a board."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pond_hw.commands.arguments import FileOption
from pond_hw.commands.command_output import check_new_file, print_lines
from pond_hw.commands.progress_line import ProgressLine
from pond_hw.messages.message import Message, PondError
from pond_hw.messages.system_errors import explain_system_errors
from pond_hw.optional_packages import format_install_command
from pond_hw.profile import load_profile

if TYPE_CHECKING:
    from pond_hw.sd_card.prepared_image import Board
    from pond_hw.sd_card.settings import FirstBootSettings, Wifi

SYSTEM_USERS = (
    *(
        "root",
        "daemon",
        "bin",
        "sys",
        "sync",
        "games",
        "man",
        "lp",
        "mail",
        "news",
        "uucp",
        "proxy",
        "www-data",
        "backup",
    ),
    *("list", "irc", "nobody", "pond", "pond-web", "pond-link"),
)
"""Users of Debian (base-passwd) and of Pond's package."""

MAX_WIFI_NAME_BYTES = 32

FORMATS = {
    "host_name": r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?",
    "user": rf"(?!({'|'.join(SYSTEM_USERS)})$)[a-z_][a-z0-9_-]{{0,31}}",
    "ssh_key": r"(ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+( [^\n]*)?",
    "wifi": r"[^\x00-\x1f\x7f\ud800-\udfff]+",
    "wifi_password": r"[ -~]{8,63}",
    "wifi_country": r"(?!UK)[A-Z]{2}",
    "time_zone": r"[A-Za-z]+(/[A-Za-z0-9_+-]+){0,2}",
    "profile_name": r"[A-Za-z0-9._-]+",
}
"""Patterns of valid values."""


def add_arguments(parser: ArgumentParser) -> None:
    def add_option(name: str, metavar: str, help_text: str, **settings: object) -> None:
        parser.add_argument(name, metavar=metavar, help=help_text, **settings)  # type: ignore[arg-type]

    parser.add_argument(
        "image", metavar="IMAGE", help="image of Raspberry Pi OS (Trixie), .img or .img.xz; it stays as it is"
    )
    parser.add_argument("package", metavar="PACKAGE", help="Pond's package for that system, pond_*.deb")
    parser.add_argument("board", metavar="BOARD", help="a name that `pond boards` lists, or the path of your own .toml")
    add_option("-o", "FILE", "the new image (IMAGE-pond.img)", dest="target", action=FileOption)
    parser.add_argument("--page", action="store_true", help="start the phone page too")
    add_option("--host-name", "NAME", "name of the Pi on your network")
    add_option("--user", "NAME", "user who may log in over ssh; needs --ssh-key")
    add_option("--ssh-key", "FILE", "file with the user's public key, such as ~/.ssh/id_ed25519.pub", action=FileOption)
    add_option("--wifi", "NAME", "Wi-Fi to join; needs --wifi-password-file and --wifi-country")
    add_option("--wifi-password-file", "FILE", "file with the password of the Wi-Fi", action=FileOption)
    add_option("--wifi-country", "CODE", "country in which the Pi is used, such as NL")
    add_option("--time-zone", "ZONE", "time zone, such as Europe/Amsterdam")


def run_command(options: Namespace) -> None:
    from pond_hw.sd_card.debian_package import read_package
    from pond_hw.sd_card.prepared_image import prepare_image

    if find_spec("fatfs") is None:
        raise PondError(Message("sd_card.missing_package", command=format_install_command("card")))
    board, settings = _read_board(options), _read_settings(options)
    package = read_package(Path(options.package))
    source = Path(options.image)
    with explain_system_errors("file.cannot_read", file=options.image):
        source.open("rb").close()
    target = Path(options.target) if options.target else source.with_name(f"{source.name.split('.img')[0]}-pond.img")
    if target.suffix != ".img":
        raise PondError(Message("sd_card.bad_target", file=str(target)))
    manifest = target.with_suffix(".rpi-imager-manifest")
    for new_file in (target, manifest):
        check_new_file(str(new_file))
    with ProgressLine() as progress:
        progress.show_state(Message("sd_card.copying", file=str(target)))
        prepare_image(source, target, package, board, settings)
    print_lines(Message("sd_card.done", file=str(target), manifest=str(manifest)))
    if settings.wifi:
        print_lines(Message("sd_card.private"))


def _read_board(options: Namespace) -> Board:
    from pond_hw.sd_card.prepared_image import Board

    profile = load_profile(options.board, measured=False)
    path = Path(options.board)
    if path.suffix != ".toml":
        return Board(profile.name, page=options.page)
    _check_format("profile_name", path.name)
    with explain_system_errors("file.cannot_read", file=options.board):
        return Board(path.name, path.read_bytes(), options.page)


def _read_settings(options: Namespace) -> FirstBootSettings:
    from zoneinfo import available_timezones

    from pond_hw.sd_card.settings import FirstBootSettings

    _require_together(options, "user", "ssh_key")
    _require_together(options, "wifi", "wifi_password_file", "wifi_country")
    for name in ("host_name", "user", "time_zone"):
        _check_format(name, getattr(options, name))
    if (zones := available_timezones()) and options.time_zone not in {None, *zones}:
        raise PondError(Message("sd_card.bad_time_zone", text=options.time_zone))
    ssh_key = _read_first_line(options.ssh_key)
    _check_format("ssh_key", ssh_key)
    return FirstBootSettings(options.host_name, options.user, ssh_key, _read_wifi(options), options.time_zone)


def _read_wifi(options: Namespace) -> Wifi | None:
    from pond_hw.sd_card.settings import Wifi

    if options.wifi is None:
        return None
    password = _read_first_line(options.wifi_password_file) or ""
    for name, text in (("wifi", options.wifi), ("wifi_password", password), ("wifi_country", options.wifi_country)):
        _check_format(name, text)
    if len(options.wifi.encode()) > MAX_WIFI_NAME_BYTES:
        raise PondError(Message("sd_card.bad_wifi", text=options.wifi))
    return Wifi(options.wifi, password, options.wifi_country)


def _require_together(options: Namespace, *names: str) -> None:
    """Raise PondError if only some of these options were given."""
    missing = [name for name in names if getattr(options, name) is None]
    if missing and len(missing) < len(names):
        given = next(name for name in names if name not in missing)
        raise PondError(Message("sd_card.needs_option", option=_option(given), other=_option(missing[0])))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read_first_line(file_name: str | None) -> str | None:
    if file_name is None:
        return None
    with explain_system_errors("file.cannot_read", file=file_name):
        return (Path(file_name).read_text(encoding="utf-8-sig").splitlines() or [""])[0]


def _check_format(name: str, text: str | None) -> None:
    """Raise PondError if a value doesn't match its pattern. The message shows no password."""
    if text is not None and not re.fullmatch(FORMATS[name], text, re.ASCII):
        shown = "" if name in ("ssh_key", "wifi_password") else text[:40]
        raise PondError(Message(f"sd_card.bad_{name}", text=shown))
