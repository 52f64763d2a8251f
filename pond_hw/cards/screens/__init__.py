"""Terminal screens of the card game."""
