"""Tests of the computer players: legality, hidden information and strength."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.cards import bot_policy
from pond_hw.cards.bot_policy import SideTables, play_out
from pond_hw.cards.bots import (
    BOT_NAMES,
    SensibleBot,
    StrongBot,
    choose_at_random,
    list_unknown,
    make_bot,
    sample_determinization,
)
from pond_hw.cards.rules import NO_TRAP, CardGame, Phase, Rules, view_for
from pond_hw.cards.rules.card import STRENGTH
from pond_hw.cards.rules.round import TAKEN_BY
from pond_hw.messages.message import PondError
from tests.cards.tables import begin, cards, games, play, play_at_random
from tools.card_games import main, play_deal, play_random_games


def play_by_rules(played, tables):
    """Play a round to its end through `Round.play`, with the same policy as the playout."""
    gain = 0
    while played.phase is not Phase.OVER:
        us = played.to_move % 2
        ours, theirs = tables.sides[us], tables.sides[1 - us]
        table = [*played.bait, *played.trap, *played.cards]
        worth_us, worth_them = sum(ours[card] for card in table), sum(theirs[card] for card in table)
        hand = played.hands[played.to_move]
        control = (played.to_move - played.leader) % 2 == 1
        if played.phase is Phase.TRICK:
            seats = len(played.hands)
            action = bot_policy.choose_trick_card(hand, played.cards, seats, worth_us, worth_them, ours, theirs)
        elif played.phase is Phase.TIE:

            def worth(seat, us=us, table=table):
                points = sum(tables.seats[seat][card] for card in table)
                return points if seat % 2 == us else -points

            action = TAKEN_BY + max(played.tied_seats, key=worth)
        else:
            action, expected_worth = bot_policy.choose_pond_card(
                hand, worth_us, worth_them, ours, theirs, has_control=control
            )
            without = bot_policy.judge_pond(worth_us, worth_them, has_control=control)
            if NO_TRAP in played.legal_actions and expected_worth <= without + bot_policy.TRAP_RELUCTANCE:
                action = NO_TRAP
        before, played = played, played.play(action)
        for trick in played.tricks[len(before.tricks) :]:
            points = sum(tables.seats[trick.winner][card] for card in trick.all_cards)
            gain += points if trick.winner % 2 == 0 else -points
    return gain


@pytest.mark.slow
@given(games(rules=st.builds(Rules, st.sampled_from([2, 4]))))
def test_playout_agrees_with_rules(game):
    played = game.current_round
    if played.phase in (Phase.BAIT, Phase.TRAP, Phase.TRICK):
        tables = SideTables(played)
        assert play_out(played, tables) == play_by_rules(played, tables)


@pytest.mark.parametrize("seats", [2, 4])
def test_playout_agrees_with_rules_on_ties(seats):
    for seed in range(80):
        rng = Random(seed)
        game = CardGame(Rules(seats)).after(CardGame(Rules(seats)).make_deal(rng))
        game = play_at_random(game, rng, lambda game: game.current_round.phase is Phase.BAIT)
        tables = SideTables(game.current_round)
        assert play_out(game.current_round, tables) == play_by_rules(game.current_round, tables)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOT_NAMES)
@pytest.mark.parametrize("seats", [2, 4])
def test_bot_finishes_a_game(name, seats):
    rng = Random(5)
    bots = [StrongBot(rng, 8) if name == "strong" else make_bot(name, rng) for _ in range(seats)]
    game = CardGame(Rules(seats))
    while not game.is_over:
        if game.needs_deal:
            game = game.after(game.make_deal(rng))
        else:
            seat = game.current_round.to_move
            game = game.after(bots[seat].choose(view_for(game, seat)))
    assert len(game.finished_rounds) == 4


@pytest.mark.slow
@given(games(), st.integers(0, 100))
def test_bot_choice_is_independent_of_hidden_cards(game, seed):
    played = game.current_round
    if played.phase in (Phase.MISDEAL, Phase.OVER):
        return
    seen = view_for(game, played.to_move)
    sampled = sample_determinization(seen, list_unknown(seen), Random(seed))
    other = view_for(game._replace(current_round=sampled), played.to_move)
    for bot in (SensibleBot(), StrongBot(Random(seed), 8)):
        again = StrongBot(Random(seed), 8) if bot.name == "strong" else bot
        assert bot.choose(seen) == again.choose(other)
        assert bot.choose(seen) in seen.legal_actions


def test_same_seed_gives_same_choice():
    game = begin("As Ks 2s 3s Ah 2h 5h 8h Kc Qc 9c", "Qs Js 4s 5s Ad 2d 5d 8d Kd Qd 9d")
    seen = view_for(game, 0)
    assert StrongBot(Random(1), 20).choose(seen) == StrongBot(Random(1), 20).choose(seen)


SOUTH, NORTH = "As Ks 2s 3s Ah 2h 5h 8h Kc Qc 9c Jc Tc 8c 6c 5c", "Qs Js 4s 5s Ad 2d 5d 8d Kd Qd 9d Jd Td 3c 4c 7c"


@pytest.mark.parametrize("bot", [SensibleBot(), StrongBot(Random(1), 60)], ids=lambda bot: bot.name)
def test_bot_avoids_trick_with_its_own_poison(bot):
    """South follows North's king of clubs, with two cards of South's poison in the pond."""
    game = play(begin(SOUTH, NORTH, picks=("7h", "7d"), dealer=1), "5d 2h Qd Ah 8d 8h Kd")
    assert STRENGTH[bot.choose(view_for(game, 0))] < STRENGTH[cards("Kd")[0]]


def test_random_bot_adds_trap_half_the_time():
    rng = Random(1)
    picked = [choose_at_random((1, 2, 3, NO_TRAP), rng) for _ in range(2000)]
    assert 900 < picked.count(NO_TRAP) < 1100
    assert {1, 2, 3} < set(picked)


def test_unknown_bot_is_refused():
    with pytest.raises(PondError) as refused:
        make_bot("genius", Random(1))
    assert refused.value.message.id == "cards.no_player"


def test_stronger_bot_wins_more_deals():
    sensible = [play_deal(2, ("sensible", "random"), 1, number) for number in range(30)]
    assert sum(one > other for one, other in sensible) >= 24


@pytest.mark.slow
def test_strong_bot_beats_sensible_bot():
    deals = [play_deal(2, ("strong", "sensible"), 7, number) for number in range(10)]
    assert sum(one > other for one, other in deals) >= 6


@pytest.mark.slow
def test_random_rounds_match_independent_statistics():
    """An independent program found 4 to 6 tricks, five in 75 %; 1 to 3 cards left; 2.9 % ties; scores from -65 to 85."""
    figures = play_random_games(2, 150, 1)
    assert set(figures.tricks) == {4, 5, 6}
    assert 0.68 < figures.tricks[5] / figures.tricks.total() < 0.82
    assert set(figures.left) == {1, 2, 3}
    trick_count = sum(number * count for number, count in figures.tricks.items())
    assert 0.018 < figures.ties / trick_count < 0.042
    assert -80 <= figures.percentile(0.05) <= -50
    assert 70 <= figures.percentile(0.95) <= 100


def test_strength_tool_prints_results(capsys):
    main(["random", "--games", "3"])
    main(["strength", "sensible", "random", "--deals", "2", "--seats", "4"])
    out = capsys.readouterr().out
    assert "games 3, rounds 12" in out
    assert "sensible beats random in" in out
    assert "of 2 deals" in out
    with pytest.raises(SystemExit):
        main(["strength", "genius", "random"])


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4])
def test_hundred_thousand_random_games_finish(seats):
    figures = play_random_games(seats, 100_000, 1)
    assert sum(figures.wins.values()) == 100_000
    assert set(figures.tricks) == {4, 5, 6}
    assert set(figures.left) == {1, 2, 3}
    assert abs(figures.tricks[5] / figures.tricks.total() - 0.75) < 0.005
    if seats == 2:
        trick_count = sum(number * count for number, count in figures.tricks.items())
        assert abs(figures.ties / trick_count - 0.029) < 0.001
        assert abs(figures.percentile(0.05) + 65) <= 5
        assert abs(figures.percentile(0.95) - 85) <= 5
