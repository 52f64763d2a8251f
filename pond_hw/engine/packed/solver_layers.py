"""Tables of positions for the solver.

A position is stored as a number. Its key consists of the four masks from rules.py, with nine bits each, and the mover.
Of the eight symmetric images, the one with the smallest key is used. The bits above the key hold the position's note.
Like rules.py, this is typed Python that `make fast` compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pond_hw.engine.packed.rules import MAX_WORD, ones
from pond_hw.engine.packed.table import zeros

if TYPE_CHECKING:
    from librt.vecs import vec
    from mypy_extensions import i64

CELL_COUNT: Final = 9
"""Number of cells on the only supported grid."""

ONE_MASK: Final = 511

OCCUPIED_BIT: Final = 1 << 37
"""Bit that is set in every key, so that no key is 0."""

KEY_MASK: Final = (1 << 38) - 1
"""Mask for the key; the bits above it are the note."""


class SolverLayer:
    """Hash table of the positions with the same spawns and scores, at most two thirds full.

    Attributes:
        spawn, scored: as in a position.
        index: index of the layer.
        alike: 1 if both sides have equal spawns and scores, otherwise 0.
        words: key and note of a position in one number, or 0 for an empty slot.
    """

    def __init__(self, spawn: i64, scored: i64, index: i64) -> None:
        self.spawn: i64 = spawn
        self.scored: i64 = scored
        self.index: i64 = index
        self.alike: i64 = 1 if spawn & 31 == spawn >> 5 and scored & 31 == scored >> 5 else 0
        self.words: vec[i64] = zeros(4)
        self.mask: i64 = 3
        self.position_count: i64 = 0

    def find_slot(self, key: i64) -> i64:
        """Return the slot of a position, or the empty slot for it."""
        slot_index = (key * 0x1851F42D4C957F2D & MAX_WORD) >> 30 & self.mask
        while True:
            table_word = self.words[slot_index]
            if not table_word or table_word & KEY_MASK == key:
                return slot_index
            slot_index = slot_index + 1 & self.mask

    def add_position(self, key: i64) -> bool:
        """Add a position. Return False if it already exists."""
        slot_index = self.find_slot(key)
        if self.words[slot_index]:
            return False
        self.words[slot_index] = key
        self.position_count += 1
        if 3 * self.position_count > 2 * self.mask:
            old_words = self.words
            self.words = zeros(2 * self.mask + 2)
            self.mask = 2 * self.mask + 1
            for table_word in old_words:
                if table_word:
                    self.words[self.find_slot(table_word)] = table_word
        return True


class SquareImages:
    """The eight symmetries of a 3 by 3 square.

    Attributes:
        images: image of each mask, with 512 masks per symmetry.
        least: smallest image of each mask, in nine bits. Each of the next eight bits is set if that symmetry yields it.
    """

    def __init__(self) -> None:
        self.images: vec[i64] = zeros(8 * 512)
        self.least: vec[i64] = zeros(512)
        for image_way in range(8):
            for mask in range(512):
                mask_image = 0
                for cell in range(CELL_COUNT):
                    if mask >> cell & 1:
                        y, x = divmod(cell, 3)
                        if image_way & 1:
                            x = 2 - x
                        if image_way & 2:
                            y = 2 - y
                        mask_image |= 1 << (3 * x + y if image_way & 4 else 3 * y + x)
                self.images[image_way * 512 + mask] = mask_image
                least_image = self.least[mask]
                if image_way == 0 or mask_image < least_image & ONE_MASK:
                    self.least[mask] = mask_image | 1 << CELL_COUNT + image_way
                elif mask_image == least_image & ONE_MASK:
                    self.least[mask] = least_image | 1 << CELL_COUNT + image_way

    def canonical_key(self, light: i64, dark: i64, eggs: i64, tadpoles: i64, mover: i64, equal_pairs: i64) -> i64:
        """Return the key shared by all images of a position: the smallest one, comparing light's mask first, then the others."""
        if equal_pairs and mover:
            light, dark = dark, light
            mover = 0
        least_image = self.least[light]
        least_ways = least_image >> CELL_COUNT
        other_masks: i64 = -1
        while least_ways:
            image_base = 512 * ones((least_ways & -least_ways) - 1)
            least_ways &= least_ways - 1
            other_images = (
                self.images[image_base + dark]
                | self.images[image_base + eggs] << 9
                | self.images[image_base + tadpoles] << 18
            )
            if other_masks < 0 or other_images < other_masks:
                other_masks = other_images
        return least_image & ONE_MASK | other_masks << 9 | mover << 36 | OCCUPIED_BIT
