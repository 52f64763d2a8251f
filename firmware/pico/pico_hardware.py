"""Access to the Pico's pins, lamps and the game's USB port, for `pond_board`."""

import os
import time

import machine
import micropython
import rp2
from machine import Pin
from pond_start import CONFIG

WATCHDOG_MS = 4000

GPIO_IN = 0xD000_0004  # levels of all pins (RP2040 data sheet, SIO; the same on the RP2350)
WATCHDOG_CTRL = 0x400D_8000 if "RP2350" in os.uname().machine else 0x4005_8000
CLEAR, WATCHDOG_ENABLE = 0x3000, 1 << 30  # writes to the clear alias switch bits off (RP2040 data sheet, 2.1.2 and 4.7)
IODIR, GPPU, GPIO = 0x00, 0x0C, 0x12  # MCP23017 registers, both ports in one word
CANARIES, CANARY_LEVELS = 0x8080, 0x0080  # bit 7 of each port is an output, A high and B low, to detect a reset


class DirectPins:
    """Switches or digital hall sensors from pins to ground."""

    def __init__(self, config):
        self._pins = [Pin(number, Pin.IN, Pin.PULL_UP) for number in config["wires"]]
        self._masks = [1 << number for number in config["wires"]]
        self._all = sum(self._masks)
        self._high, self._levels = -1, 0

    def read(self):
        """Return a mask of the inputs that are down; bit 0 is the first wire."""
        high = machine.mem32[GPIO_IN] & self._all
        if high != self._high:
            self._high = high
            self._levels = sum(1 << number for number, mask in enumerate(self._masks) if not high & mask)
        return self._levels


class MatrixPins:
    """Switches with diodes at the crossings of drive and sense lines."""

    def __init__(self, config):
        wires = config["wires"]
        self._senses = [Pin(sense, Pin.IN, Pin.PULL_UP) for sense in {sense for _, sense in wires}]
        drives = {drive: Pin(drive, Pin.OPEN_DRAIN, value=1) for drive, _ in wires}
        self._lines = [
            (pin, [(1 << bit, 1 << sense) for bit, (each, sense) in enumerate(wires) if each == drive])
            for drive, pin in drives.items()
        ]

    def read(self):
        """Return a mask of the inputs that are down."""
        levels = 0
        for drive, crossings in self._lines:
            drive.value(0)
            time.sleep_us(5)
            high = machine.mem32[GPIO_IN]
            drive.value(1)
            for bit, mask in crossings:
                if not high & mask:
                    levels |= bit
            time.sleep_us(20)  # a 50 kilohm pull-up needs this to raise the lines
        return levels


class Expanders:
    """Switches or digital hall sensors on MCP23017 chips."""

    def __init__(self, config):
        self._bus = machine.I2C(0, sda=Pin(config["sda"]), scl=Pin(config["scl"]), freq=400_000, timeout=5000)
        self._chips = {address: None for address, _ in config["wires"]}  # latest levels; None if not set up
        self._wires = [(1 << number, address, 1 << bit) for number, (address, bit) in enumerate(config["wires"])]

    def _get(self, address, register):
        low, high = self._bus.readfrom_mem(address, register, 2)
        return low | high << 8

    def _set(self, address, register, value):
        self._bus.writeto_mem(address, register, bytes((value & 255, value >> 8)))

    def _read_chip(self, address):
        inputs, before = 0xFFFF & ~CANARIES, self._chips[address]
        self._chips[address] = None
        if before is None:
            self._set(address, GPIO, CANARY_LEVELS)
            self._set(address, IODIR, inputs)
            self._set(address, GPPU, inputs)
        levels = self._get(address, GPIO)
        kept = levels == before or (self._get(address, IODIR) == inputs and self._get(address, GPPU) == inputs)
        if levels & CANARIES != CANARY_LEVELS or not kept:
            raise OSError("the expander has lost its settings")
        self._chips[address] = levels

    def read(self):
        """Return a mask of the inputs that are down. Raise OSError if a chip does not answer correctly."""
        for address in self._chips:
            self._read_chip(address)
        levels = 0
        for bit, address, mask in self._wires:
            if not self._chips[address] & mask:
                levels |= bit
        return levels


