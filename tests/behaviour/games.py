"""Games over the protocol. A player reads the states, acts like a person, and sometimes sends random lines."""

from pathlib import Path
from random import Random
from typing import Any

from tests.behaviour.case import Case, LineClient, Step, temporary_folder

PONDS = (
    "standard",
    "mini",
    "small-11",
    "small-13",
    "small-14",
    "big",
    "big-15",
    "3x3/9/5",
    "3x3/4/3",
    "4x4/6/6",
    "5x5/7/4",
)
FAULTS = ("bounce", "chatter", "dropout", "stuck-on", "stuck-off", "cross-talk", "drift", "stuck-on:b2", "stuck-off:a1")
POSITIONS = (
    "e..f/..../.T../E..F l 10 11 0 0", "...f/..../TeT./E.EF l 8 11 0 0", ".t../..F./e..T/T... d 6 6 4 5",
    ".tt./..FE/ft.T/T..T l 1 1 7 8", "..../..../..../.... d 0 0 6 6", "...../.T.t./..F../.e.E./..... l 3 4 5 6",
    "TTTT/..../..../.... l 5 5 5 5", "...", ".../.../... l 4 4 0 0",
)  # fmt: skip
WAITS = (0, 0.02, 0.1, 0.3, 0.3, 0.3, 0.5, 1, 2, 3.1)
NONSENSE = (
    "", "null", "[]", "{}", "nonsense", '{"touch":"b2","lift":"b2"}', '{"drop":"b2","owner":"red"}', '{"wait":-1}',
    '{"touch":"b2","touch":"b3"}', '{"wait":NaN}', '{"wait":1e400}', '{"wait":true}', '{"command":"begone"}',
    '{"command":"new","variant":"9x9/9/9"}', '{"command":"action","action":"b2b"}', '{"command":"mask"}',
    '{"command":"set_up","position":"...."}', '{"ask":"what_if","action":"up"}', '{"ask":{"state":1}}',
    '{"drop":["b2"]}', "\udcff\udcfe{}", "[" * 5000, '{"touch":"' + "b" * 5000 + '"}', '{"touch":"z9"}',
    '{"wait":3601}', '{"command":"undo","cell":"b2"}', '{"ask":"picture"}', '{"touch":"é"}', '{"wait":"1"}',
    '{"lift":"a1"}', '{"touch":"a1"}', '{"command":"help","side":"dark","level":"most"}', '{"command":"fair_start"}',
    '{"command":"hint_limit","side":"light","hints":0}', '{"command":"head_start","side":"green","pieces":9}',
    '{"command":"exercise","choice":"on"}', '{"command":"language","language":"xx"}',
    '{"command":"brightness","brightness":0.3}', '{"command":"seat","sides":["light"]}', '{"command":"seats","seats":[]}',
    '{"command":"revoke","seat":1}', '{"command":"undo","confirm":true}', '{"ask":"exercise","course":"lessons"}',
)  # fmt: skip


SIDE_SETTINGS: dict[str, tuple[str, list[Any]]] = {
    "help": ("level", ["none", "targets", "warnings", "full"]),
    "head_start": ("pieces", [0, 0, 1, 5]),
    "hint_limit": ("hints", [1, 2, 12, None]),
}
"""Commands that change a setting of one side, each with the field for the value and some values."""


