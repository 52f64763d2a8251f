"""Rules of the card game. Pure: no clock, no file, no device, and every random choice comes from the caller's `Random`.

card         cards, their points, and which one takes a trick
options      the number of players, and the points on which people differ
deal         poison is picked, cards are dealt
round        one round, action by action
game         four rounds, undo
player_view  all that one player may know; bots and screens get this and nothing else
record       a game as text
score_sheet  the score of a game that is played with cards on a table
"""

from pond_hw.cards.rules.card import Card, Category, ProfitGroup, format_card, parse_card
from pond_hw.cards.rules.deal import Deal, deal_cards
from pond_hw.cards.rules.game import CardGame
from pond_hw.cards.rules.options import Rules
from pond_hw.cards.rules.player_view import PlayerView, view_for
from pond_hw.cards.rules.round import NO_TRAP, IllegalCard, Phase, Round, Trick

__all__ = [
    "NO_TRAP",
    "Card",
    "CardGame",
    "Category",
    "Deal",
    "IllegalCard",
    "Phase",
    "PlayerView",
    "ProfitGroup",
    "Round",
    "Rules",
    "Trick",
    "deal_cards",
    "format_card",
    "parse_card",
    "view_for",
]
