"""A printed circuit board in the place of the strip board: what it carries, where that stands, its tracks, as KiCad's file.

netlist -> carrier netlist (chips, fuse, connectors) -> footprints -> placement -> tracks -> NAME-carrier.kicad_pcb
"""
