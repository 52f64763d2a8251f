"""Statistics about card games: properties of the rules in random play, and strength of the bots.

    python -m tools.card_games random --seats 2 --games 100000
    python -m tools.card_games strength strong sensible --deals 1000

Results depend only on the seed. In a match, each deal is played twice with the seats swapped, and the bot with the higher
total wins the deal.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from pond_hw.cards.bots import BOT_NAMES, CardBot, choose_at_random, make_bot
from pond_hw.cards.rules import CardGame, Rules, deal_cards, view_for
from pond_hw.cards.rules.deal import Deal
from pond_hw.cards.rules.round import Phase


class RandomFigures(NamedTuple):
    """Statistics of random games.

    Attributes:
        tricks: number of rounds by number of tricks.
        left: number of rounds by number of cards left in each hand.
        ties: number of tricks in which the leader had to decide.
        round_scores: number of players by points scored in a round.
        wins: number of games won by each side.
    """

    games: int
    tricks: Counter[int]
    left: Counter[int]
    ties: int
    round_scores: Counter[int]
    wins: Counter[int | None]

    def percentile(self, share: float) -> int:
        """Return a percentile of the points that a player scores in a round."""
        target, total = share * self.round_scores.total(), 0
        for points, count in sorted(self.round_scores.items()):
            total += count
            if total >= target:
                return points
        raise ValueError("There are no rounds.")

    def lines(self) -> list[str]:
        rounds, trick_count = self.tricks.total(), sum(number * count for number, count in self.tricks.items())
        shares = ", ".join(f"{number}: {count / rounds:.1%}" for number, count in sorted(self.tricks.items()))
        left = ", ".join(f"{number}: {count / rounds:.1%}" for number, count in sorted(self.left.items()))
        return [
            f"games {self.games}, rounds {rounds}",
            f"tricks in a round      {shares}",
            f"cards left in a hand   {left}",
            f"tricks that were tied  {self.ties / trick_count:.2%}",
            f"points in a round      {self.percentile(0.05)} to {self.percentile(0.95)} (5th to 95th percentile)",
            f"games won              first side {self.wins[0] / self.games:.1%}, second {self.wins[1] / self.games:.1%}",
        ]


def play_random_games(seats: int, games: int, seed: int) -> RandomFigures:
    figures = RandomFigures(games, Counter(), Counter(), 0, Counter(), Counter())
    rng, ties, rules = Random(seed), 0, Rules(seats)
    for _ in range(games):
        game = CardGame(rules)
        while not game.is_over:
            played = game.current_round
            if played is None or game.needs_deal:
                game = game.after(game.make_deal(rng))
            else:
                game = game.after(choose_at_random(played.legal_actions, rng))
        for each in game.finished_rounds:
            figures.tricks[len(each.tricks)] += 1
            figures.left[len(each.hands[0])] += 1
            figures.round_scores.update(each.scores)
            ties += sum(trick.was_tied for trick in each.tricks)
        figures.wins[game.winner] += 1
    return figures._replace(ties=ties)


def play_round(rules: Rules, deal: Deal, players: Sequence[CardBot]) -> tuple[int, int]:
    """Play one round with the first seat as dealer. Return both sides' points; 0 in a misdeal."""
    game = CardGame(rules).after(deal)
    while (played := game.current_round) and played.phase not in (Phase.OVER, Phase.MISDEAL):
        view = view_for(game, played.to_move)
        game = game.after(players[played.to_move].choose(view))
    return game.totals


def play_deal(seats: int, names: tuple[str, str], seed: int, number: int) -> tuple[int, int]:
    """Play a deal twice with the seats swapped. Return the two bots' total points."""
    rng, rules = Random(f"{seed} {number}"), Rules(seats)
    deal, points = deal_cards(rules, 0, rng), [0, 0]
    for first in (0, 1):
        sides = [make_bot(name, rng) for name in names]
        scores = play_round(rules, deal, [sides[(seat + first) % 2] for seat in range(seats)])
        for side in (0, 1):
            points[(side + first) % 2] += scores[side]
    return points[0], points[1]


def _print_strength(options: Namespace) -> None:
    names, wins, margin = (options.first, options.second), 0.0, 0
    for number in range(options.deals):
        first_points, second_points = play_deal(options.seats, names, options.seed, number)
        wins += (first_points > second_points) + (first_points == second_points) / 2
        margin += first_points - second_points
    share = wins / options.deals
    error = (share * (1 - share) / options.deals) ** 0.5
    print(f"{names[0]} beats {names[1]} in {share:.1%} of {options.deals} deals (standard error {error:.1%}),")
    print(f"by {margin / options.deals / 2:.1f} points a round; {options.seats} seats, seed {options.seed}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m tools.card_games", description="Play many card games between bots.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    random_parser = kinds.add_parser("random", help="play random games and count their properties")
    random_parser.add_argument("--games", type=int, default=1000, help="number of games (1000)")
    strength_parser = kinds.add_parser("strength", help="play one bot against another")
    strength_parser.add_argument("first", choices=BOT_NAMES, help="the first bot")
    strength_parser.add_argument("second", choices=BOT_NAMES, help="the second bot")
    strength_parser.add_argument("--deals", type=int, default=100, help="number of deals (100)")
    for each in (random_parser, strength_parser):
        each.add_argument("--seats", type=int, choices=(2, 4), default=2, help="number of players (2)")
        each.add_argument("--seed", type=int, default=1, help="random seed (1)")
    options = parser.parse_args(arguments)
    if options.kind == "random":
        print("\n".join(play_random_games(options.seats, options.games, options.seed).lines()))
    else:
        _print_strength(options)


if __name__ == "__main__":
    main()
