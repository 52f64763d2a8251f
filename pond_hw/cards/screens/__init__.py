"""Screens of the card game in a terminal: playing, and keeping a score."""
