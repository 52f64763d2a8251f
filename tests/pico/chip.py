"""A simulated chip: the MicroPython modules that the firmware imports, and the parts on its pins."""

import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import pytest

from tests.pico.cable import FIRMWARE
from tests.pico.state_machine import Program

PWRON_RESET, WDT_RESET = 1, 3


class Reset(BaseException):
    """Reset of the chip. No code runs after it."""


class Chip:
    """Parts on the Pico's pins.

    Attributes:
        grounded: GPIOs pulled low by a switch or a sensor.
        closed: closed crossings of a matrix.
        driven: GPIOs that are driven low.
        pins: configuration of each GPIO.
        expanders: MCP23017s by address.
        cause: value of `machine.reset_cause`.
        glow: bytes that the lamps on the wire show, also those beyond the end of the configured chain.
        data_pin: GPIO of the lamps' wire.
        byte_us: time in microseconds for a byte on that wire.
        us: time in microseconds. It passes while the firmware looks at the clock.
        frames: all frames that were sent to the lamps.
        was_lit_at_resets: for each reset, True if a lamp was lit.
        interrupts: arguments of `kbd_intr`.
        watchdog_ms: time-out of the running watchdog; None if none runs.
        usb: active USB device; None for MicroPython's own.
        received, sent: bytes of the game's port.
        is_read: True if the computer reads that port.
        ms_per_clock_read: milliseconds that pass whenever the clock is read.
    """

    def __init__(self):
        self.grounded, self.closed, self.driven, self.pins = set(), set(), set(), {}
        self.expanders = {0x20: Expander(), 0x21: Expander()}
        self.data_pin, self.byte_us, self.fed, self.restarts = None, None, 0, 0
        self._glow, self._sending = bytearray(600), (0, b"")  # the time at which a frame is shown, and its bytes
        self.frames, self.was_lit_at_resets, self.us = [], [], 0
        self.cause, self.interrupts = PWRON_RESET, []
        self.ticks, self.ms_per_clock_read = 0, 0
        self.watchdog_ms, self.usb, self.received, self._sent, self.is_read = None, None, b"", b"", True

    def is_low(self, gpio):
        return gpio in self.grounded or any(sense == gpio and drive in self.driven for drive, sense in self.closed)

    def modules(self):
        """Return the MicroPython modules that the firmware imports, by name."""
        chip = self

        class Pin:
            IN, OUT, OPEN_DRAIN, PULL_UP = "in", "out", "open", "up"

            def __init__(self, gpio, kind=None, pull=None, value=None):
                self.gpio = gpio
                chip.pins[gpio] = (kind, pull)

            def value(self, level=None):
                if level is None:
                    return not chip.is_low(self.gpio)
                (chip.driven.discard if level else chip.driven.add)(self.gpio)
                return None

        class Registers:
            def __getitem__(self, address):
                assert address == 0xD0000004
                return sum(1 << gpio for gpio in chip.pins if not chip.is_low(gpio))

            def __setitem__(self, address, value):
                assert (address, value) == (0x4005B000, 1 << 30)  # clears WATCHDOG_CTRL.ENABLE
                chip.watchdog_ms = None

        class I2C:
            def __init__(self, number, sda, scl, freq, timeout):
                assert (number, sda.gpio, scl.gpio) == (0, 4, 5)

            def readfrom_mem(self, address, register, count):
                return chip.expanders[address].read(register, count)

            def writeto_mem(self, address, register, data):
                chip.expanders[address].write(register, data)

        class Watchdog:
            def __init__(self, timeout):
                assert 1000 <= timeout <= 8388  # maximum of an RP2040
                chip.watchdog_ms = timeout

            def feed(self):
                chip.fed += 1

        class StateMachine:
            def __init__(self, number, program, freq, sideset_base):
                assert number == 0
                chip.data_pin = sideset_base.gpio
                chip.byte_us = 8 * max(sum(program.pulse(bit, freq)) for bit in (0, 1)) / 1000

            def active(self, is_active):
                assert is_active

        class Dma:
            def pack_ctrl(self, **options):
                assert options == {"size": 0, "inc_write": False, "treq_sel": 0}
                return options

            def config(self, read, write, count, ctrl, trigger):
                assert (type(write), count, trigger) == (StateMachine, len(read), True)
                assert chip.us >= chip._sending[0], "the frame before would not end"
                chip._settle()
                chip._sending = chip.us + chip.byte_us * count + 280, bytes(read)
                chip.frames.append(bytes(read))

        machine = SimpleNamespace(Pin=Pin, mem32=Registers(), I2C=I2C, WDT=Watchdog, reset=self.reset)
        machine.USBDevice = type("USBDevice", (UsbDevice,), {"chip": chip})
        vars(machine).update(PWRON_RESET=PWRON_RESET, WDT_RESET=WDT_RESET, reset_cause=lambda: self.cause)
        pio = SimpleNamespace(OUT_LOW=0, SHIFT_LEFT=0)
        rp2 = SimpleNamespace(PIO=pio, StateMachine=StateMachine, DMA=Dma, asm_pio=lambda **options: Program)
        return {
            "machine": machine,
            "micropython": SimpleNamespace(kbd_intr=self.interrupts.append, RingIO=RingIO),
            "rp2": rp2,
        }

    @property
    def glow(self):
        self._settle()
        return self._glow

    @property
    def sent(self):
        self.run_usb()
        return self._sent

    def run_usb(self):
        """Transfer packets of the game's port as long as its driver and the computer take them."""
        while self.usb and self.usb.transfer_packet():
            pass

    def _settle(self):
        """Show the frame that was sent, if all of it has arrived."""
        shown_at, data = self._sending
        if self.us >= shown_at:
            self._glow[: len(data)] = data
            self._sending = 0, b""

    def reset(self):
        self.restarts += 1
        self.cause = WDT_RESET  # an RP2040 reports a software reset as the watchdog's
        self.watchdog_ms = self.usb = None
        self.was_lit_at_resets.append(any(self.glow))
        raise Reset

    def read_us(self):
        self.run_usb()
        self.us += 100
        return self.us

    def read_clock(self):
        self.run_usb()
        self.ticks += self.ms_per_clock_read
        return self.ticks