class RandomPlayer:
    """Player that uses the protocol.

    Args:
        client: conversation with the program.
        rng: random generator.
        legal_share: share of lines that play the game properly, from 0 to 1.
        board: number of rows, lamps per cell, True for pieces, True if both sides are programs.
    """

    def __init__(self, client: LineClient, rng: Random, legal_share: float, board: tuple[int, int, bool, bool]) -> None:
        self.client, self.rng, self.legal_share = client, rng, legal_share
        self.size, self.lamps, self.pieces, self.is_watching = board
        self.cells = [f"{file}{row + 1}" for row in range(self.size) for file in "abcde"[: self.size]]
        self.favourite_cells = rng.sample(self.cells, 4)
        self.state: dict[str, Any] = {}
        self.seen: list[str] = []
        self.send({"ask": "state"})

    def send(self, *lines: str | dict[str, Any]) -> None:
        for line in lines:
            for answer in self.client.send(line):
                if answer["type"] == "state":
                    self.state = answer
        if self.state and self.state["position"] not in self.seen:
            self.seen.append(self.state["position"])

    def play(self, number: int) -> None:
        """Send up to `number` lines, and maybe stop early after a game ends. Then request everything."""
        most = len(self.client.sent_lines) + number
        while len(self.client.sent_lines) < most and not self.client.has_exited:
            if self.state["phase"] == "over" and self.rng.random() < 0.6:
                break
            self.send_next()
        self.send({"ask": "state"}, {"ask": "frame"}, {"ask": "record"})

    def send_next(self) -> None:
        if self.is_watching and self.rng.random() < 0.7:
            return self.send({"wait": 2})
        if self.rng.random() < self.legal_share:
            return self.act()
        match self.rng.randrange(12):
            case 0:
                self.send(self.rng.choice(NONSENSE))
            case 1 | 2:
                self.send({"ask": self.rng.choice(["state", "frame", "record"])})
            case 3 | 4:
                self.send({"wait": self.rng.choice(WAITS if self.lamps < 16 else WAITS[:7])})
            case 5 | 6 | 7 | 8:
                self.touch_random_cell()
            case _:
                self.send_command()
        return None

    def act(self) -> None:
        """Play a legal action with touches or pieces, and move other pieces as requested."""
        rng, state = self.rng, self.state
        if not state["legal"]:
            if state["phase"] == "exercise":
                return self.send({"command": "exercise", "choice": rng.choice(["next", "again", "leave", "resume"])})
            if state["phase"] == "resume":
                return self.send({"command": rng.choice(["resume", "resume", "look", "discard"])})
            if state["phase"] == "over" and not self.pieces:
                return self.send({"press": "b2"}, {"wait": 2}, {"release": "b2"})
            return self.send({"command": "new"} if state["phase"] == "over" else {"wait": 2})
        board_state = state.get("wood") or {}
        if (step := board_state.get("next")) and rng.random() < 0.9:
            lines = [{"lift": step["from"]}] if step["from"] else []
            lines += [{"drop": step["to"]}] if step["to"] else [{"take": step["from"]}]
            return self.send(*(lines if step["to"] else lines[1:]), {"wait": 0.3})
        scoring = [each for each in state["legal"] if each[0] != "@"]
        action = rng.choice(scoring if scoring and rng.random() < 0.6 else state["legal"])
        source, target = action[:-2].strip("@"), action[-2:]
        if not self.pieces:
            return self.send(*({"touch": cell} for cell in (source, target) if cell))
        self.send(*([{"lift": source}] if source else []), {"drop": target})
        self.send({"wait": rng.choice([0.3, 0.3, 0.5, 3.3])})
        for cell in self.state["wood"]["take_off"]:
            self.send({"take": cell})
        for cell in self.state["wood"]["turn"]:
            self.send({"lift": cell}, {"drop": cell})
        return self.send({"wait": 0.3})

    def touch_random_cell(self) -> None:
        """Touch a random cell, or move a piece at random."""
        rng, cell = self.rng, self.rng.choice(self.favourite_cells if self.rng.random() < 0.9 else self.cells)
        if not self.pieces:
            hold = rng.random() < 0.2
            return self.send(*([{"press": cell}, {"wait": 2.1}, {"release": cell}] if hold else [{"touch": cell}]))
        if rng.random() < 0.04:
            return self.clear_board()
        is_occupied = cell in self.state["wood"]["felt"]
        what = rng.choice(["lift", "lift", "take"] if is_occupied else ["drop"])
        owner = {"owner": rng.choice(["light", "dark"])} if what == "drop" and rng.random() < 0.3 else {}
        return self.send({what: cell, **owner}, {"wait": rng.choice(WAITS)})

    def clear_board(self) -> None:
        """Take all pieces off the board, and choose a cell from the menu if it opens."""
        self.send(*({"take": cell} for cell in self.state["wood"]["felt"]), {"wait": 3.5})
        if menu := self.state["wood"]["menu"]:
            cell = self.rng.choice([*menu])
            self.send({"drop": cell}, {"wait": 0.5}, {"take": cell}, {"wait": 0.5})

    def send_command(self) -> None:
        """Send a random command or request."""
        rng = self.rng
        action = rng.choice([*self.state["legal"], "@" + rng.choice(self.cells), "a1a2", "b2d4"])
        what = rng.choice(["undo", "undo", "redo", "hint", "action", "action", "what_if", "what_if", "board", "mask"])
        what = rng.choice(["new", "resign", "draw", "set_up", "set_up", "look"]) if rng.random() < 0.12 else what
        what = rng.choice(["exercise", "language", "fair_start", *SIDE_SETTINGS]) if rng.random() < 0.4 else what
        match what:
            case "help" | "head_start" | "hint_limit":
                field, values = SIDE_SETTINGS[what]
                self.send({"command": what, "side": rng.choice(["light", "dark"]), field: rng.choice(values)})
            case "fair_start":
                self.send({"command": what, "on": rng.random() < 0.5})
            case "language":
                self.send({"command": what, "language": rng.choice(["en", "nl", "de", "fr"])})
            case "exercise":
                course = {"course": rng.choice(["lessons", "puzzles"])}
                choice = {"choice": rng.choice(["next", "again", "leave", "leave", "ask", "resume"])}
                self.send({"command": what, **(choice if "exercise" in self.state or rng.random() < 0.1 else course)})
            case "action":
                self.send({"command": what, "action": action})
            case "what_if":
                self.send({"ask": what, "action": action})
            case "mask":
                self.send({"command": rng.choice(["mask", "unmask"]), "cell": rng.choice(self.favourite_cells)})
            case "new" | "set_up":
                more = {"variant": rng.choice(PONDS)} if rng.random() < 0.5 else {}
                if what == "set_up":
                    more["position"] = rng.choice([rng.choice(self.seen), rng.choice(POSITIONS)])
                self.send({"command": what, **more})
            case _:
                self.send({"command": what})


