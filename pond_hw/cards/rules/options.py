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
"""Values of each option, the default first; see `Rules`."""


class UnknownOption(PondError):
    """Unknown option, value, or number of players."""


class Rules(NamedTuple):
    """Rules of a card game.

    Attributes:
        seats: 2 players, or 4 in two partnerships; partners sit opposite each other.
        poison: poison suits are picked for each `round`, or once per `game`.
        misdeal: after a misdeal, players `keep` their poison suits or `pick` again.
        aside: the card set aside is worth `nothing` to its player, or `counts`.
        trap: when a trick is taken its trap cards are shown to the `winner`, or to `all`.
        outside: if the highest cards tie and the leader's is not among them, the `leader` decides which of them takes the
            trick, or the one played `first` does.
        twins: if the highest card is a spade that was played twice, the `leader` decides, or the one played `first` takes
            the trick.
        draw: equal totals after the last round are a `shared` win, or an `extra` round is played.
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
        """Return the seat opposite; None without partnerships."""
        return (seat + 2) % 4 if self.seats == 4 else None

    def seats_from(self, seat: int) -> tuple[int, ...]:
        """Return all seats clockwise, beginning with this one."""
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
