"""What a study comes to, in words and tables for 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from pond_hw.commands.engine_games import aligned, from_to, percent, signed
from pond_hw.commands.solve import shortly
from pond_hw.engine.packed import SURE
from pond_hw.lab.fairness import MANY_ENOUGH
from pond_hw.lab.tournament_plan import Plan
from pond_hw.messages.plurals import count_noun
from pond_hw.rules import grid, variant

WIDE = 80

MOST_BARS = 12
LONGEST_BAR = 40
BINS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100)

ENOUGH = 0.95
"""If fewer of the games differ from each other, it is said."""

EVERY = 4
"""Actions from one line of the course of the games to the next."""

Told = dict[str, Any]


def text(plan: Plan, told: Told) -> list[str]:
    """The report.

    Args:
        plan: of the study.
        told: what `fairness.as_object` tells of it.
    """
    ponds: list[Told] = told["ponds"]
    many = f"{count_noun(plan.games, 'game')} on {'each of ' if len(ponds) > 1 else ''}{', '.join(plan.variants)}"
    lines = wrap(f"{many}: {plan.players[0]} against itself. Seed {plan.seed}; {_opening(plan.opening)}", WIDE)
    if len(ponds) > 1:
        lines += ["", *_compared(ponds)]
    for pond in ponds:
        lines += ["", *_about(pond)]
    if plan.by_the_clock:
        lines += ["", f"{plan.players[0]} plays by the clock: another run comes out differently."]
    return lines


def _opening(length: int) -> str:
    if not length:
        return "nothing is left to chance at the beginning."
    rest = f", then {count_noun(length - 1, 'action')} by chance" if length > 1 else ""
    return f"the first egg is put on each cell in turn{rest}; from there on the player decides."


def fairest(ponds: Sequence[Told]) -> list[Told]:
    """The ponds in the order of how far light's share was from a half."""
    return sorted(ponds, key=lambda pond: pond["from_even"]["share"])


def _compared(ponds: Sequence[Told]) -> Iterator[str]:
    """Which of several ponds is the fairest."""
    ranked = fairest(ponds)
    first = ranked[0]["from_even"]
    apart = [pond["variant"] for pond in ranked[1:] if pond["from_even"]["low"] > first["high"]]
    near = [pond["variant"] for pond in ranked[1:] if pond["from_even"]["low"] <= first["high"]]
    said = (
        f"{ranked[0]['variant']} was the fairest: light's share was {100 * first['share']:.1f} points from even there, "
        f"and is hardly more than {100 * first['high']:.1f}."
    )
    if apart:
        said += f" {_and(apart)} {'is' if len(apart) == 1 else 'are'} less fair: the intervals do not meet."
    if near:
        said += f" So many games cannot tell whether {_and(near)} {'is' if len(near) == 1 else 'are'} less fair."
    yield from wrap(said, WIDE)
    yield ""
    rows: list[Sequence[str]] = []
    rows.append(("pond", "games", "light's share, 95 %", "Elo", "light", "drawn", "dark", "actions", "choices"))
    for pond in ranked:
        won = (_short(pond[name]["share"]) for name in ("light_wins", "drawn", "dark_wins"))
        share = f"{percent(pond['light']['share'])}  {from_to(pond['light'], percent)}"
        elo, length = _elo(pond), f"{pond['actions']['mean']:.1f}"
        rows.append((pond["variant"], str(pond["games"]), share, elo, *won, length, f"{pond['choices']:.1f}"))
    yield from aligned(rows, "lrlrrrrrr")


