"""What a person builds, all of it taken from the profile that the drivers read.

profile -> circuit -> netlist -> wires -> pages (wiring, assembly), diagram, schematics, parts list, power
                            -> the schematic of the whole board for KiCad; what a carrier board carries
profile -> solids  -> lid, grid, plate, case, pieces

What data sheets say is in part_catalogue.toml; the prose of the pages is in pages.txt and assembly.txt, and where the
schematics draw what in schematic.txt.
"""
