"""The schematic of a board for KiCad.

netlist -> blocks (Pi, power, level shifter, chips, cells, lamps), each with symbols, wires and labels -> one page

Where a symbol has its pins is in symbols.py; schematic_blocks.py says what stands where; page.py packs the blocks and writes them.
"""
