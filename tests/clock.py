"""Clock for tests."""


class Clock:
    """Clock that tests set. Calling it returns the time.

    Attributes:
        time: time in seconds.
    """

    def __init__(self, time=0.0):
        self.time = time

    def now(self):
        return self.time

    __call__ = now

    def sleep(self, seconds):
        self.time += seconds

    def reach(self, instant):
        """Advance to an instant, unless it has passed."""
        self.time = max(self.time, instant)
