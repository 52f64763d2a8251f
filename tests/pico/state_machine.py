"""The program of a PIO state machine, as the firmware writes it with `rp2.asm_pio`, and the pulses that it sends."""

from fractions import Fraction

from tests.drivers.ws2812 import Pulse


class Instruction:
    """An instruction with its side-set level, and its delay in square brackets."""

    def __init__(self, name, operands):
        self.name, self.operands, self.level, self.cycles = name, operands, None, 1

    def side(self, level):
        self.level = level
        return self

    def __getitem__(self, delay):
        self.cycles += delay
        return self


class Program:
    """The instructions in a function that `rp2.asm_pio` decorates."""

    def __init__(self, function):
        self._steps, self._labels, self._start, self._end = [], {}, 0, None
        words = {name: self._adder(name) for name in ("out", "jmp", "nop")}
        words |= {"x": "x", "not_x": "not_x", "label": self._label, "wrap_target": self._target, "wrap": self._wrap}
        scope = function.__globals__
        assert not words.keys() & scope.keys()
        scope.update(words)
        try:
            function()
        finally:
            for name in words:
                del scope[name]

    def _adder(self, name):
        def add(*operands):
            self._steps.append(Instruction(name, operands))
            return self._steps[-1]

        return add

    def _label(self, name):
        self._labels[name] = len(self._steps)

    def _target(self):
        self._start = len(self._steps)

    def _wrap(self):
        self._end = len(self._steps)

    def pulse(self, bit, hz):
        """Return the pulse that sends a bit between others: the time high, then low until the next one."""
        levels, x, at, outs = "", None, self._start, 0
        while True:
            step = self._steps[at]
            outs += step.name == "out"
            if outs == 3:
                break
            levels += str(step.level) * step.cycles
            at = self._start if at + 1 == self._end else at + 1
            match step.name, step.operands:
                case "out", ("x", 1):
                    x = bit
                case "jmp", ("not_x", name):
                    at = at if x else self._labels[name]
                case "jmp", (name,):
                    at = self._labels[name]
                case _:
                    assert step.name == "nop"
        first = levels.index("1")
        high = levels.index("0", first) - first
        low = levels.index("1", first + high) - first - high
        tick = Fraction(10**9, hz)
        return Pulse(high * tick, low * tick)


def firmware_pulses():
    """Return the pulses of a 0 and a 1 from a Pico with our firmware."""
    from tests.pico.chip import simulated_chip

    with simulated_chip():
        from pico_hardware import CYCLE_HZ, send_bits

        return tuple(send_bits.pulse(bit, CYCLE_HZ) for bit in (0, 1))
