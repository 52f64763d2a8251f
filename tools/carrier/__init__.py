"""Design carrier boards, which replace the strip board: parts, placement, tracks and KiCad files.

netlist -> carrier netlist (chips, fuse, connectors) -> footprints -> placement -> tracks -> NAME-carrier.kicad_pcb
"""