def _about(pond: Told) -> Iterator[str]:
    """One pond."""
    name = pond["variant"]
    yield name
    yield "=" * len(name)
    for said in (_verdict(pond), _going(pond), _first(pond)):
        yield from wrap(said, WIDE)
    yield ""
    rows: list[Sequence[str]] = [("", "games", "share", "95 %")]
    for what, key in (("light wins", "light_wins"), ("drawn", "drawn"), ("dark wins", "dark_wins")):
        rows.append((what, str(pond[key]["games"]), percent(pond[key]["share"]), from_to(pond[key], percent)))
    light = pond["light"]
    rows.append(("light's points", "", percent(light["share"]), from_to(light, percent)))
    rows.append(("as Elo", "", _elo(pond), from_to(pond["elo"], signed)))
    yield from aligned(rows, "lrrl")
    yield ""
    yield "The first egg: its value for light, and light's share of the games that"
    yield "began with it (or one like it, turned or mirrored)."
    yield ""
    yield from _drawn(pond)
    yield ""
    rows = [("egg on", "value", *(["really"] if _known(pond) else []), "games", "light's share, 95 %")]
    for egg in _by_value(pond):
        share = egg["light"]
        really = [shortly(egg["solved"])] if _known(pond) else []
        shown = f"{percent(share['share'])}  {from_to(share, percent)}" if egg["games"] else ""
        rows.append((" ".join(egg["cells"]), worth(egg["value"]), *really, str(egg["games"]), shown))
    yield from aligned(rows, "lrlrl" if _known(pond) else "lrrl")
    yield ""
    yield "Actions of a game, both sides together:"
    yield from _bars(pond)
    yield ""
    yield "Pieces that light is ahead by at the end:"
    counted = {int(lead): many for lead, many in pond["final_lead"]["counted"].items()}
    yield from _histogram(counted, 1 if max(counted) - min(counted) < 2 * MOST_BARS else 2, signs=True)
    yield ""
    yield "On the way: the choice of the side to move, and by how much light is ahead."
    rows = [("action", "games", "legal actions", "light ahead")]
    for ply in lasting(pond)[::EVERY]:
        rows.append((str(ply["ply"]), str(ply["games"]), f"{ply['choices']:.1f}", f"{ply['lead']:+.2f}"))
    yield from aligned(rows, "rrrr")


def _verdict(pond: Told) -> str:
    """Who is better off, in a sentence or two."""
    light, even = pond["light"], pond["from_even"]
    wins = [percent(pond[key]["share"]) for key in ("light_wins", "dark_wins", "drawn")]
    said = (
        f"Between equal players light wins {wins[0]}, dark {wins[1]}, and {wins[2]} are drawn. With draws as halves, "
        f"light's share is {percent(light['share'])} ({from_to(light, percent)}), as if it were {_elo(pond)} Elo "
        f"({from_to(pond['elo'], signed)}) better: "
    )
    if light["low"] > 0.5:
        said += "to move first is an advantage."
    elif light["high"] < 0.5:
        said += "to move second is an advantage."
    else:
        most = 100 * even["high"]
        said += f"no advantage of either side is to be seen, and there is hardly one of more than {most:.1f} points."
    if pond["different"] < ENOUGH * pond["games"]:
        said += (
            f" Only {pond['different']} of the {count_noun(pond['games'], 'game')} differ (turned or mirrored they are "
            "the same), so this is less sure than it looks."
        )
    return said


def _going(pond: Told) -> str:
    """How long games last and how they end."""
    actions, reasons, games = pond["actions"], pond["reasons"], pond["games"]
    low, middle, high = actions["quantiles"].values()
    kinds = [f"{_short(many / games)} by {reason}" for reason, many in reasons.items() if many]
    return (
        f"A game lasts {actions['mean']:.1f} actions (standard deviation {actions['deviation']:.1f}, median {middle}), "
        f"eight of ten from {low} to {high}. Games end {_and(kinds).replace('too long', 'being too long')}. "
        f"In the end the sides are {_pieces(pond['final_lead']['mean_size'])} apart. "
        f"The side to move chooses among {pond['choices']:.1f} legal actions."
    )


