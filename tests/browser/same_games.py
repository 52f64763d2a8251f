"""Games from seeds, played through the page's board. They must be the same in CPython and in a browser.

`python -m tests.browser.same_games FIRST LAST` prints a line per game: seed, outcome, turns and a digest of all messages.
This file and page_table.py are also loaded by a browser.
"""

import json
import sys
from hashlib import sha256
from random import Random

from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.rules import VARIANTS
from tests.browser.page_table import PageTable

MAX_TURNS = 80

PROGRAMS = ("random", "greedy", "level-1", "level-2", "level-3", "level-4", "level-5")


class HashedTable(PageTable):
    """A page that keeps a digest of everything it has been sent."""

    def __init__(self, *args, **options):
        self.digest = sha256()
        super().__init__(*args, **options)

    @staticmethod
    def answer_question(text):
        """Answer with a search that ends after some positions, so that the answer doesn't depend on the machine's speed."""
        question = json.loads(text)
        if "look" in question:
            question["look"] |= {"nodes": 1000, "seconds": None}
        return PageTable.answer_question(json.dumps(question))

    def read_news(self):
        known_count = len(self.answers)
        super().read_news()
        for message in self.answers[known_count:]:
            self.digest.update(json.dumps(message, sort_keys=True).encode())


def play_game(seed):
    """Play a game of random choices, and return a line that describes it."""
    rng = Random(seed)
    table = HashedTable(seed=seed, language=rng.choice(list(LANGUAGES)))
    players = {"light": rng.choice(("human", *PROGRAMS)), "dark": rng.choice(PROGRAMS)}
    table.send(command="new", variant=rng.choice(list(VARIANTS)), players=players, names={"light": None, "dark": None})
    while not table.state["outcome"] and table.state["turn"] < MAX_TURNS:
        if players[table.to_move] != "human":
            table.wait(2)
            continue
        match rng.randrange(12):
            case 0:
                table.send(command="hint")
            case 1:
                table.send(ask="what_if", action=rng.choice(table.state["legal"]))
            case 2 if table.state["undo"]:
                table.send(command="undo")
            case 3:
                table.send(language=rng.choice(list(LANGUAGES)))
            case _:
                table.play(rng.choice(table.state["legal"]))
    table.board.close()
    return f"{seed} {table.state['outcome']} {' '.join(table.actions)} {table.digest.hexdigest()}"


def main():
    first, last = map(int, sys.argv[1:])
    for seed in range(first, last + 1):
        print(play_game(seed), flush=True)


if __name__ == "__main__":
    main()
