"""Number of players and house rules of the card game."""

from __future__ import annotations

from typing import NamedTuple

from pond_hw.messages.message import Message, PondError

OPTIONS: dict[str, tuple[str, ...]] = {
    "poison": ("round", "game"),
    "misdeal": ("keep", "pick"),
    "aside": ("nothing", "counts"),
    "trap": ("winner", "all"),
    "outside": ("leader", "first"),
    "twins": ("leader", "first"),
    "draw": ("shared", "extra"),
}
"""Allowed values of each option, the default first; see `Rules`."""


class UnknownOption(PondError):
    """Unknown option, option value, or number of players."""


class Rules(NamedTuple):
    """Rules of a card game.

    Attributes:
        seats: 2 players, or 4 in two partnerships; partners sit opposite each other.
        poison: `round` if poison suits are picked for each round, `game` if only once.
        misdeal: `keep` if poison suits stay the same after a misdeal, `pick` if they are picked again.
        aside: `nothing` if the card set aside has no value, `counts` if it scores for its player.
        trap: who sees the trap cards of a taken trick: its `winner`, or `all`.
        outside: who takes the trick if the highest cards tie without the leader's: the `leader` decides, or the `first`
            of them wins.
        twins: who takes the trick if its highest card is a spade that was played twice: the `leader` decides, or the
            `first` one wins.
        draw: equal totals after the last round are a `shared` win, or lead to an `extra` round.
    """

    seats: int = 2
    poison: str = "round"
    misdeal: str = "keep"
    aside: str = "nothing"
    trap: str = "winner"
    outside: str = "leader"
    twins: str = "leader"
    draw: str = "shared"
    rounds: int = 4

    @property
    def decks(self) -> int:
        """Number of 52-card decks in use."""
        return self.seats // 2

    def partner_of(self, seat: int) -> int | None:
        """Return the opposite seat; None without partnerships."""
        return (seat + 2) % 4 if self.seats == 4 else None

    def seats_from(self, seat: int) -> tuple[int, ...]:
        """Return all seats in clockwise order, starting with this one."""
        return tuple((seat + place) % self.seats for place in range(self.seats))

    @property
    def changed_options(self) -> tuple[str, ...]:
        """Options that differ from the default, such as `poison=game`."""
        return tuple(f"{name}={getattr(self, name)}" for name in OPTIONS if getattr(self, name) != OPTIONS[name][0])


def parse_options(seats: int, option_texts: tuple[str, ...] | list[str]) -> Rules:
    """Return the rules for this number of players, with options such as `poison=game`.

    Raises:
        UnknownOption: the number of players, an option or its value is unknown.
    """
    if seats not in (2, 4):
        raise UnknownOption(Message("cards.wrong_seats", number=seats))
    chosen: dict[str, str] = {}
    for option_text in option_texts:
        name, _, value = option_text.partition("=")
        if name not in OPTIONS:
            raise UnknownOption(Message("cards.no_option", name=name[:20], names=tuple(OPTIONS)))
        if value not in OPTIONS[name]:
            raise UnknownOption(Message("cards.no_value", name=name, text=value[:20], values=OPTIONS[name]))
        chosen[name] = value
    return Rules(seats, **chosen)  # type: ignore[arg-type] # all options are texts
