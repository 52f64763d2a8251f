"""Tests of a board's lamps in the card game."""

from itertools import product
from random import Random

import pytest

from pond_hw.cards.lamps import render_card_scene
from pond_hw.cards.rules import CardGame, Phase, Rules, view_for
from pond_hw.cards.rules.score_sheet import replay_entries
from pond_hw.cards.scene import (
    CARDS_LEFT_CELLS,
    CATEGORY_CELLS,
    CHOICE_CELLS,
    OUTER_ROWS,
    POISON_CELLS,
    SEAT_CELLS,
    TOTAL_ROWS,
    TRICK_CELLS,
    CardScene,
    Stage,
    scene_of_sheet,
    scene_of_view,
)
from pond_hw.lights import FRAME_SECONDS, LAMP_COUNTS
from pond_hw.rules import get_grid
from tests.cards.tables import play_at_random
from tests.lights.perception import grey, max_flashes

ROUND = CardScene(4, 4, Stage.ROUND, 0, 1, 3, (1, 3), (2, 1), 9, False, (60, -45))
SCENES = [
    ROUND,
    CardScene(4, 2, Stage.ROUND, 0, 0, 0, (2, 2), (6, 0), 5, True, (120, 45)),
    CardScene(5, 2, Stage.POISON, 1, poison=(1, None), totals=(500, -60)),
    CardScene(4, 4, Stage.COUNT, 0, poison=(1, 3), counting=1, counted=0.6),
    CardScene(4, 2, Stage.TOTALS, 0, totals=(235, -60), winner=0),
]


def looks(scene, now=0.0, lamps=4):
    """Return the lamps of each cell as a tuple of numbers."""
    picture, width = render_card_scene(scene, now, lamps), lamps * 3
    cells = get_grid(scene.size).cells
    return {cell: picture[place * width : (place + 1) * width] for place, cell in enumerate(cells)}


@pytest.mark.parametrize(("scene", "lamps", "strip"), list(product(SCENES, LAMP_COUNTS, [0, 8])))
def test_picture_has_right_size_and_brightness_range(scene, lamps, strip):
    for now in (0.0, 0.5, 1.2, 3.3):
        picture = render_card_scene(scene, now, lamps, strip)
        assert len(picture) == (scene.size**2 * lamps + 2 * strip) * 3
        assert all(0 <= value <= 1 for value in picture)


def lit(look):
    return sum(look[place] + look[place + 1] + look[place + 2] > 0 for place in range(0, len(look), 3))


def test_tricks_and_cards_left_can_be_counted():
    shown = looks(ROUND)
    assert [lit(shown[cell]) for cell in TRICK_CELLS[0]] == [4, 0, 0]  # two tricks
    assert [lit(shown[cell]) for cell in TRICK_CELLS[1]] == [2, 0, 0]
    assert [lit(shown[cell]) for cell in CARDS_LEFT_CELLS] == [4, 4, 1, 0]  # nine cards
    for count in range(16):
        shown = looks(ROUND._replace(cards_left=count))
        assert sum(lit(shown[cell]) for cell in CARDS_LEFT_CELLS) == count


@pytest.mark.parametrize("lamps", [lamps for lamps in LAMP_COUNTS if lamps > 1])
def test_suit_shapes_are_distinct(lamps):
    shapes = []
    for suit in (1, 2, 3):
        look = looks(ROUND._replace(poison=(suit, 1)), lamps=lamps)[POISON_CELLS[0]]
        shapes.append(tuple(value > 0 for value in look))
    assert len(set(shapes)) == 3


def test_single_lamp_shows_suits_as_rhythms():
    traces = {
        tuple(looks(ROUND._replace(poison=(suit, 1)), step * 0.1, 1)[POISON_CELLS[0]] for step in range(40))
        for suit in (1, 2, 3)
    }
    assert len(traces) == 3


def test_leader_and_dealer_are_marked():
    for seat, cell in enumerate(SEAT_CELLS[4]):
        plain = ROUND._replace(leader=(seat + 1) % 4, dealer=(seat + 1) % 4, to_move=None)
        changes = {}
        for name in ("leader", "dealer", "to_move"):
            shown = [looks(plain._replace(**{name: seat}), step * 0.1)[cell] for step in range(40)]
            changes[name] = shown != [looks(plain, step * 0.1)[cell] for step in range(40)]
        assert changes == {"leader": True, "dealer": True, "to_move": True}


