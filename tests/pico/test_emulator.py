"""Tests of MicroPython and our firmware on an emulated RP2040.

The tools cannot be part of this project; see README.md. Without them, the tests are skipped.
"""

import json
import os
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from pond_hw.drivers.usb_config import make_board_config
from pond_hw.profile import load_profile
from tests.drivers.ws2812 import CHIPS

HERE = Path(__file__).parent
TOOLS = Path(os.environ.get("POND_PICO_TOOLS", Path.home() / ".cache" / "pond-pico"))
UNCONFIGURED_MA = 250
LIBRARY, BOOTROM = TOOLS / "node_modules" / "rp2040js", TOOLS / "bootrom.ts"
MICROPYTHON = Path(os.environ.get("POND_PICO_FIRMWARE", TOOLS / "firmware.uf2"))


def file_system(folder, config, *, measuring):
    """Write the image of a Pico's file system. Return its path."""
    pytest.importorskip("littlefs", reason="needs littlefs-python")
    from tools.release.pico import make_file_system, read_firmware

    files = read_firmware() | {"config.json": config}
    if measuring:
        files |= {"main_program.py": files["main.py"], "main.py": (HERE / "measuring.py").read_bytes()}
    image = folder / "files.img"
    image.write_bytes(make_file_system(files))
    return image


def run_emulator(*arguments):
    """Return what the emulator measured."""
    for needed in (LIBRARY, BOOTROM, MICROPYTHON):
        if not needed.exists():
            pytest.skip(f"needs {needed.name}: tests/pico/README.md says where it comes from")
    if not shutil.which("node"):
        pytest.skip("needs node")
    command = ["node", *map(str, (HERE / "emulator.mjs", LIBRARY, BOOTROM, MICROPYTHON, *arguments))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    return json.loads(done.stdout)


def emulated(folder, name, *, measuring=False):
    profile = load_profile(name, measured=False)
    config = make_board_config(profile)
    image = file_system(folder, config.text, measuring=measuring)
    gpio = profile.sensing.wiring.pins["b2"]
    measured = run_emulator(image, profile.chain.lamp_count, profile.chain.data_pin, gpio)
    return config, config.cell_inputs[profile.size + 1], measured


@pytest.mark.long
@pytest.mark.parametrize("name", ["usb-direct-4x4", "usb-hall-4x4"])
def test_firmware_runs_on_emulated_chip(tmp_path, name):
    config, number, measured = emulated(tmp_path, name)
    hello = measured["hello"].split()
    assert hello[:3] == ["hello", "pond", "3"]
    assert hello[4] == config.fingerprint
    assert len(measured["frames"]) == 3
    for frame in measured["frames"]:
        assert frame["right"]
        assert frame["bits"] == 24 * config.lamp_count
        for lamp in CHIPS:
            for highs, (shortest, longest) in ((frame["short"], lamp.high0), (frame["long"], lamp.high1)):
                assert shortest <= highs[0] <= highs[1] <= longest
            assert lamp.low1[0] <= frame["low"][0] <= frame["low"][1] <= lamp.low0[1]
    presses = [press["line"].split()[:3] for press in measured["presses"]]
    verbs = ("press", "release") * 2
    assert presses == [[verb, str(count), str(number)] for count, verb in enumerate(verbs, 1)]
    assert measured["dark"]
    assert 1800 < measured["dark_after_ms"] < 2100
    assert measured["after_dark"].startswith("state")
    assert (measured["damaged"], measured["watchdog"]) == (0, 0)
    assert (measured["interfaces"], measured["declared_ma"]) == (4, json.loads(config.text)["usb_ma"])  # two ports
    assert measured["prompt_answers"]
    assert measured["dark_at_prompt"]


@pytest.mark.long
def test_emulated_chip_has_enough_free_memory(tmp_path):
    _, _, measured = emulated(tmp_path, "usb-direct-4x4", measuring=True)
    free, allocated, *_ = measured["memory"][-1]
    assert free > 100_000, "of some 230 kB"
    assert allocated > 0


@pytest.mark.long
def test_published_files_boot_on_emulated_chip(tmp_path):
    pytest.importorskip("uf2utils", reason="needs uf2utils")
    from tools.release.pico import build_firmware

    build_firmware(tmp_path / "files.uf2")
    measured = run_emulator(tmp_path / "files.uf2")
    assert measured["hello"].split()[:3] == ["hello", "pond", "3"]
    assert measured["declared_ma"] == UNCONFIGURED_MA


def test_largest_frame_fits_a_line():
    lamps = load_profile("usb-matrix-5x5").chain.lamp_count
    assert len(b"frame 4000000000 " + b64encode(bytes(3 * lamps))) < 1024
