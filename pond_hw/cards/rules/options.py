"""The form of the card game, and the points where people play it differently. The first choice of each is the usual one."""

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
"""Values of each option: see `Rules`."""


class UnknownOption(PondError):
    """There is no such option, or it cannot have this value."""


class Rules(NamedTuple):
    """Rules of a card game.

    Attributes:
        seats: 2 players, or 4 in two partnerships; partners sit opposite each other.
        poison: whether poison suits are picked for each `round`, or once for the `game`.
        misdeal: after a misdeal, whether players `keep` their poison suits or `pick` again.
        aside: whether the card that is set aside is worth `nothing`, or `counts` for whoever set it aside.
        trap: who sees the trap cards when a trick is taken: its `winner`, or `all`.
        outside: who takes a trick in which the highest cards tie and the leader's is not among them: whom the `leader`
            names of these, or the one who played `first`.
        twins: who takes a trick whose highest card is a spade that is there twice: whom the `leader` names, or the one
            who played it `first`.
        draw: whether equal totals after the last round are a `shared` win, or an `extra` round is played.
        rounds: rounds of a game.
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
        """Decks of 52 cards that are in use."""
        return self.seats // 2

    def partner_of(self, seat: int) -> int | None:
        """The seat opposite, if there are partnerships."""
        return (seat + 2) % 4 if self.seats == 4 else None

    def seats_from(self, seat: int) -> tuple[int, ...]:
        """All seats clockwise, beginning with this one."""
        return tuple((seat + place) % self.seats for place in range(self.seats))

    @property
    def changed_options(self) -> tuple[str, ...]:
        """The options that are not as usual, such as `poison=game`."""
        return tuple(f"{name}={getattr(self, name)}" for name in OPTIONS if getattr(self, name) != OPTIONS[name][0])


def parse_options(seats: int, option_texts: tuple[str, ...] | list[str]) -> Rules:
    """The rules for so many players, with options such as `poison=game`.

    Raises:
        UnknownOption: the number of players, an option or its value is none that there is.
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
