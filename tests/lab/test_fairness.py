"""Whether a pond is fair: games of one player against itself, counted."""

import json

import pytest

from pond_hw.lab import elo
from pond_hw.lab.batch import play_piece
from pond_hw.lab.executor import beside
from pond_hw.lab.fairness import Points, Seen, Study, as_object, deviation, mean, quantile, unfair
from pond_hw.lab.openings import Worth, alike
from pond_hw.lab.results_file import Ledger, Piece
from pond_hw.lab.tournament import carry_out
from pond_hw.lab.tournament_plan import all_pieces, made
from pond_hw.rules import PondError, variant
from tests.conftest import each

PLAN = made(["greedy"], ["3x3/6/3", "mini"], games=32, opening=2, seed=3, pairs=3, records=True)
NOTHING = [Worth(dict.fromkeys(alike(size), 0), 1, 1) for size in (3, 4)]


def report(study):
    return json.dumps(as_object(study, NOTHING, [None, None]))


def played(plan, workers=1):
    study = Study(plan)
    with beside(workers) as hands:
        carry_out(study, hands, None, lambda _: None)
    return study


@pytest.fixture(scope="module")
def study():
    return played(PLAN)


@pytest.mark.slow
def test_two_workers_or_any_order_come_to_the_same(study):
    assert report(played(PLAN, 2)) == report(study)
    other = Study(PLAN)
    for number, piece in reversed(list(all_pieces(PLAN))):
        other.put(Piece(number, piece, play_piece(PLAN, number, piece)))
        other.put(Piece(number, piece, []))  # counted once
    assert other.complete
    assert report(other) == report(study)
    assert report(played(PLAN._replace(seed=4))) != report(study)


def test_a_pond_comes_to_the_same_whatever_it_is_compared_with(study):
    alone = played(PLAN._replace(variants=("mini",)))
    assert alone.seen[0] == study.seen[1]


def test_every_first_egg_has_its_turn_and_every_game_its_own_opening():
    first = [game for piece in range(6) for game in play_piece(PLAN, 1, piece)]
    begun = [game[-1].split()[:2] for game in first]
    cells = [f"@{column}{row}" for row in (1, 2, 3, 4) for column in "abcd"]
    assert [one for one, _ in begun] == 2 * cells
    assert len({tuple(two) for two in begun}) > 28


def test_games_are_counted_as_they_went():
    seen = Seen(variant("3x3/2/1"))
    seen.add(["dark", "elimination", 5, 0, 0, 0, "@a1 @b1 @b3 @c3 a1a2"])
    assert (seen.points, seen.going, seen.choices) == (Points(0, 0, 1), [1] * 5, [9, 8, 8, 6, 3])
    seen.add(["dark", "elimination", 5, 0, 0, 0, "@c1 @b1 @b3 @a3 c1c2"])  # the same in a mirror
    seen.add(["draw", "repetition", 2, 0, 0, 0, "@b2 @a1"])
    assert seen.points == Points(0, 1, 2)
    assert seen.points_of(["a1", "c1"]) == Points(0, 0, 2)
    assert seen.points_of(["b2"]) == Points(0, 1, 0)
    assert (seen.going, seen.choices) == ([3, 3, 2, 2, 2], [27, 24, 16, 12, 6])
    assert len(seen.courses) == 2
    assert seen.lengths == {5: 2, 2: 1}
    assert seen.reasons == {"elimination": 2, "repetition": 1}


@each(
    "game",
    [
        ["dark", "score", 2, 0, 0, 0, "@a1 @a1"],
        ["dark", "score", 3, 0, 0, 0, "@a1 @b2"],
        ["dark", "score", 2, 1, 0, 0, "@a1 @b2"],
        ["dark", "score", 2, 0, 0, 0, "@a1 b2"],
        ["dark", "score", 0, 0, 0, 0, ""],
    ],
)
def test_a_game_that_cannot_be_is_not_counted(game):
    seen = Seen(variant("3x3/6/3"))
    with pytest.raises(PondError):
        seen.add(game)
    assert not seen.ends


def test_the_lead_is_carried_on_when_a_game_is_over(study):
    for seen in study.seen:
        games = seen.points.games
        last = sum(lead * many for lead, many in seen.final_leads.items()) / games
        longest = max(seen.lengths)
        assert seen.lead_before(0) == 0
        over = sum(lead * many for (length, lead), many in seen.ends.items() if length < longest)
        assert seen.lead_before(longest - 1) == (over + seen.leads[longest - 1]) / games
        assert last == pytest.approx(mean(seen.final_leads))


def test_what_it_comes_to_adds_up(study):
    for pond in json.loads(report(study))["ponds"]:
        wins = [pond[name] for name in ("light_wins", "drawn", "dark_wins")]
        assert sum(each["games"] for each in wins) == pond["games"] == 32
        assert sum(each["share"] for each in wins) == pytest.approx(1, abs=1e-5)
        assert all(each["low"] <= each["share"] <= each["high"] for each in (*wins, pond["light"]))
        assert pond["light"]["share"] == pytest.approx(wins[0]["share"] + wins[1]["share"] / 2, abs=1e-5)
        assert sum(egg["games"] for egg in pond["first_eggs"]) == 32
        assert sum(pond["actions"]["counted"].values()) == sum(pond["final_lead"]["counted"].values()) == 32
        assert sum(pond["reasons"].values()) == 32
        assert [ply["games"] for ply in pond["plies"]] == sorted((ply["games"] for ply in pond["plies"]), reverse=True)
        assert pond["actions"]["shortest"] <= pond["actions"]["mean"] <= pond["actions"]["longest"]


def test_shares_have_wilsons_intervals_and_distances_from_even_follow():
    assert Points(6, 4, 2).share == 8 / 12
    assert Points(6, 4, 2).interval == elo.share(8 / 12, 12)
    for points in (Points(60, 0, 40), Points(40, 0, 60)):
        distance, (low, high) = unfair(points)
        assert (distance, low) == (pytest.approx(0.1), pytest.approx(0.0020, abs=1e-3))
        assert high == pytest.approx(0.191, abs=1e-3)
    assert unfair(Points(5, 0, 5))[1].low == 0


def test_means_and_quantiles():
    counted = {10: 1, 20: 8, 40: 1}
    assert (mean(counted), deviation(counted)) == (21, 7)
    assert [quantile(counted, share) for share in (0.05, 0.1, 0.5, 0.9, 0.95, 1)] == [10, 10, 20, 20, 40, 40]


def test_a_study_and_a_tournament_do_not_share_a_file(tmp_path):
    path = tmp_path / "games.jsonl"
    with Ledger(path, PLAN):
        pass
    with pytest.raises(PondError, match=r"holds another study \(seed: 3 there, 4 here\)\. Name another file"):
        Ledger(path, PLAN._replace(seed=4))
    with pytest.raises(PondError, match="holds a study"):
        Ledger(path, made(["random", "greedy"], ["mini"]))
    with pytest.raises(PondError, match="an even number, not 7"):
        made(["greedy"], ["mini"], games=7)
