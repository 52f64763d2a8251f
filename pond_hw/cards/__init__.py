"""Pond, the trick-taking card game for two players or two partnerships, by Michael Schoessow.

It shares its name with the board game and nothing else. Pure: no clock, no file, no device; a deal comes from the chance
that is handed in. `docs/card-game.md` says which reading is taken where the rules are silent.

    card        cards, what they are worth and which one takes a trick
    options     the form of the game, and where people play it differently
    deal        poison is picked, cards are dealt
    round       one round, action by action
    game        four rounds, undo
    seen        what one player may know; bots and screens get this and nothing else
    record      a game as text
    score_sheet the score of a game that is played with cards on a table
    policy, worlds, bots    programs that play
"""

from pond_hw.cards.card import Card, Category, ProfitGroup, format_card, parse_card
from pond_hw.cards.deal import Deal, deal_cards
from pond_hw.cards.game import CardGame
from pond_hw.cards.options import Rules
from pond_hw.cards.round import NO_TRAP, IllegalCard, Phase, Round, Trick
from pond_hw.cards.seen import Seen, seen_by

__all__ = [
    "NO_TRAP",
    "Card",
    "CardGame",
    "Category",
    "Deal",
    "IllegalCard",
    "Phase",
    "ProfitGroup",
    "Round",
    "Rules",
    "Seen",
    "Trick",
    "deal_cards",
    "format_card",
    "parse_card",
    "seen_by",
]