def _first(pond: Told) -> str:
    """Which first egg is best."""
    eggs, search = _by_value(pond), pond["search"]
    best = [egg for egg in eggs if egg["value"] == eggs[0]["value"]]
    cells = " or ".join(egg["cell"] for egg in best)
    said = f"Looked {count_noun(search['depth'], 'action')} ahead, the best first egg is on {cells}"
    said += f" ({worth(best[0]['value'])})" if abs(best[0]["value"]) >= SURE else f" (worth {worth(best[0]['value'])})"
    played = [egg for egg in eggs if egg["games"]]
    if len(played) > 1:
        favoured = max(played, key=lambda egg: egg["light"]["share"])
        said += (
            f"; in the games it was {favoured['cell']}, with {percent(favoured['light']['share'])} "
            f"({from_to(favoured['light'], percent)}) for light"
        )
        if any(egg["light"]["high"] >= favoured["light"]["low"] for egg in played if egg is not favoured):
            said += ", which may be chance"
    if _known(pond):
        most = max(egg["solved"] for egg in eggs)
        really = " or ".join(egg["cell"] for egg in pond["first_eggs"] if egg["solved"] == most)
        said += f". The pond is solved: with {really}, light really {shortly(most)}"
        said += " actions" if most else ""
    return said + "."


def _drawn(pond: Told) -> Iterator[str]:
    """The board, each cell with what a first egg there is worth."""
    rows = grid(variant(pond["variant"]).size).rows
    eggs = {cell: egg for egg in pond["first_eggs"] for cell in egg["cells"]}
    values = {cell: worth(egg["value"]) for cell, egg in eggs.items()}
    shares = {cell: _short(egg["light"]["share"]) for cell, egg in eggs.items()}
    wide = max(map(len, (*values.values(), *shares.values()))) + 2
    edge = "   +" + ("-" * wide + "+") * len(rows)
    yield edge
    for row in rows:
        yield f" {row[0][1]} |" + "|".join(f"{values[cell]:^{wide}}" for cell in row) + "|"
        yield "   |" + "|".join(f"{shares[cell]:^{wide}}" for cell in row) + "|"
        yield edge
    yield ("    " + " ".join(f"{cell[0]:^{wide}}" for cell in rows[0])).rstrip()


def _bars(pond: Told) -> Iterator[str]:
    counted = {int(length): many for length, many in pond["actions"]["counted"].items()}
    span = max(counted) - min(counted) + 1
    wide = next((each for each in BINS if span <= each * MOST_BARS), 100)
    yield from _histogram(counted, wide)


def _histogram(counted: dict[int, int], wide: int, *, signs: bool = False) -> Iterator[str]:
    """Bars, each for so many numbers."""
    bins = dict.fromkeys(range(min(counted) // wide, max(counted) // wide + 1), 0)
    for value, many in counted.items():
        bins[value // wide] += many
    most, form = max(bins.values()), "+d" if signs else "d"
    rows = [
        (_ends(n * wide, wide, form), str(many), "#" * round(LONGEST_BAR * many / most)) for n, many in bins.items()
    ]
    yield from aligned(rows, "rrl")


def _ends(first: int, wide: int, form: str) -> str:
    low, high = (format(end, form).replace("+0", "0") for end in (first, first + wide - 1))
    return low if wide == 1 else f"{low} to {high}"


def lasting(pond: Told) -> list[Told]:
    """The actions that enough of the games had."""
    return [ply for ply in pond["plies"] if ply["games"] >= MANY_ENOUGH * pond["games"]]


def worth(value: int) -> str:
    """A value in pieces, or that it is sure."""
    if abs(value) >= SURE:
        return shortly(value)
    return f"{value / 100:+.2f}" if value else "0.00"


def _by_value(pond: Told) -> list[Told]:
    return sorted(pond["first_eggs"], key=lambda egg: -egg["value"])


def _known(pond: Told) -> bool:
    return pond["first_eggs"][0]["solved"] is not None


def _elo(pond: Told) -> str:
    difference = pond["elo"]["difference"]
    return "all" if difference is None else signed(difference)


def _short(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _pieces(many: float) -> str:
    return f"{many:.1f} pieces"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
