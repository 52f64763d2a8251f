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
FIRMWARE = HERE.parents[1] / "firmware" / "pico"
TOOLS = Path(os.environ.get("POND_PICO_TOOLS", Path.home() / ".cache" / "pond-pico"))
LIB = "lib/usb/device"
LIBRARY, BOOTROM = TOOLS / "node_modules" / "rp2040js", TOOLS / "bootrom.ts"
MICROPYTHON = Path(os.environ.get("POND_PICO_FIRMWARE", TOOLS / "firmware.uf2"))


def file_system(folder, config, *, measuring):
    """Return the image of a Pico's file system."""
    littlefs = pytest.importorskip("littlefs", reason="needs littlefs-python (tests/pico/README.md)")
    system = littlefs.LittleFS(block_size=4096, block_count=352, prog_size=256)
    files = {path.name: path.read_bytes() for path in FIRMWARE.glob("*.py")} | {"config.json": config}
    files |= {f"{LIB}/{path.name}": path.read_bytes() for path in (TOOLS / LIB).iterdir()}
    for folder_name in ("lib", "lib/usb", LIB):
        system.mkdir(folder_name)
    if measuring:
        files |= {"main_program.py": files["main.py"], "main.py": (HERE / "measuring.py").read_bytes()}
    for name, data in files.items():
        with system.open(name, "wb") as file:
            file.write(data)
    image = folder / "files.img"
    image.write_bytes(system.context.buffer)
    return image


def emulated(folder, name, *, measuring=False):
    for needed in (LIBRARY, BOOTROM, MICROPYTHON, TOOLS / LIB):
        if not needed.exists():
            pytest.skip(f"needs {needed.name}: tests/pico/README.md says where it comes from")
    if not shutil.which("node"):
        pytest.skip("needs node")
    profile = load_profile(name, measured=False)
    config = make_board_config(profile)
    image = file_system(folder, config.text, measuring=measuring)
    gpio = profile.sensing.wiring.pins["b2"]
    files = [str(path) for path in (HERE / "emulator.mjs", LIBRARY, BOOTROM, MICROPYTHON, image)]
    command = ["node", *files, str(profile.chain.lamp_count), str(profile.chain.data_pin), str(gpio)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    return config, config.cell_inputs[profile.size + 1], json.loads(done.stdout)


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


def test_largest_frame_fits_a_line():
    lamps = load_profile("usb-matrix-5x5").chain.lamp_count
    assert len(b"frame 4000000000 " + b64encode(bytes(3 * lamps))) < 1024
