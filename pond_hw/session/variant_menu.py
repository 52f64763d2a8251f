"""The menu of a cleared board: every cell of it stands for a variant."""

from __future__ import annotations

from pond_hw.rules import VARIANTS, Cell, Variant, get_grid


def variants_by_cell(size: int, variant: Variant) -> dict[Cell, Variant]:
    """Which variant each cell of the menu stands for, from a1 on; those alike are named once.

    `variant` is the one that is played; it is among them even if it has no name.
    """
    menu_variants: list[Variant] = []
    for candidate in (*VARIANTS.values(), variant):
        if candidate.size <= size and all(candidate[1:] != menu_variant[1:] for menu_variant in menu_variants):
            menu_variants.append(candidate)
    return dict(zip(get_grid(size).cells, menu_variants, strict=False))
