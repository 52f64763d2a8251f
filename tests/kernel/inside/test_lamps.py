"""Tests of every lamp driver on the simulated Pi: signals and errors.

The Pi is a Pi 4 set up for direct-4x4: SPI0 is on. The tests read the size of the SPI buffer from the kernel, so they
also work with the installer's spidev.bufsiz=65536.

Each signal is checked twice: against the limits in three lamps' data sheets, and with sigrok's independent decoder.
"""

import os
import pty
import stat
from contextlib import contextmanager
from ctypes import CDLL
from pathlib import Path
from signal import SIGSEGV

import pytest

from pond_hw.board import BoardFault
from pond_hw.drivers.lamp_pulses import PACKED
from pond_hw.drivers.pi_machine import Machine
from pond_hw.drivers.spi_lamps import SpiWire
from pond_hw.drivers.ws281x import Ws281xWire
from pond_hw.messages.message import Message
from pond_hw.optional_packages import describe_missing_package
from tests.conftest import require, skip_outside_ci
from tests.drivers.ws2812 import (
    CHIPS,
    SK6812,
    WS2812B,
    WS2812B_V5,
    Rejected,
    decode,
    levels,
    pulses,
    read_by_sigrok,
)
from tests.kernel.breadboard import PWM, SPI, read_journal
from tests.kernel.inside.lamps import (
    SPI0_0,
    ProcessResult,
    draw_signal,
    example_frame,
    lamp_output,
    profile_with,
    read_transfers,
    run_program,
)
from tests.messages.says import text

for module in ("spidev", "rpi_ws281x", "neopixel", "adafruit_mcp230xx"):
    require(module, "this tests it on the simulated Pi")
if not Path("/dev/spidev0.0").exists():
    skip_outside_ci("needs a simulated Pi with SPI0: --overlay spi0, or --board direct-4x4")

BUFFER = Machine().spi_buffer_bytes

DRIVERS = {
    "SPI": ("spi", 10, {360, 720}, CHIPS),
    "rpi_ws281x by PWM on GPIO 18": ("ws281x", 18, {407, 815}, (WS2812B,)),
    "rpi_ws281x by PWM on GPIO 12": ("ws281x", 12, {407, 815}, (WS2812B,)),
    "rpi_ws281x by PCM on GPIO 21": ("ws281x", 21, {407, 815}, (WS2812B,)),
    "rpi_ws281x by SPI on GPIO 10": ("ws281x", 10, {420, 840}, (WS2812B,)),
    "neopixel by PWM on GPIO 18": ("neopixel", 18, {407, 815}, (WS2812B,)),
    "neopixel by SPI on GPIO 10": ("neopixel", 10, {420, 840}, (WS2812B,)),
}
"""GPIO of each lamp driver, durations of its high pulses in ns, and the lamps whose data sheets they satisfy."""


@pytest.fixture(autouse=True)
def clear_journal():
    """Discard earlier transfers."""
    read_journal()


@contextmanager
def removed(device):
    """Remove a device temporarily."""
    renamed = Path(device).rename(f"{device}.gone")
    try:
        yield
    finally:
        renamed.rename(device)


def chain_bytes(frame, chain):
    """Return the bytes of a frame in chain order, with green first."""
    lamps = [frame.data[place * 3 : place * 3 + 3] for place in range(chain.lamp_count)]
    ordered = [lamps[chain.cell_positions.index(place)] for place in range(chain.lamp_count)]
    return b"".join(bytes((green, red, blue)) for red, green, blue in ordered)


def hex_colours(data):
    """Convert chain bytes to colours in sigrok's notation."""
    return [f"#{data[at + 1]:02x}{data[at]:02x}{data[at + 2]:02x}" for at in range(0, len(data), 3)]


@pytest.mark.parametrize(("driver", "pin", "highs", "matching_chips"), DRIVERS.values(), ids=DRIVERS)
def test_lamps_show_colours_then_go_dark(tmp_path, driver, pin, highs, matching_chips):
    result = run_program(
        f"from tests.kernel.inside.lamps import show_test_colours; show_test_colours({driver!r}, {pin})"
    )
    assert result == (0, "")
    drawn, hz = draw_signal(read_transfers(*lamp_output(pin)))
    expected = chain_bytes(example_frame(), profile_with(driver, pin).chain)
    dark = bytes(len(expected))
    for chip in matching_chips:
        before, shown, *after = decode(drawn, hz, chip)  # each followed by the reset, the last one too
        assert (before, shown, set(after)) == (dark, expected, {dark})
        assert len(after) >= 2
    read = read_by_sigrok(drawn, int(hz), tmp_path)
    lit = len(expected) // 3
    assert read[lit : lit * 2] == hex_colours(expected)
    assert set(read[:lit] + read[lit * 2 :]) == {"#000000"}
    assert {round(pulse.high) for pulse in pulses(drawn, hz)[1]} == highs
    for chip in set(CHIPS) - set(matching_chips):
        with pytest.raises(Rejected, match="ns high"):
            decode(drawn, hz, chip)


