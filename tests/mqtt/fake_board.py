"""A board that obeys the lines of a linked game, without a session."""

from pond_hw.rules import DARK, LIGHT, Action, EndReason, Outcome, Record, parse_variant, play
from pond_hw.server.protocol import outcome_to_json


class FakeBoard:
    """A board with its game on disk. `sent` holds the messages to the link process that have not been read.

    Attributes:
        wishes: whether wishes are possible, because a link process is connected.
    """

    def __init__(self, size=4, variant="standard"):
        self.size = size
        self.game, self.side, self.record = None, None, Record(parse_variant(variant))
        self.status, self.sent, self.is_busy, self.refusals = None, [], False, 0
        self.asks_to_resume = False

    # The people at the board

    @property
    def is_own_turn(self):
        is_playing = self.game and not self.is_busy and not self.record.outcome
        return bool(is_playing) and str(self.record.position.to_move) == self.side

    def touch(self, action):
        assert self.is_own_turn
        self._set_game(turns=(*self.record.turns, play(self.record.position, action)))

    def wish(self, change, **answer):
        assert self.status is not None
        self.sent.append({"type": "wish", "wish": change, **answer})

    # The link process

    def connect(self):
        self.status, self.sent = None, [{"type": "hello", "size": self.size}]
        self._report()

    def receive(self, line):
        match line:
            case {"ask": "record"}:
                self.sent.append({"type": "record", "record": str(self.record)})
                return
            case {"command": "link"}:
                self.status = line
            case {"command": "follow"}:
                self._follow(line)
        self._report()

    def _follow(self, line):
        assert len(line["actions"]) <= 200
        if self.is_busy:
            return
        is_other = line["game"] != self.game
        if self.asks_to_resume and not is_other:
            self.asks_to_resume = False
            return
        if is_other and (line["turn"] or line["keep"]):
            raise AssertionError("a new game with turns to keep")
        if not is_other and line["turn"] != len(self.record.turns):
            self.refusals += 1
            return
        turns = self.record.turns[: line["keep"]]
        variant = parse_variant(line["variant"])
        assert variant.size <= self.size
        game = Record(variant, turns)
        for notation in line["actions"]:
            game = Record(variant, (*game.turns, play(game.position, Action.from_notation(notation))))
        outcome = line["outcome"]
        if outcome:
            winner = {"light": LIGHT, "dark": DARK, None: None}[outcome["winner"]]
            game = Record(variant, game.turns, Outcome(winner, EndReason(outcome["reason"])))
        self.game, self.side, self.record = line["game"], line["side"], game

    def _set_game(self, **changes):
        self.record = Record(self.record.variant, **changes)
        self._report()

    def _report(self):
        position = self.record.position
        self.sent.append(
            {
                "type": "state",
                "variant": self.record.variant.name,
                "position": position.notation_line,
                "turn": len(self.record.turns) + 1,
                "outcome": outcome_to_json(self.record.outcome),
                "phase": "resume" if self.asks_to_resume else "act",
                **({"link": {**(self.status or {}), "game": self.game}} if self.game else {}),
                **({"exercise": {"name": "first-egg"}} if self.is_busy else {}),
            }
        )
