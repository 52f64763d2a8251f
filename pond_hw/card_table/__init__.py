"""The card game at a lit board: what cells and strips show of it, what a press means, and the board itself.

    card_scene  what there is to see, by meaning, made from a score sheet or from what one player sees
    card_lamps  a scene and an instant become a picture
    presses     a press on a cell becomes an entry of the score sheet
    companion   the board: presses come in, frames go out

The first three are pure. Profit ranks are never in a scene, nor is any card.
"""
