"""Tests of importing Adafruit's libraries, also if a library or part of Blinka is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.blinka import import_adafruit
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from tests.conftest import require
from tests.drivers.error_checks import raises_message


def test_missing_library_is_named_by_its_pip_package():
    with raises_message(BoardFault, describe_missing_package("adafruit_bananas", "adafruit-circuitpython-bananas")):
        import_adafruit("adafruit_bananas", "adafruit-circuitpython-bananas")


def import_error(monkeypatch, folder, source):
    """Return the error raised by importing a library with this source code."""
    (folder / "adafruit_lost.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(BoardFault) as fault:
        import_adafruit("adafruit_lost", "adafruit-circuitpython-lost")
    return fault.value.message


def test_blinka_unknown_machine_error_is_quoted(monkeypatch, tmp_path):
    message = import_error(
        monkeypatch, tmp_path, "raise NotImplementedError('Board not supported LOST.\\nSee the guide.')"
    )
    package, text = "adafruit-circuitpython-lost", "Board not supported LOST"
    assert message == Message("library.adafruit_unloadable", package=package, text=text)


BLINKA_IMPORT = """
try:
    import {part}
except ModuleNotFoundError as error:
    raise {other}
"""


@pytest.mark.parametrize("other", ["RuntimeError('try typing: /opt/python') from error", "ImportError from None"])
@pytest.mark.parametrize(
    ("part", "package", "install"),
    [("gpiod", "gpiod", "gpiod>=2.2.2,<3"), ("_rpi_ws281x.on", "_rpi_ws281x", "rpi_ws281x")],
)
def test_missing_blinka_dependency_is_named(monkeypatch, tmp_path, part, package, install, other):
    monkeypatch.setitem(sys.modules, package, None)
    message = import_error(monkeypatch, tmp_path, BLINKA_IMPORT.format(part=part, other=other))
    assert message == describe_missing_package(package, install)


@pytest.mark.slow
def test_adafruit_import_skips_blinka_board_and_dependency_check():
    require("adafruit_mcp230xx", "this test imports it")
    require("adafruit_neotrellis", "this test imports it")
    program = """
import os, sys
before = dict(os.environ)
from pond_hw.drivers.blinka import import_adafruit
import_adafruit("adafruit_mcp230xx.mcp23017", "x").MCP23017
import_adafruit("adafruit_neotrellis.neotrellis", "x").NeoTrellis
print(set(os.environ.items()) - set(before.items()), [each for each in ("board", "lgpio") if each in sys.modules])
"""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("BLINKA")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        env=outside,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("{('BLINKA_SKIP_DEPENDENCY_CHECK', '1')} []\n", "")