CYCLE_HZ = 8_333_333  # 120 ns: 125 MHz / 15 (RP2040) or 150 MHz / 18 (RP2350). A fraction would cause jitter
BYTE_US, LATCH_US = 11, 300  # the time for a byte, and the pause after which lamps show it (WS2812B: above 280 us)
FIRST_STATE_MACHINE = 0  # also the number of the request (DREQ) with which it asks the DMA for bytes


@rp2.asm_pio(sideset_init=rp2.PIO.OUT_LOW, out_shiftdir=rp2.PIO.SHIFT_LEFT, autopull=True, pull_thresh=8)
def send_bits():
    """Send a bit in eleven cycles: the line is high for three (360 ns) if it is 0, for six (720 ns) if it is 1.

    Only this pattern suits all three kinds of lamps (docs/decisions/0006-eleven-spi-bits-per-lamp-bit.md).
    """
    wrap_target()
    label("bit")
    out(x, 1).side(0)[4]
    jmp(not_x, "zero").side(1)[2]
    jmp("bit").side(1)[2]
    label("zero")
    nop().side(0)[2]
    wrap()


class Lamps:
    """The chain of lamps, driven by PIO and DMA. It starts dark: without new data, lamps keep their last frame."""

    def __init__(self, config):
        self._frame = bytearray(3 * config["lamps"])
        pin = Pin(config["data"])
        self._sender = rp2.StateMachine(FIRST_STATE_MACHINE, send_bits, freq=CYCLE_HZ, sideset_base=pin)
        self._sender.active(1)
        self._dma = rp2.DMA()
        self._control = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=FIRST_STATE_MACHINE)  # size 0: bytes
        self._done_at = time.ticks_us()
        self.darken()

    def light(self, data):
        """Show a frame: three bytes for each lamp, in chain order. It is sent in the background."""
        self._wait()
        self._frame[:] = data
        self._dma.config(read=self._frame, write=self._sender, count=len(data), ctrl=self._control, trigger=True)
        self._done_at = time.ticks_add(time.ticks_us(), BYTE_US * len(data) + LATCH_US)

    def darken(self):
        """Switch all lamps off, and wait until they are."""
        self.light(bytes(len(self._frame)))
        self._wait()

    def _wait(self):
        while time.ticks_diff(self._done_at, time.ticks_us()) > 0:
            pass


class PicoHardware:
    """Hardware for `pond_board.PondBoard`.

    Args:
        config: settings from `pond_board.parse_config`; None for a board without sensors and lamps.
        port: the game's port from `game_port`.
    """

    def __init__(self, config, port):
        kinds = {"gpio": DirectPins, "matrix": MatrixPins, "mcp23017": Expanders}
        self._lamps = Lamps(config) if config else None
        self._sensors = kinds[config["read"]](config) if config else None
        keys = enumerate(config["keys"], len(config["wires"])) if config else ()
        self._keys = [(1 << bit, Pin(number, Pin.IN, Pin.PULL_UP)) for bit, number in keys]
        self._port = port
        self._watchdog = machine.WDT(timeout=WATCHDOG_MS)
        self._ticks, self._now = time.ticks_ms(), 0

    def now(self):
        """Return milliseconds since the start; the chip's own counter overflows after some days."""
        self._watchdog.feed()
        ticks = time.ticks_ms()
        self._now += time.ticks_diff(ticks, self._ticks)
        self._ticks = ticks
        return self._now

    def read_levels(self):
        """Return a mask of the inputs that are down; the turn keys come last."""
        levels = self._sensors.read() if self._sensors else 0
        for bit, key in self._keys:
            if not key.value():
                levels |= bit
        return levels

    def light(self, data):
        """Show a frame: three bytes for each lamp, in chain order."""
        if self._lamps:
            self._lamps.light(data)

    def receive(self):
        """Return the received bytes."""
        return self._port.read()

    def send(self, data):
        """Send as much of `data` as fits the port's buffer, and return the number of bytes."""
        return self._port.write(data)

    def save_config(self, text):
        """Save a configuration atomically."""
        with open("new.json", "wb") as file:
            file.write(text)
        os.rename("new.json", CONFIG)

    def restart(self):
        """Restart with the lamps off."""
        self.stop()
        machine.reset()

    def stop(self):
        """Switch the lamps and the watchdog off, so that the prompt can be used."""
        micropython.kbd_intr(-1)  # mpremote may send a second Ctrl-C, which must not interrupt this
        if self._lamps:
            self._lamps.darken()
        machine.mem32[WATCHDOG_CTRL + CLEAR] = WATCHDOG_ENABLE