def _choose_options(rng: Random, number: int) -> tuple[list[str], tuple[int, int, bool, bool]]:
    """Return the command line for a board, and the facts about it that the player needs."""
    pond = PONDS[number % len(PONDS)]
    size = int(pond[0]) if pond[0] in "345" else 5 if pond.startswith("big") else 4
    lamps, pieces = rng.choice([1, 1, 1, 1, 4, 4, 9, 16]), number % 2 == 1
    args = ["headless", "--variant", pond, "--cells", str(lamps)] + ["--frames"] * (lamps < 9 and rng.random() < 0.1)
    if pieces:
        args += ["--pieces"] + ["--turned"] * (rng.random() < 0.4) + ["--colours"] * (rng.random() < 0.5)
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            args += ["--fault", rng.choice(FAULTS)]
    programs = {}
    if rng.random() < 0.3:
        programs["--dark"] = rng.choice(["random", "greedy", "level-1", "level-2", "level-3"])
    if rng.random() < 0.15:
        programs["--light"] = rng.choice(["random", "greedy", "level-2", "level-3"])
    for side, name in programs.items():
        args += [side, name]
    if rng.random() < 0.5:
        args += ["--seed", str(rng.randrange(1000))]
    return args, (size, lamps, pieces, len(programs) == 2)


def _run_player(args: list[str], rng: Random, board: tuple[int, int, bool, bool], folder: Path, most: int) -> Step:
    client = LineClient(args, folder)
    if not client.has_exited:
        RandomPlayer(client, rng, rng.choice([0.95, 0.9, 0.6]), board).play(most)
    return client.finish()


def game_case(number: int) -> Case:
    """Return a case with a game on one board, sometimes recorded in a black box that is printed afterwards."""
    rng, boxed = Random(f"game {number}"), number % 20 < 2
    args, board = _choose_options(rng, number)
    args += ["--record", "game.box"] if boxed else []
    with temporary_folder({}) as folder:
        steps = [_run_player(args, rng, board, folder, 40 if boxed else rng.choice([80, 150, 250]))]
    steps += [Step(["replay-board", "--text", "game.box"])] if boxed else []
    return Case("headless", f"game-{number:03}", steps)


QUERIES = (
    ["games"], ["games", "--json"], ["show-game", "last"], ["show-game", "1"], ["export", "1"], ["statistics"],
    ["statistics", "--json"], ["statistics", "--by", "player"], ["statistics", "--by", "variant", "--json"],
    ["games", "--unfinished"], ["games", "--last", "1"], ["replay", "1", "--text"],
    ["export", "--all", "-o", "records"], ["export", "1", "-o", "one.pond"], ["import", "one.pond"], ["resume", "1"],
    ["games", "--variant", "mini", "--json"], ["games", "--player", "greedy"], ["show-game", "99"],
)  # fmt: skip
"""Commands that query a journal."""

SECONDS_MASK = r'(?<="seconds": )[0-9.e-]+'

DELETIONS = (["delete-game", "1", "--yes"], ["delete-game", "2"], ["games"])


def journal_case(number: int) -> Case:
    """Return a case with three evenings at one board, and queries about the games before the last one."""
    rng = Random(f"journal {number}")
    args, board = _choose_options(rng, number)
    args += ["--journal", "games"]
    with temporary_folder({}) as folder:
        first, second, third = [_run_player(args, rng, board, folder, most) for most in (35, 35, 10)]
    queries = [
        QUERIES[number % 2],
        *rng.sample(QUERIES, 5),
        ["export", "--all", "-o", "all"],
        *(DELETIONS if number % 3 == 0 else ()),
    ]
    steps = [first, second, *(Step([*arguments, "--journal", "games"], given="n\n") for arguments in queries), third]
    return Case("journals", f"kept-{number:03}", steps, kept=["*.pond"], masks=[SECONDS_MASK])