def test_trap_animates_the_cards_left_lamps():
    still = {looks(ROUND, step * 0.1)[CARDS_LEFT_CELLS[0]] for step in range(30)}
    moving = {looks(ROUND._replace(has_trap=True), step * 0.1)[CARDS_LEFT_CELLS[0]] for step in range(30)}
    assert len(still) == 1 < len(moving)


def test_totals_are_bars_and_negative_totals_breathe():
    shown = looks(CardScene(4, 2, Stage.TOTALS, 0, totals=(160, 80)), lamps=16)
    assert [sum(lit(shown[cell]) for cell in row) for row in TOTAL_ROWS] == [32, 16]
    strip = render_card_scene(CardScene(4, 2, Stage.ROUND, 0, totals=(160, 80)), 0.0, 1, 8)[-48:]
    assert [lit(strip[:24]), lit(strip[24:])] == [4, 2]
    below = CardScene(4, 2, Stage.TOTALS, 0, totals=(-160, 80))
    assert len({looks(below, step * 0.1)["a2"] for step in range(30)}) > 1


def test_counted_pile_grows_on_its_side():
    for counting, row in ((0, 0), (1, 1)):
        scene = CardScene(4, 2, Stage.COUNT, 0, poison=(1, 3), counting=counting, counted=0.5)
        shown = looks(scene)
        assert [lit(shown[cell]) for cell in OUTER_ROWS[row]] == [4, 4, 0, 0]
        assert [lit(shown[cell]) for cell in OUTER_ROWS[1 - row]] == [0, 0, 0, 0]
        assert all(lit(shown[cell]) for cell in CATEGORY_CELLS)


def test_chosen_poison_is_brightest():
    shown = looks(CardScene(4, 2, Stage.POISON, 0, poison=(2, None)))
    hearts, diamonds, clubs = (max(shown[cell]) for cell in CHOICE_CELLS[0])
    assert diamonds > 2 * max(hearts, clubs)


def test_outer_row_of_winner_glows():
    scene = SCENES[-1]
    assert lit(looks(scene)[OUTER_ROWS[0][0]])
    assert not lit(looks(scene)[OUTER_ROWS[1][0]])


@pytest.mark.parametrize("seats", [2, 4])
def test_board_is_the_same_for_all_seats(seats):
    rng = Random(4)
    game = CardGame(Rules(seats))
    while not game.is_over:
        count = len(game.events)
        game = play_at_random(game, rng, lambda each, count=count: len(each.events) > count)
        shown = {scene_of_view(view_for(game, seat), 4) for seat in range(seats)}
        assert len(shown) == 1


def test_profit_ranks_do_not_change_the_board():
    game = play_at_random(CardGame(), Random(6), lambda game: bool(game.current_round and game.current_round.tricks))
    played = game.current_round
    other = tuple(marker + 1 if marker % 13 < 11 else marker - 1 for marker in played.markers)
    changed = game._replace(current_round=played._replace(markers=other))
    assert scene_of_view(view_for(changed, 0), 4) == scene_of_view(view_for(game, 0), 4)


def test_board_follows_game_and_sheet():
    game = play_at_random(CardGame(), Random(6), lambda game: bool(game.current_round and game.current_round.tricks))
    scene, played = scene_of_view(view_for(game, 0), 4), game.current_round
    assert (scene.stage, scene.leader, scene.to_move) == (Stage.ROUND, played.leader, played.to_move)
    assert scene.tricks[played.tricks[0].winner] == 1
    assert scene.cards_left == len(played.hands[0])
    over = play_at_random(game, Random(1), lambda game: game.current_round.phase is Phase.OVER)
    assert scene_of_view(view_for(over, 0), 4).stage is Stage.TOTALS
    finished = play_at_random(over, Random(1))
    assert scene_of_view(view_for(finished, 0), 4).winner == finished.winner
    sheet = replay_entries(Rules(), 0, ["poison 1 h", "poison 2 d", "trap", "trick 2"])
    scene = scene_of_sheet(sheet, 5)
    assert (scene.leader, scene.tricks, scene.cards_left, scene.poison) == (1, (0, 1), 12, (1, 2))
    assert scene_of_sheet(sheet.after("count").after("add ace"), 4).counted == 1 / 28


@pytest.mark.slow
@pytest.mark.parametrize(("scene", "lamps"), list(product(SCENES, [1, 4])))
def test_no_cell_flashes_above_three_hertz(scene, lamps):
    instants = [step * FRAME_SECONDS for step in range(390)]
    traces = set(zip(*(grey(render_card_scene(scene, now, lamps, 8)) for now in instants), strict=True))
    assert max(max_flashes(trace, instants) for trace in traces) <= 3