def test_own_spi_frame_is_one_transfer_with_resets():
    assert run_program("from tests.kernel.inside.lamps import show_test_colours; show_test_colours('spi', 10)") == (
        0,
        "",
    )
    frames = read_transfers(SPI, SPI0_0)
    assert len(frames) == 4  # dark, the colours, and dark twice
    for each in frames:
        lead, drawn = pulses(levels(each.data), each.hz)
        assert min(lead, drawn[-1].low) >= max(chip.reset for chip in CHIPS)


def test_consecutive_frames_arrive():
    code = """
from pond_hw.drivers.ws281x import Ws281xWire
from tests.kernel.inside.lamps import profile_with

wire = Ws281xWire(profile_with("ws281x", 18).chain)
wire.open()
for value in range(20):
    wire.send_bytes(bytes([value]) * 48)
wire.close()
"""
    assert run_program(code) == (0, "")
    drawn, hz = draw_signal(read_transfers(PWM, 18))
    assert decode(drawn, hz, WS2812B) == [bytes([value]) * 48 for value in range(20)]


# ---- number of lamps ----


def max_lamps(needed):
    """Return the maximum number of lamps for one transfer. `needed` returns the number of bytes for a number of lamps."""
    return next(count for count in range(1, 10_000) if needed(count + 1) > BUFFER)


SPI_WIRES = {
    "our driver": (lambda count: SpiWire(count, PACKED), PACKED.frame_bytes, CHIPS),
    "rpi_ws281x": (
        lambda count: Ws281xWire(profile_with("ws281x", 10, lamp_count=count).chain),
        lambda count: count * 12 + 24,
        (WS2812B,),
    ),
}


@pytest.mark.parametrize(("make", "needed", "matching_chips"), SPI_WIRES.values(), ids=SPI_WIRES)
def test_max_lamps_fit_in_one_transfer(tmp_path, make, needed, matching_chips):
    count = max_lamps(needed)
    data = bytes(place % 251 for place in range(count * 3))
    wire = make(count)
    wire.open()
    wire.send_bytes(data)
    wire.close()
    transfers = read_transfers(SPI, SPI0_0)
    assert len(transfers) == 1
    drawn, hz = draw_signal(transfers)
    assert [decode(drawn, hz, chip) for chip in matching_chips] == [[data]] * len(matching_chips)
    assert read_by_sigrok(drawn, int(hz), tmp_path) == hex_colours(data)


@contextmanager
def replaced_by_null(device):
    """Replace a device temporarily with one that accepts no settings, so that opening it would cause another error."""
    with removed(device):
        os.mknod(device, stat.S_IFCHR | 0o600, Path("/dev/null").stat().st_rdev)
        try:
            yield
        finally:
            Path(device).unlink()


@pytest.mark.parametrize(("make", "needed", "matching_chips"), SPI_WIRES.values(), ids=SPI_WIRES)
def test_too_many_lamps_are_refused_before_opening(make, needed, matching_chips):
    count = max_lamps(needed) + 1
    wire = make(count)
    with replaced_by_null("/dev/spidev0.0"), pytest.raises(BoardFault) as fault:
        wire.open()
    lamps = {"lamps": count, "needed": needed(count)}
    if BUFFER == 4096:
        assert fault.value.message == Message("spi.small_buffer", allowed=BUFFER, **lamps)
    else:
        assert fault.value.message == Message("spi.too_many_lamps", most=65532, **lamps)
    with pytest.raises(OSError, match="is not open"):
        wire.send_bytes(bytes(count * 3))
    assert read_transfers(SPI, SPI0_0) == []


def test_libraries_do_not_check_the_spi_buffer():
    too_many = BUFFER // 12 + 100
    rpi_ws281x = f"""
import rpi_ws281x

strip = rpi_ws281x.PixelStrip({too_many}, 10)
strip.begin()
try:
    strip.show()
except RuntimeError as error:
    print("then:", error)
"""
    if BUFFER == 4096:  # larger data is accepted: the simulated Pi has no limit of 65532 bytes like a real one
        assert "then: ws2811_render failed with code -14" in run_program(rpi_ws281x).output
    oversized_write = f"import spidev; spi = spidev.SpiDev(); spi.open(0, 0); spi.writebytes2(bytes({BUFFER} + 400))"
    assert run_program(oversized_write) == (0, "")
    assert len(read_transfers(SPI, SPI0_0)) >= 2


