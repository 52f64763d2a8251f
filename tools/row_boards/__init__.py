"""Design row boards: parts, placement, tracks, KiCad files and lists for an assembly house.

netlist of a row -> footprints at fixed places in each cell -> explicit tracks -> switch-4.kicad_pcb

All cells are alike, so the layout is a drawing of one cell that is repeated. No router is needed.
"""
