"""A clock for tests."""


class Clock:
    """A clock that is set by hand; to call it is to ask it.

    Attributes:
        time: in seconds.
    """

    def __init__(self, time=0.0):
        self.time = time

    def now(self):
        return self.time

    __call__ = now

    def sleep(self, seconds):
        self.time += seconds

    def reach(self, instant):
        """Go on to an instant, unless it is over."""
        self.time = max(self.time, instant)
