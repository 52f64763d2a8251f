"""Rules of the card game. They use no clock, files or devices, and take random numbers from the caller's `Random`.

card         cards, their points and their strength
options      number of players, and house rules
deal         picking the poison and dealing
round        one round, action by action
game         all rounds of a game, and undo
player_view  what one player may know; bots and screens get only this
record       a game as text
score_sheet  score of a game played with real cards
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
