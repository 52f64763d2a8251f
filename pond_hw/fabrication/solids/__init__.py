"""Printed parts as solids, derived from the profile's cells, lamps, magnets and supply.

profile -> layout (numbers) -> board parts, pieces (solids) -> printed (as they lie on the bed) -> STL, views

print_checks reports every fault in the parts as a message.
"""
