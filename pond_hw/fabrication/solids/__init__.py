"""Printed parts: their solids, from the profile's cells, lamps, magnets and supply.

profile -> layout (numbers) -> case, plate, grid, lid, diffusers, pieces (solids) -> STL, views
fit_checks, print_checks: what must be true of them, each a sentence if it is not
"""
