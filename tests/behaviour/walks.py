"""Set-up over the protocol. A simulated person reads the pages, looks at the lamps, presses cells, answers and waits."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

from tests.behaviour.case import Case, LineClient, Step, start_pond, temporary_folder

STEP_SEQUENCES = (
    ("map",), ("sensors",), ("break", "map"), ("map", "sensors"), ("sensors", "timing"), ("map", "calibrate"),
    ("calibrate", "sensors"), ("bright", "live"), ("lamps", "rows", "cells"), ("sensors", "bright", "bright"),
    ("guide",),    ("calibrate", "calibrate"), ("timing", "bright", "map"), ("bright", "guide"),
)  # fmt: skip
"""Sequences of set-up steps. If a board lacks a step, the program reports that."""

MAX_FUTILE_TRIES = 4
"""Maximum number of reactions without an effect."""

NONSENSE = (
    "", "{}", '{"reply":"?"}', '{"step":"dance"}', '{"press":"z9"}', '{"ask":"state"}', '{"wait":-1}', '{"reply":1}',
    '{"step":"sensors","cells":["z9"]}', '{"ask":"page"}', '{"touch":"b2"}', '{"release":"a1"}',
    '{"step":"live","cells":[]}',
)  # fmt: skip


class Walker:
    """Simulated person who follows the pages and lamps of set-up, with some mistakes."""

    def __init__(self, client: LineClient, rng: Random) -> None:
        self.client, self.rng = client, rng
        self.page: dict[str, Any] = {}
        self.steps: list[str] = []
        self._store_answers(client.first_answers)

    def _store_answers(self, answers: list[dict[str, Any]]) -> None:
        for answer in answers:
            if answer["type"] == "page":
                self.page = answer
            elif answer["type"] == "hello":
                self.steps = answer["steps"]

    def send(self, *lines: str | dict[str, Any]) -> None:
        for line in lines:
            self._store_answers(self.client.send(line))

    @property
    def keys(self) -> list[str]:
        return [choice["key"] for choice in self.page["choices"]]

    @property
    def lit(self) -> dict[str, list[int]]:
        """Bright cells, each with the colour of its brightest lamp."""
        shown = {cell: max(lamps, key=max) for cell, lamps in self.page["seen"].items() if "strip" not in cell}
        return {cell: lamp for cell, lamp in shown.items() if max(lamp) >= 8}

    def touch(self, *cells: str, owner: str = "light", seconds: float = 0.25) -> None:
        if self.rng.random() < 0.02:
            cells = ("a1", *cells[1:])
        self.send(*({"press": cell, "owner": owner} for cell in cells), {"wait": seconds})
        self.send(*({"release": cell} for cell in cells), {"wait": 0.3})

    def walk(self, step: str, most: int) -> None:
        """Go through one step until it ends, or until `most` lines have been sent."""
        begun = len(self.client.sent_lines)
        self.send({"guide": True} if step == "guide" else {"step": step})
        tried: list[object] = []
        while not self.client.has_exited and not self.page["over"]:
            if self.page["step"] is None or len(self.client.sent_lines) > begun + most:
                break
            before = self.page["step"], self.page["asks"], self.page["done"], tuple(self.lit)
            tried = [*tried, before] if before in tried else [before]
            if self.rng.random() < 0.03:
                self.send(self.rng.choice(NONSENSE))
            self.react(len(tried) > MAX_FUTILE_TRIES)
        if self.page["step"] is not None:
            self.send({"reply": "q"})
        more = [key for key in self.keys if not key.isdigit() and key != "q"]  # such as undo
        if more and self.page["step"] is None and self.rng.random() < 0.3:
            self.send({"reply": self.rng.choice(more)})

    def react(self, is_stuck: bool) -> None:
        """React to the request on the page. If `is_stuck` is True, repeated reactions have had no effect."""
        asks, lit, rng = self.page["asks"], self.lit, self.rng
        named = re.findall(r"\b([a-e][1-5])\b", asks)
        if "y" in self.keys and self.page["step"] != "sensors":
            lamp_lit = any(max(lamp) for lamps in self.page["seen"].values() for lamp in lamps)
            honest = lamp_lit if self.page["step"] == "break" else rng.random() < 0.9
            self.send({"wait": 0.3}, {"reply": "y" if honest or "n" not in self.keys else "n"})
        elif is_stuck and (keys := [key for key in ("x", "s", "n", "q") if key in self.keys]):
            self.send({"reply": keys[0]})
        elif self.page["step"] in ("found", "live", "shown"):
            self.send({"touch": rng.choice(["a1", "b2", "c3"])}, {"reply": "q"})
        elif (colour := re.search("the (red|green|blue) one", asks)) and lit:
            channel = ("red", "green", "blue").index(colour[1])
            self.touch(max(lit, key=lambda cell: lit[cell][channel]))
        elif "that is lit" in asks and len(lit) == 1:
            self.touch(next(iter(lit)))
        elif "hands" in asks or not named or asks.startswith("Take the piece"):
            simple = [key for key in self.keys if key in ("+", "-", "f", "b")]
            self.send({"reply": rng.choice(simple)} if simple and rng.random() < 0.5 else {"wait": 1.0})
        elif "Hold down" in asks:
            self.touch(*named, seconds=0.6)
        else:
            seconds = 0.8 if self.page["step"] == "calibrate" else 0.25
            self.touch(named[0], owner="dark" if "dark's" in asks else "light", seconds=seconds)


def list_profiles() -> list[str]:
    """Return the names of the built-in profiles."""
    with temporary_folder({}) as folder:
        lines = start_pond(["boards"], folder).communicate()[0].decode().splitlines()
    return [line.split()[0] for line in lines]


def _list_flaw_kinds(board: str) -> list[str]:
    """Return the kinds of flaws that a board can have, taken from an error message of set-up."""
    args = ["setup", "--headless", "--board", board, "--pretend", "--flaw", "x"]
    with temporary_folder({}) as folder:
        error_output = start_pond(args, folder).communicate()[1].decode()
    return re.findall(r"\b([a-z][a-z-]+):", error_output.partition("Choose")[2])


def _choose_flaws(kinds: list[str], size: int, rng: Random) -> list[str]:
    """Return up to three flaws as `--flaw` arguments."""
    cells, flaws = [f"{file}{row + 1}" for file in "abcde"[:size] for row in range(size)], []
    for kind in rng.sample(kinds, rng.choice([0, 1, 1, 2, 2, 3])):
        places = rng.sample(cells, 2 if kind == "swapped" else 1)
        if kind == "broken":
            places = [str(rng.randrange(size * size))]
        elif kind == "colours":
            places = ["".join(rng.sample("RGB", 3))]
        flaws += ["--flaw", ":".join((kind, *places))]
    return flaws


def make_walk_factory() -> Callable[[int], Case]:
    """Return a function that makes the case with a given number. The cases use the boards in turn."""
    boards = list_profiles()
    kinds = {board: _list_flaw_kinds(board) for board in boards}

    def walk(number: int) -> Case:
        board, rng = boards[number % len(boards)], Random(f"walk {number}")
        args = ["setup", "--headless", "--board", board, *(["--pretend"] if rng.random() < 0.9 else [])]
        if "--pretend" in args or board.startswith("simulated"):
            args += [*_choose_flaws(kinds[board], int(board[-1]), rng), "--seed", str(rng.randrange(1000))]
        boxed = ["--record", "walk.box"] if number % 24 == 0 else []
        with temporary_folder({}) as folder:
            client = LineClient([*args, *boxed], folder)
            walker = Walker(client, rng)
            rare = [each for each in STEP_SEQUENCES if "calibrate" in each and "calibrate" in walker.steps]
            for each in rng.choice(rare if rare and rng.random() < 0.6 else STEP_SEQUENCES):
                if not client.has_exited:
                    walker.walk(each, 500)
            step = client.finish()
        step.peek = True
        after = [Step(["replay-board", "--text", "walk.box"])] if boxed else [Step(["boards", board])]
        return Case("setup", f"walk-{number:03}-{board}", [step, *after], kept=["*.toml*", "*.json"])

    return walk
