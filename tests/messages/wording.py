"""Snapshots of the messages of some games in each language.

python -m tests.messages.wording     # updates the snapshots; check the diff afterwards
"""

import json
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message_json import parse_messages
from pond_hw.rules import parse_variant
from pond_hw.server.headless import HeadlessGame
from pond_hw.simulator.board_with_pieces import PieceOptions

SNAPSHOTS = Path(__file__).with_name("wording")

BUTTON_GAME = """
touch c3, touch c3, command hint, touch b3, touch b3, command undo, command undo, command undo, command redo, touch b3,
touch c3, touch a1, touch c3, touch c2, command new 9x9, command board, command new mini, touch a4, touch a1
"""

PIECE_GAME = """
drop b2, wait 1, drop b3, wait 1, lift b2, wait 5, drop b2, wait 1, lift b3, wait 1, drop c3, wait 5, lift c3, drop b3,
wait 5, drop d4, wait 1, drop d1, wait 6, take d1, wait 5, take b2, wait 6, drop b2, wait 6, command mask c4, take b2, wait 1,
take b3, wait 1, take d4, wait 6, drop b1, wait 3, take b1, wait 5
"""


def collect_messages(folder):
    """Return the messages of several games: interrupted and resumed, played to the end, and played with pieces.

    Messages that differ only in their arguments are included once in the singular and once in the plural.
    """
    mini, standard = map(parse_variant, ("mini", "standard"))
    messages = list_messages(HeadlessGame(standard, folder=folder), requests(BUTTON_GAME))
    messages += list_messages(
        HeadlessGame(standard, folder=folder), requests("touch d4, command look, command discard")
    )
    messages += play_to_the_end(HeadlessGame(mini))
    messages += list_messages(HeadlessGame(mini), requests("command resign, command draw, command undo, command draw"))
    messages += list_messages(HeadlessGame(mini, pieces=PieceOptions(turned=True)), requests(PIECE_GAME))
    forms = {(sentence.id, sentence.arguments.get("count") == 1): sentence for sentence in reversed(messages)}
    return reversed(forms.values())


def requests(script):
    for words in map(str.split, script.replace("\n", " ").split(",")):
        match words:
            case ["wait", seconds]:
                yield {"wait": float(seconds)}
            case ["command", name]:
                yield {"command": name}
            case ["command", "mask", cell]:
                yield {"command": "mask", "cell": cell}
            case ["command", name, variant]:
                yield {"command": name, "variant": variant}
            case [verb, cell]:
                yield {verb: cell}


def list_messages(game, requests_sent):
    """Return the messages in response to some requests."""
    with closing(game.companion):
        return [
            sentence for request in requests_sent for answer in answers(game, request) for sentence in sentences(answer)
        ]


def play_to_the_end(game):
    """Return the messages of a game in which each side always plays the last action in the list of legal actions."""
    messages, (state,) = [], answers(game, {"ask": "state"})
    while not state["outcome"]:
        (state,) = answers(game, {"command": "action", "action": state["legal"][-1]})
        messages += sentences(state)
    return messages


def answers(game, request):
    return [json.loads(line) for line in game.answer_line(json.dumps(request).encode())]


def sentences(answer):
    return parse_messages(answer["said"], answer["message"])


def snapshots():
    """Return the messages in each language, with one message per line."""
    with TemporaryDirectory() as folder:
        messages = list(collect_messages(Path(folder)))
    return {language: "".join(f"{get_catalogue(language).text(each)}\n" for each in messages) for language in LANGUAGES}


if __name__ == "__main__":
    SNAPSHOTS.mkdir(exist_ok=True)
    for language, wording in snapshots().items():
        (SNAPSHOTS / f"{language}.txt").write_text(wording, encoding="utf-8")