class RingIO(bytearray):
    """Stand-in for MicroPython's ring buffer."""

    def __init__(self, size):
        super().__init__()
        self._size = size

    def any(self):
        return len(self)

    def write(self, data):
        taken = bytes(data[: self._size - len(self)])
        self.extend(taken)
        return len(taken)

    def read(self):
        data = bytes(self)
        self.clear()
        return data

    def readinto(self, buffer):
        count = min(len(buffer), len(self))
        buffer[:count] = self[:count]
        del self[:count]
        return count


class UsbDevice:
    """USB device of a chip, with MicroPython's own serial port built in. The computer opens it as soon as it is active.

    Attributes:
        chip: the chip.
        device, configuration: descriptors.
        on_request: function that answers control requests.
        on_reset: function that is called when the computer resets the bus.
    """

    BUILTIN_DEFAULT = SimpleNamespace(
        itf_max=2,
        ep_max=3,
        desc_dev=bytes.fromhex("1201000200000040 8a2e0500 0001 010203 01"),
        desc_cfg=bytes.fromhex(
            "09024b00020100807d 080b000202020000 0904000001020200 04 05240020 01 0524010001 04240202 0524060001"
            "07058103080010 09040100020a000000 07050202400000 07058202400000"
        ),
    )
    chip = None

    def __init__(self):
        self.builtin_driver, self._transfers = None, {}

    def config(self, device, configuration, *, desc_strs, open_itf_cb, reset_cb, control_xfer_cb, xfer_cb):
        self.device, self.configuration = device, bytes(configuration)
        self._on_open, self.on_reset, self.on_request, self._on_transfer = (
            open_itf_cb,
            reset_cb,
            control_xfer_cb,
            xfer_cb,
        )

    def active(self, is_active):
        assert is_active
        self.chip.usb = self
        self.open()

    def open(self):
        """Open the game's port, as a computer does after it has read the descriptors."""
        assert self.builtin_driver is self.BUILTIN_DEFAULT  # the prompt
        assert self.configuration.startswith(self.BUILTIN_DEFAULT.desc_cfg[9:], 9)
        self._transfers.clear()
        self._on_open(self.configuration[len(self.BUILTIN_DEFAULT.desc_cfg) :])

    @property
    def declared_ma(self):
        return 2 * self.configuration[8]

    def submit_xfer(self, endpoint, buffer):
        if endpoint in self._transfers:
            raise OSError(16)
        self._transfers[endpoint] = buffer
        return True

    def transfer_packet(self):
        """Transfer a packet in either direction. Return False if there is none."""
        for endpoint in self._transfers:
            is_from_chip = endpoint & 0x80
            if self.chip.is_read if is_from_chip else self.chip.received:
                break
        else:
            return False
        buffer = self._transfers.pop(endpoint)
        count = len(buffer)
        if is_from_chip:
            self.chip._sent += bytes(buffer)
        else:
            count = min(count, len(self.chip.received))
            buffer[:count], self.chip.received = self.chip.received[:count], self.chip.received[count:]
        self._on_transfer(endpoint, 0, count)
        return True


class Expander:
    """MCP23017 with the registers that the firmware uses.

    Attributes:
        grounded: mask of pins at ground.
        dead: True if it does not answer.
    """

    def __init__(self):
        self.grounded, self.dead = 0, False
        self.forget()

    def forget(self):
        """Lose all settings, as in a brown-out."""
        self.directions, self.pull_ups, self.outputs = 0xFFFF, 0, 0

    def read(self, register, count):
        if self.dead:
            raise OSError(5)
        held = self.pull_ups & ~self.grounded
        levels = (held & self.directions) | (self.outputs & ~self.directions)
        value = {0x00: self.directions, 0x0C: self.pull_ups, 0x12: levels & 0xFFFF}[register]
        return value.to_bytes(2, "little")[:count]

    def write(self, register, data):
        if self.dead:
            raise OSError(5)
        value = int.from_bytes(data, "little")
        name = {0x00: "directions", 0x0C: "pull_ups", 0x12: "outputs"}[register]
        setattr(self, name, value)


@contextmanager
def simulated_chip():
    """Let the firmware's modules be imported, on a new chip."""
    chip, modules = Chip(), ("pico_hardware", "pond_start", "game_port")
    with pytest.MonkeyPatch.context() as patch:
        for name, module in chip.modules().items():
            stand_in = ModuleType(name)
            vars(stand_in).update(vars(module))
            patch.setitem(sys.modules, name, stand_in)
        patch.setattr("time.sleep_us", lambda us: None, raising=False)
        patch.setattr("time.sleep_ms", lambda ms: None, raising=False)
        patch.setattr("time.ticks_ms", chip.read_clock, raising=False)
        patch.setattr("time.ticks_us", chip.read_us, raising=False)
        patch.setattr("time.ticks_add", lambda one, other: one + other, raising=False)
        patch.setattr("time.ticks_diff", lambda one, other: one - other, raising=False)
        for name in modules:
            patch.delitem(sys.modules, name, raising=False)
        patch.syspath_prepend(str(FIRMWARE))
        yield chip
        for name in modules:
            sys.modules.pop(name, None)
