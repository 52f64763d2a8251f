"""Printed parts: their solids, from the profile's cells, lamps, magnets and supply.

profile -> layout (numbers) -> board parts, pieces (solids) -> printed (as they lie on the bed) -> STL, views
print_checks: what must be true of them, each a sentence if it is not
"""
