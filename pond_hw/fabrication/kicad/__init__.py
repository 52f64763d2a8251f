"""KiCad schematic of a board.

netlist -> blocks (Pi, power, level shifter, chips, cells, lamps), each with symbols, wires and labels -> one page

symbols.py places the pins of a symbol, schematic_blocks.py lays out the symbols, and page.py packs the blocks onto one
page and writes the file.
"""
