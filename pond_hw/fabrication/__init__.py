"""Build documents of a board, all derived from the profile that the drivers also read.

profile -> circuit -> netlist -> wires -> pages (wiring, assembly), diagram, schematics, parts list, power
                            -> KiCad schematic of the whole board; netlist of its carrier board
profile -> solids  -> lid, grid, plate, case, pieces

Data-sheet values are in part_catalogue.toml, the text of the pages in pages.txt and assembly.txt, and the layout of the
schematics in schematic.txt.
"""