# ---- the two decoders ----

DATA = bytes((0xFF, 0x0F, 0x01, 0x80, 0x00, 0xFF))
"""Test data. It ends with a 1, because sigrok cannot see the end of the last bit and checks only its high time."""


def send_by_spi(hz, *parts):
    """Send these parts at this clock, with a pause between them, and return the signal."""
    code = f"""
import spidev, time

spi = spidev.SpiDev()
spi.open(0, 0)
spi.max_speed_hz = {hz}
for part in {parts!r}:
    spi.writebytes2(part)
    time.sleep(0.002)
"""
    assert run_program(code) == (0, "")
    return draw_signal(read_transfers(SPI, SPI0_0))


def draw_bits(zero, one):
    """Return the test data encoded with other patterns, with low periods before and after."""
    bits = "".join(one if DATA[at // 8] << at % 8 & 0x80 else zero for at in range(len(DATA) * 8))
    return bytes(300) + int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8)) + bytes(300)


def decode_for_each_chip(drawn, hz):
    """Return the frames that each lamp decodes within the limits of its data sheet; None for a lamp that rejects the signal."""
    found = {}
    for chip in CHIPS:
        try:
            found[chip] = decode(drawn, hz, chip)
        except Rejected:
            found[chip] = None
    return found


def same_for_all(frames):
    """Return a result that is the same for all lamps."""
    return dict.fromkeys(CHIPS, frames)


def test_correct_signal_passes_both_decoders(tmp_path):
    drawn, hz = send_by_spi(PACKED.spi_hz, PACKED.encode(DATA))
    assert decode_for_each_chip(drawn, hz) == same_for_all([DATA])
    assert read_by_sigrok(drawn, int(hz), tmp_path) == hex_colours(DATA)


