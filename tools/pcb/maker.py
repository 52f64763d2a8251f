"""Design rules of PCB manufacturers, and the files that they get."""

MAKER_RULES = """(version 1)
(rule "tracks" (constraint track_width (min 0.2mm)))
(rule "clearance" (constraint clearance (min 0.2mm)))
(rule "copper to the edge" (constraint edge_clearance (min 0.5mm)))
(rule "holes" (constraint hole_size (min 0.3mm)))
(rule "copper around holes" (constraint annular_width (min 0.15mm)))
(rule "letters" (constraint text_height (min 0.8mm)))
(rule "lines of letters" (constraint text_thickness (min 0.12mm)))
"""
"""Design rules that every PCB manufacturer can meet. Without these rules, KiCad accepts tracks of any width."""

EXPORT_SUFFIXES = ("-gerbers.zip", ".png")
"""Suffixes of the files that KiCad exports from a board."""
