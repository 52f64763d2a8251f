"""Replacement for main.py in the emulator. It prints measurements.

memory FREE ALLOCATED STEP_US SCAN_US RECEIVE_US LIGHT_US       bytes, and maximum microseconds so far
"""

import gc
import time

import pico_hardware
import pond_board

worst = [0] * 4  # step, scan, receive, light in us
steps = 0


def timed(function, place):
    def call(*given):
        started_at = time.ticks_us()
        answer = function(*given)
        took = time.ticks_diff(time.ticks_us(), started_at)
        if took > worst[place] and steps > 20:
            worst[place] = took
        return answer

    return call


plain_step = pond_board.PondBoard.step
timed_step = timed(plain_step, 0)


def step(self, now):
    global steps
    timed_step(self, now)
    steps += 1
    if steps % 500 == 0:
        gc.collect()
        self._queue_line(("memory %d %d %d %d %d %d" % ((gc.mem_free(), gc.mem_alloc()) + tuple(worst))).encode())


pond_board.PondBoard.step = step
pico_hardware.PicoHardware.read_levels = timed(pico_hardware.PicoHardware.read_levels, 1)
pico_hardware.PicoHardware.receive = timed(pico_hardware.PicoHardware.receive, 2)
pico_hardware.PicoHardware.light = timed(pico_hardware.PicoHardware.light, 3)

import main_program  # noqa: E402, F401 - it never returns
