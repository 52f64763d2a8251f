"""What a person builds, all of it taken from the profile that the drivers read.

profile -> circuit -> netlist -> table, diagram, schematics, parts list, power, assembly
profile -> solids  -> lid, grid, plate, case, pieces
"""
