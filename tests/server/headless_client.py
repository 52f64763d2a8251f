"""Client of a headless board."""

import json
import weakref

from pond_hw.rules import parse_variant
from pond_hw.server.headless import HeadlessGame


class HeadlessClient:
    """A headless board and its client. Options are passed on to `HeadlessGame`.

    Attributes:
        lines: all lines from the board.
    """

    def __init__(self, pond="standard", **options):
        self.game = HeadlessGame(parse_variant(pond), **options)
        weakref.finalize(self, self.game.companion.close)  # closes files of boards that a test has left
        self.lines = [self.game.format_hello(), *self.game.opening_lines()]

    @property
    def hello(self):
        return json.loads(self.lines[0])

    def request(self, line):
        answers = list(self.game.answer_line(line if isinstance(line, bytes) else json.dumps(line).encode()))
        self.lines += answers
        return [json.loads(answer) for answer in answers]

    def state(self):
        return self.request({"ask": "state"})[0]
