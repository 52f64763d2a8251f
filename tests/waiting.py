"""Wait for what another process or thread does."""

from time import monotonic, sleep


def wait_for(find, what="it", seconds=20.0):
    """Return what `find` finds, as soon as it finds anything."""
    until = monotonic() + seconds
    while not (found := find()):
        assert monotonic() < until, f"{what} takes too long"
        sleep(0.02)
    return found
