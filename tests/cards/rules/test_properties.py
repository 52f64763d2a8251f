"""Tests of properties that hold for all card games."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pond_hw.cards.bots import list_unknown, sample_determinization
from pond_hw.cards.rules import CardGame, Phase, Rules, view_for
from pond_hw.cards.rules.card import DECK
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.game import replay_events
from pond_hw.cards.rules.record import CardRecord, parse_record
from tests.cards.tables import games


def all_cards(played):
    dealt = 16 * len(played.hands)
    yield from (card for pile in played.deal.picks for card in pile)
    yield from (card for hand in (*played.hands, *played.hidden) for card in hand)
    yield from (marker for marker in played.markers if marker is not None)
    yield from (*played.bait, *played.trap, *played.cards)
    yield from (card for trick in played.tricks for card in trick.all_cards)
    yield from played.deal.stock[dealt:]


@given(games())
def test_no_card_is_lost_or_duplicated(game):
    assert Counter(all_cards(game.current_round)) == Counter(DECK * game.rules.decks)


@given(games())
def test_scores_add_up(game):
    for each in game.finished_rounds:
        assert sum(each.team_scores) == sum(each.scores)
    assert sum(game.totals) == sum(sum(each.scores) for each in game.finished_rounds)


@given(games())
def test_undo_drops_only_the_last_event(game):
    back = game.undo()
    assert back.events == game.events[:-1]
    assert back.after(game.events[-1]) == game
    assert replay_events(game.rules, game.first_dealer, game.events) == game


@given(games(), st.data())
def test_undo_restores_the_game(game, data):
    if not game.is_over:
        rng = Random(data.draw(st.integers(0, 1000)))
        event = game.make_deal(rng) if game.needs_deal else rng.choice(game.current_round.legal_actions)
        assert game.after(event).undo() == game


@given(games())
def test_record_replays_to_the_same_game(game):
    record = CardRecord(game, ("Ada",) * game.rules.seats)
    assert parse_record(str(record)) == record


def known_cards(game, seat):
    """Return the cards that a seat has seen in this round, computed without `view_for`."""
    played, is_over = game.current_round, game.current_round.phase is Phase.OVER
    yield from (card for pile in played.deal.picks for card in pile)
    yield from played.hands[seat]
    for each, marker in enumerate(played.markers):
        own = each == seat or (game.rules.seats == 4 and each % 2 == seat % 2 and played.phase is not Phase.PROFIT)
        if marker is not None and (own or is_over):
            yield marker
    yield from (*played.bait, *played.cards)
    for place, card in enumerate(played.trap):
        if (played.leader + place) % game.rules.seats == seat:
            yield card
    for trick in played.tricks:
        yield from (*trick.bait, *trick.cards)
        for place, card in enumerate(trick.trap):
            own = (trick.leader + place) % game.rules.seats == seat
            if own or trick.winner == seat or is_over or game.rules.trap == "all":
                yield card


def shown_cards(seen):
    yield from (card for pile in seen.picks for card in pile)
    yield from (*seen.hand, *seen.bait, *seen.cards)
    yield from (card for card in (*seen.markers, *seen.trap) if card is not None)
    for trick in seen.tricks:
        yield from (*trick.bait, *trick.cards, *(card for card in trick.trap if card is not None))


@given(games())
def test_view_shows_exactly_the_known_cards(game):
    for seat in range(game.rules.seats):
        assert Counter(shown_cards(view_for(game, seat))) == Counter(known_cards(game, seat))


@given(games(), st.integers(0, 1000))
def test_view_is_independent_of_hidden_cards(game, seed):
    """Deal the other players' hands, markers and traps again, and expect the same view."""
    played = game.current_round
    if played.phase in (Phase.MISDEAL, Phase.OVER):
        return
    seat = played.to_move
    seen = view_for(game, seat)
    sampled = sample_determinization(seen, list_unknown(seen), Random(seed))
    assert view_for(game._replace(current_round=sampled), seat) == seen


@given(games())
def test_only_the_seat_to_move_has_legal_actions(game):
    played = game.current_round
    for seat in range(game.rules.seats):
        actions = view_for(game, seat).legal_actions
        assert bool(actions) == (seat == played.to_move and played.phase not in (Phase.OVER, Phase.MISDEAL))


@given(games())
def test_unfinished_game_has_legal_actions(game):
    assert game.is_over + game.needs_deal + bool(game.current_round.legal_actions) == 1


@given(st.integers(0, 10_000))
def test_deal_depends_only_on_its_seed(seed):
    deals = [CardGame(Rules(4)).make_deal(Random(seed)) for _ in range(2)]
    assert deals[0] == deals[1]
    assert isinstance(deals[0], Deal)
