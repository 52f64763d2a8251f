import dataclasses
import itertools

import pytest

from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.drivers.pi_machine import DEFAULT_BUFFER_BYTES, Machine, explain_missing_ws281x
from pond_hw.messages.message import Message
from pond_hw.profile import list_shipped, load_profile
from tests.conftest import each
from tests.firmware.card import FIRMWARE, board_file
from tests.firmware.scripts import needs

ROOT, USER = "pond-root.service", "pond.service"
UNKNOWN, FOUR, FIVE = 0, 0xB03114, 0xC04170  # revisions of Pis

EXPECTED = {
    "direct-4x4": (("spi-lamps",), ("spidev",), USER),
    "matrix-5x5": (("spi-lamps",), ("spidev",), USER),
    "hall-4x4": (("spi-lamps", "expanders"), ("spidev", "i2c-dev"), USER),
    "hall-5x5": (("spi-lamps", "spi1-3cs"), ("spidev",), USER),
    "owner-4x4": (("spi-lamps", "spi1-2cs"), ("spidev",), USER),
    "neotrellis-4x4": (("neotrellis",), ("i2c-dev",), USER),
    "pwm-4x4": (("pwm-lamps",), (), ROOT),
}


def pi(folder, revision):
    """Return a Pi whose revision is known, but nothing else."""
    if revision != UNKNOWN:
        place = folder / "proc/device-tree/system"
        place.mkdir(parents=True, exist_ok=True)
        (place / "linux,revision").write_bytes(revision.to_bytes(4, "big"))
    return Machine(folder)


def changed(name, **parts):
    """Return a copy of an included profile with changes."""
    profile = load_profile(name)
    if "wiring" in parts:
        parts["sensing"] = dataclasses.replace(profile.sensing, wiring=parts.pop("wiring"))
    return dataclasses.replace(profile, **parts)


def on_pin(name, pin, **options):
    return changed(name, chain=dataclasses.replace(load_profile(name).chain, data_pin=pin, **options))


@each("name", list_shipped())
def test_each_board_has_its_requirements(name):
    fragments, modules, unit = EXPECTED.get(name, ((), (), USER))
    needed = needs.find_needs(load_profile(name))
    assert (needed.fragments, needed.modules, needed.unit) == (fragments, modules, unit)
    assert (needed.words, needed.remarks) == ((), ())
    assert needed.drop_ins == (("usb",) if name.startswith("usb") else ())
    assert needed.quiet == (name == "pwm-4x4")
    assert name in EXPECTED or name.startswith(("simulated", "usb"))


def test_fragments_match_their_files():
    cases = itertools.chain(*(each[0] for each in EXPECTED.values()))
    known = {*cases, "spi1-1cs", "spi1-2cs", "spi0-sensors"}
    assert {path.stem for path in (FIRMWARE / "boot").iterdir()} == known


@each("count", range(95, 115))
def test_long_chain_needs_a_larger_buffer(count):
    needed = needs.find_needs(on_pin("direct-4x4", 10, lamp_count=count))
    too_long = len(PACKED.encode(bytes(3 * count))) > DEFAULT_BUFFER_BYTES
    assert needed.words == (("spidev.bufsiz=65536",) if too_long else ())


@each("driver", ["auto", "ws281x", "neopixel"])
@each(("pin", "pwm"), [(12, True), (18, True), (21, False)])
def test_pwm_and_pcm_lamps_need_root(tmp_path, pin, pwm, driver):
    needed = needs.find_needs(on_pin("pwm-4x4", pin, driver=driver), pi(tmp_path, FOUR))
    assert (needed.fragments, needed.quiet, needed.unit) == (("pwm-lamps",) if pwm else (), pwm, ROOT)
    assert needed.drop_ins == ()


@each("driver", ["ws281x", "neopixel"])
@each("revision", [UNKNOWN, FOUR])
def test_rpi_ws281x_on_gpio_10_needs_no_root(tmp_path, driver, revision):
    needed = needs.find_needs(on_pin("direct-4x4", 10, driver=driver), pi(tmp_path, revision))
    assert (needed.fragments, needed.modules, needed.unit) == (("spi-lamps",), ("spidev",), USER)
    assert (needed.drop_ins, needed.quiet) == (("gpiomem",), False)


@each("driver", ["auto", "spi"])
@each("revision", [UNKNOWN, FOUR, FIVE])
def test_spi_lamps_need_only_spi(tmp_path, driver, revision):
    needed = needs.find_needs(on_pin("direct-4x4", 10, driver=driver), pi(tmp_path, revision))
    assert needed == needs.Needs(("spi-lamps",), modules=("spidev",))


@each("pin", [10, 12, 18, 21])
def test_pi_5_cannot_use_rpi_ws281x(tmp_path, pin):
    five = pi(tmp_path, FIVE)
    with pytest.raises(needs.Unfit) as result:
        needs.find_needs(on_pin("pwm-4x4", pin, driver="ws281x"), five)
    assert result.value.message == explain_missing_ws281x(five, pin) == Message("ws281x.no_pi5")


@each(("driver", "pin"), [("auto", 18), ("neopixel", 18), ("neopixel", 10)])
def test_pi_5_uses_pio_without_root(tmp_path, driver, pin):
    needed = needs.find_needs(on_pin("pwm-4x4", pin, driver=driver), pi(tmp_path, FIVE))
    assert (needed.unit, needed.drop_ins, needed.fragments, needed.quiet) == (USER, ("pio",), (), False)
    assert f"On a Raspberry Pi 5, lamps on GPIO {pin} need a library that Pond does not include" in needed.remarks[0]


def test_model_is_read_from_proc(capsys, tmp_path):
    profile = str(board_file(tmp_path, driver="neopixel"))
    assert needs.main([profile, "--machine", str(pi(tmp_path, FIVE).root)]) == 0
    assert "drop_ins=pio" in capsys.readouterr().out.splitlines()
    assert needs.main([profile]) == 0
    assert "drop_ins=gpiomem" in capsys.readouterr().out.splitlines()


@each(("selects", "overlay"), [((18,), "spi1-1cs"), ((18, 17), "spi1-2cs"), ((16, 18), "spi1-3cs")])
def test_spi1_converters_get_enough_select_pins(selects, overlay):
    wiring = load_profile("hall-5x5").sensing.wiring
    one = wiring.chips["A"]
    chips = {letter: one._replace(select=select) for letter, select in zip("AB", selects, strict=False)}
    needed = needs.find_needs(changed("hall-5x5", wiring=dataclasses.replace(wiring, chips=chips)))
    assert needed.fragments == ("spi-lamps", overlay)


def test_bit_banged_converters_need_no_spi_settings():
    wiring = load_profile("hall-5x5").sensing.wiring
    alone = dataclasses.replace(wiring, chips={"D": wiring.chips["D"]})
    assert needs.find_needs(changed("hall-5x5", wiring=alone)).fragments == ("spi-lamps",)


def test_output_is_readable_by_a_shell(capsys, tmp_path):
    assert needs.main([str(board_file(tmp_path, count=150))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *("fragments=spi-lamps", "words=spidev.bufsiz=65536", "modules=spidev", "unit=pond.service"),
        *("quiet=", "drop_ins="),
    ]


def test_all_faults_of_a_profile_are_reported(capsys, tmp_path):
    path = board_file(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("grid = 4", "grid = 9"), encoding="utf-8")
    assert needs.main([str(path)]) == 2
    assert "mine.toml has " in capsys.readouterr().err
