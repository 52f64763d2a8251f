"""Waiting for other processes and threads."""

from time import monotonic, sleep


def wait_for(find, what="it", seconds=20.0):
    """Call `find` until it returns something true. Return that."""
    until = monotonic() + seconds
    while not (found := find()):
        assert monotonic() < until, f"{what} takes too long"
        sleep(0.02)
    return found
