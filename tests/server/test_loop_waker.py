"""What wakes the loop of a service."""

import select
import threading
from contextlib import closing

from pond_hw.server.loop_waker import LoopWaker


def test_a_bell_can_be_waited_for_and_is_silent_once_it_was_heard():
    with closing(LoopWaker()) as bell:
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        assert not poll.poll(0)
        ringing = threading.Thread(target=bell.set)
        ringing.start()
        assert poll.poll(20_000)
        ringing.join()
        assert bell.is_set()
        for _ in range(20_000):
            bell.set()  # more than fits into any buffer, and nobody waits
        bell.clear()
        assert poll.poll(0)
        bell.drain()
        assert not poll.poll(0)
        assert not bell.is_set()
    bell.set()  # by a thread that has not heard of the end


def test_a_finger_wakes_the_service(serve):
    served = serve()
    served.turns()
    poll = select.poll()
    poll.register(served.bell, select.POLLIN)
    assert not poll.poll(0)
    served.hands.touch("b2")
    assert poll.poll(0)
    served.turns(1)
    assert served.played == ["@b2"]
    assert not poll.poll(0)
