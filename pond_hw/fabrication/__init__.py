"""Build documents for a board, all derived from the profile that the drivers also use.

profile -> circuit -> netlist -> wires -> pages (wiring, assembly), diagram, schematics, parts list, power
                            -> KiCad schematic of the whole board; netlist of its carrier board
profile -> solids  -> lid, grid, plate, case, pieces

part_catalogue.toml contains the data-sheet values, pages.txt and assembly.txt the text of the pages, and schematic.txt
the layout of the schematics.
"""
