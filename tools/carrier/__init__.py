"""Designer of carrier boards, which replace the strip board: parts, placement, tracks, KiCad's file.

netlist -> carrier netlist (chips, fuse, connectors) -> footprints -> placement -> tracks -> NAME-carrier.kicad_pcb
"""