def test_both_decoders_detect_swapped_colours(tmp_path):
    code = """
import time
from pond_hw.board_factory import build_lamps
from tests.kernel.inside.lamps import example_frame, profile_with

lamps = build_lamps(profile_with("spi", 10, colour_order="RGB"), time.monotonic)
lamps.open()
lamps.show(example_frame())
"""
    assert run_program(code) == (0, "")
    drawn, hz = draw_signal(read_transfers(SPI, SPI0_0))
    expected = chain_bytes(example_frame(), profile_with("spi", 10).chain)
    swapped = b"".join(bytes((expected[at + 1], expected[at], expected[at + 2])) for at in range(0, len(expected), 3))
    assert decode_for_each_chip(drawn, hz) == same_for_all([bytes(len(expected)), swapped])
    read = read_by_sigrok(drawn, int(hz), tmp_path)[len(expected) // 3 :]
    assert read == hex_colours(swapped) != hex_colours(expected)


def test_only_datasheets_detect_half_clock(tmp_path):
    drawn, hz = send_by_spi(PACKED.spi_hz // 2, PACKED.encode(DATA))
    assert decode_for_each_chip(drawn, hz) == same_for_all(None)
    assert read_by_sigrok(drawn, int(hz), tmp_path) == hex_colours(DATA)


def test_sigrok_rejects_ones_that_are_half_high(tmp_path):
    drawn, hz = send_by_spi(6_400_000, draw_bits("11000000", "11110000"))  # the default patterns of neopixel_spi
    assert decode_for_each_chip(drawn, hz) == {WS2812B: None, WS2812B_V5: [DATA], SK6812: [DATA]}
    assert read_by_sigrok(drawn, int(hz), tmp_path) == ["#000000", "#000001"]


def test_both_decoders_detect_pause_within_frame(tmp_path):
    whole = PACKED.encode(DATA)
    middle = len(whole) // 2 - 11  # a byte before the second lamp
    drawn, hz = send_by_spi(PACKED.spi_hz, whole[:middle], whole[middle:])
    assert not [found for found in decode_for_each_chip(drawn, hz).values() if found == [DATA]]
    assert read_by_sigrok(drawn, int(hz), tmp_path) != hex_colours(DATA)


# ---- setup of PWM and PCM ----

POKE_PROGRAM = """
import mmap, os, struct, time
from pond_hw.drivers.ws281x import Ws281xWire
from tests.kernel.inside.lamps import profile_with

memory = os.open("/dev/mem", os.O_RDWR)


def poke(address, value):
    with mmap.mmap(memory, 4096, offset=address & ~4095) as page:
        page[address & 4095 : (address & 4095) + 4] = struct.pack("=I", value)


wire = Ws281xWire(profile_with("ws281x", {pin}).chain)
wire.open()
{fault}
wire.send_bytes(bytes(48))
time.sleep(0.01)
poke(0xfe007a00, 1 << 31)  # the DMA channel is stopped, or it would wait for ever
os._exit(0)
"""

SETUP_FAULTS = {
    "nothing": (18, "", True),
    "clock stopped without its password": (18, "poke(0xfe1010a0, 1 << 5)", True),
    "PWM clock": (18, "poke(0xfe1010a0, 0x5a << 24 | 1 << 5)", False),
    "PWM": (18, "poke(0xfe20c000, 0)", False),
    "word length": (18, "poke(0xfe20c010, 16)", False),
    "pin function": (18, "poke(0xfe200004, 0)", False),
    "pin function set by the kernel": (
        18,
        "os.environ['LG_WD'] = '/run'; import lgpio; chip = lgpio.gpiochip_open(0); lgpio.gpio_claim_input(chip, 18)",
        False,
    ),
    "PCM: nothing": (21, "", True),
    "PCM: PCM clock": (21, "poke(0xfe101098, 0x5a << 24 | 1 << 5)", False),
    "PCM: PWM clock": (21, "poke(0xfe1010a0, 0x5a << 24 | 1 << 5)", True),
    "PCM: frame": (21, "poke(0xfe203008, 0)", False),
    "PCM: channel": (21, "poke(0xfe203010, 0)", False),
}


@pytest.mark.parametrize(("pin", "fault", "is_sent"), SETUP_FAULTS.values(), ids=SETUP_FAULTS)
def test_incomplete_setup_sends_nothing(pin, fault, is_sent):
    require("lgpio", "it takes the pin away")
    assert run_program(POKE_PROGRAM.format(pin=pin, fault=fault)) == (0, "")
    assert bool(read_transfers(*lamp_output(pin))) == is_sent


# ---- unavailable lamps ----


PR_CAPBSET_DROP, CAP_SYS_RAWIO = 24, 17

OPEN_LAMPS = """
import time
from pond_hw.board import BoardFault
from pond_hw.board_factory import build_lamps
from pond_hw.messages.catalogue import to_english
from tests.kernel.inside.lamps import example_frame, profile_with

lamps = build_lamps(profile_with({driver!r}, {pin}), time.monotonic)
for attempt in range(2):
    try:
        lamps.open()
        lamps.show(example_frame())
        print("frame shown")
    except BoardFault as fault:
        print("fault:", to_english(fault.message))
    time.sleep(0.3)
lamps.close()
"""


def report_faults(driver, pin, *, before="", **options):
    """Return the faults reported by a program that cannot use the lamps, tries twice, and exits normally."""
    result = run_program(before + OPEN_LAMPS.format(driver=driver, pin=pin), **options)
    faults = {text for text in result.output.splitlines() if text.startswith("fault: ")}
    assert (result.status, "frame shown" in result.output) == (0, False), result.output
    return sorted(text.removeprefix("fault: ") for text in faults)


@pytest.mark.parametrize("pin", [18, 21])
def test_rpi_ws281x_without_mailbox_is_reported(pin):
    with removed("/dev/vcio"):
        (fault,) = report_faults("ws281x", pin)
    before, after = text(Message("ws281x.refuses", pin=str(pin), text="|")).split("|")
    assert fault.startswith(f"{before}ws2811_init failed with code -")
    assert fault.endswith(after)


def test_neopixel_without_mailbox_is_reported():
    with removed("/dev/vcio"):
        (fault,) = report_faults("neopixel", 18)
    assert "ws2811_init failed with code -" in fault


def test_plain_rpi_ws281x_crashes_after_failure():
    code = """
import rpi_ws281x

strip = rpi_ws281x.PixelStrip(4, 18)
try:
    strip.begin()
except RuntimeError:
    print("begin failed", flush=True)
"""
    with removed("/dev/vcio"):
        result = run_program(code)
    assert result.status == -SIGSEGV
    assert "begin failed" in result.output


def as_user(*groups):
    """Return arguments to run as an unprivileged user in these groups. The user may read all files, to find Python."""
    reads = ("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search")
    group_options = (f"--groups={','.join(map(str, groups))}",) if groups else ("--clear-groups",)
    return {"prefix": ("setpriv", "--reuid=1000", "--regid=1000", *group_options, *reads)}


@pytest.fixture
def device_group():
    """A group that owns the devices that the real groups spi and gpio own."""
    devices = ["/dev/spidev0.0", "/dev/gpiomem"]
    for device in devices:
        os.chown(device, 0, 999)
        Path(device).chmod(0o660)
    yield 999
    for device in devices:
        os.chown(device, 0, 0)
        Path(device).chmod(0o600)


@pytest.mark.parametrize("driver", ["ws281x", "neopixel"])
@pytest.mark.parametrize(("pin", "kind"), [(18, "PWM"), (21, "PCM")])
def test_user_without_root_gets_advice_to_move_wire(device_group, driver, pin, kind):
    expected = text(Message("ws281x.no_root", pin=pin, source=kind))
    assert report_faults(driver, pin, **as_user(device_group)) == [expected]


def test_root_without_memory_access_gets_library_error():
    (fault,) = report_faults("ws281x", 18, preexec_fn=lambda: CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_RAWIO))
    before, _ = text(Message("ws281x.refuses", pin="18", text="|")).split("|")
    assert fault.startswith(f"{before}ws2811_init failed with code -")


@pytest.mark.parametrize("driver", ["spi", "ws281x"])
def test_group_members_light_spi_lamps_without_root(device_group, driver):
    result = run_program(OPEN_LAMPS.format(driver=driver, pin=10), **as_user(device_group))
    assert result == (0, "frame shown\nframe shown\n")
    assert read_transfers(SPI, SPI0_0)


@pytest.mark.parametrize("driver", ["spi", "ws281x", "neopixel"])
def test_user_outside_groups_gets_advice_to_join(driver):
    expected = text(Message("device.group", device="/dev/spidev0.0", group="spi"))
    assert report_faults(driver, 10, **as_user()) == [expected]


# ---- missing parts of Adafruit's libraries ----

HIDE_PACKAGE = """
import sys
from importlib.machinery import PathFinder


class WithoutIt(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] == {hidden!r} else super().find_spec(name, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutIt
"""

EXPANDERS = """
from pond_hw.board import BoardFault
from pond_hw.drivers.blinka import import_adafruit
from pond_hw.messages.catalogue import to_english

try:
    import_adafruit("adafruit_mcp230xx.mcp23017", "adafruit-circuitpython-mcp230xx")
except BoardFault as fault:
    print("fault:", to_english(fault.message))
"""


def run_at_terminal(code, answer=b""):
    """Return the result of a program at a terminal. Without an answer, it must exit by itself."""
    controller, terminal = pty.openpty()
    os.write(controller, answer)
    try:
        done = run_program(code, stdin=terminal, stdout=terminal, stderr=terminal)
        os.write(terminal, b"end of output\n")  # reading nothing would block
        output = os.read(controller, 65536).decode().replace("\r\n", "\n")
        return ProcessResult(done.status, output.removesuffix("end of output\n"))
    finally:
        os.close(terminal)
        os.close(controller)


MISSING = {
    "neopixel without gpiod": ("gpiod", OPEN_LAMPS.format(driver="neopixel", pin=18), "gpiod>=2.2.2,<3"),
    "neopixel without rpi_ws281x": ("rpi_ws281x", OPEN_LAMPS.format(driver="neopixel", pin=18), "rpi_ws281x"),
    "neopixel without the rpi_ws281x extension": (
        "_rpi_ws281x",
        OPEN_LAMPS.format(driver="neopixel", pin=18),
        "rpi_ws281x",
    ),
    "expanders without gpiod": ("gpiod", EXPANDERS, "gpiod>=2.2.2,<3"),
}


@pytest.mark.parametrize(("package", "code", "install"), MISSING.values(), ids=MISSING)
def test_missing_part_is_reported_without_prompt(package, code, install):
    result = run_at_terminal(HIDE_PACKAGE.format(hidden=package) + code)
    assert result.status == 0
    assert set(result.output.splitlines()) == {f"fault: {text(describe_missing_package(package, install))}"}


def test_rpi_ws281x_without_extension_is_reported():
    (fault,) = report_faults("ws281x", 18, before=HIDE_PACKAGE.format(hidden="_rpi_ws281x"))
    error = "No module named '_rpi_ws281x'"
    before, _ = text(Message("ws281x.unloadable", text=error, command="|")).split("|")
    assert fault.startswith(before)


def test_complete_library_does_not_prompt():
    assert run_at_terminal(EXPANDERS) == (0, "")


def test_plain_blinka_prompts_at_the_terminal():
    result = run_at_terminal(HIDE_PACKAGE.format(hidden="gpiod") + "import board", answer=b"n\n")
    assert "Install them into the current Python environment? [Y/n]" in result.output
