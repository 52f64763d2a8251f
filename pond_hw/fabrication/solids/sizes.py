"""Lengths in mm: first those from data sheets and standards, then our choices.

Nothing printed from these numbers has been tested in practice yet.
"""

# --- From data sheets and standards ---------------------------------------------------------------------------------

# Height of a WS2812B above its circuit board, where it emits light (Worldsemi, WS2812B, mechanical dimensions).
LAMP_HEIGHT = 1.57
LAMP_SIDE = 5.0  # Side of its housing; same drawing.

SWITCH_SIDE = 6.0  # Side of a small tactile switch's body (Omron B3F-1000 series, like all 6 x 6 mm switches).
# Height of its plunger above the circuit board (Omron B3F-1020; heights in the series are 4.3 to 9.5).
SWITCH_HEIGHT = 5.0
SWITCH_TRAVEL = 0.45  # Travel at which it closes (Omron B3F-1000 series, pretravel 0.25 +0.2 -0.1).

# Height of a hall sensor's element above the circuit board (TI DRV5055, package DBZ, 1.12 mm high; about half of that. It is
# 0.8 in the package LPG, 1.5 mm thick, lying flat).
SENSOR_ELEMENT = 0.6

SENSOR_SIDE = 2.9  # Length of its housing; same data sheet.

# Length along the row, and depth, of a row board's connector (JST, XH series, B10B-XH-A).
ROW_CONNECTOR = (5.75, 27.4)
ROW_CONNECTOR_HEIGHT = 7.0
ROW_PLUG = 9.8  # Height of the connector with its plug (JST, XH series, mounting height).
USB_C_PLUG = (12.35, 6.5)  # Maximum width and height of a plug's overmould (USB Type-C specification).
USB_C_HEIGHT = 1.6  # Height of a socket's middle above its board (sockets are 3.2 mm high, for instance GCT USB4105).

# Raspberry Pi of the standard size (Raspberry Pi Ltd, mechanical drawings of the 3 B+, 4 B and 5).
PI_SIZE = (85.0, 56.0)
PI_HOLES = (58.0, 49.0)  # Spacing of its four M2.5 holes, centre to centre; same drawings.
PI_HOLE = 3.5  # From the edges at the SD card's corner to the first hole; same drawings.
# From the same edge to the middle of its power socket, along the long side (drawings of the 4 B and 5; 3 B+: 10.6).
PI_POWER = 11.2

# Hole for a heat-set M3 brass insert (Accu, hole sizes for heat-set inserts in PLA: 4.0 +0.1).
INSERT_HOLE = 4.0
SCREW_HOLE = 3.4  # Through hole for an M3 screw (ISO 273, medium).
SCREW_HEAD = 6.8  # Maximum width of its countersunk head, with sharp edges (ISO 10642: 6.72 for M3).

TRELLIS_SIDE = 60.0  # Side of Adafruit's NeoTrellis, product 3954.
TRELLIS_KEY = 10.0  # Side of a key on its silicone keypad, Adafruit product 1611.

NOZZLE_WIDTH = 0.4  # Nozzle diameter of most printers; walls must be thicker than two nozzle widths.
PLASTIC_DENSITY = 1.24e-3  # Density of PLA in g/mm³ (NatureWorks, Ingeo 4043D: 1.24 g/cm³).
# Density of neodymium magnets in g/mm³ (Arnold Magnetic Technologies, N42: 7.5 g/cm³).
MAGNET_DENSITY = 7.5e-3
# Minimum and maximum B_r of grade N42 in T (Arnold Magnetic Technologies, N42: 12.8 to 13.2 kG).
MAGNET_REMANENCE = (1.28, 1.32)

# --- Our choice -----------------------------------------------------------------------------------------------------

TRELLIS_PITCH = 15.0  # Distance between the middles of neighbouring keys of a NeoTrellis.
ROW_DEPTH = 33.0  # Depth of a row board ...
ROW_THICKNESS = 1.6  # ... and its thickness.
ROW_START = 8.5  # Length of a row board beyond its first cell, for the connector ...
ROW_END = 0.17  # ... and distance from its other end to the edge of the last cell.
CONNECTOR_MIDDLE = 4.225  # Distance from the first cell to the middle of the connector, under the row board.
CABLE_BEND = 5.0  # Room for a cable to bend behind its plug.

BED_SIDE = 220.0  # Side of the smallest supported printer bed.
BRIDGE_LENGTH = 14.0  # Widest gap that prints without support.
LAYER_HEIGHT = 0.2  # The printer pauses at a whole number of layers.
WALL_THICKNESS = 2.4  # Walls and floor of the case.
# From the outer cells to the outside of the case: room for the rows' connectors, and for the carrier between two columns.
CASE_BORDER = 15.0
TRELLIS_BORDER = 25.9  # The same on a NeoTrellis, whose cells are so close together that a Pi is longer than a row.
PART_GAP = 0.3  # Clearance on all sides between assembled parts.
PRESS_GAP = 0.15  # Clearance of parts that hold by friction or with a drop of glue.

STANDOFF_HEIGHT = 4.0  # Height of the Pi above the floor ...
STANDOFF_WIDTH = 6.0
STANDOFF_HOLE = 2.1  # ... on M2.5 screws that cut their own thread.
PI_ROOM = 28.0  # From the Pi's underside to a NeoTrellis: room for its sockets, and for plugs on its header ...
CARRIER_PI_ROOM = 35.0  # ... and to the plate of row boards, whose plugs hang over the carrier.
PI_OVERHANG = 3.0  # Overhang of its USB sockets, plus 1 mm.
PI_WALL = 1.5  # Gap between the wall and the edge with its power socket.
CARRIER_SIZE = (91.44, 90.17)  # Width and depth of every carrier board: below 100 mm, where board makers are cheapest.
CARRIER_USB_C = 45.0  # From its near edge to the middle of the lamp supply's USB-C socket, at the left edge.
PICO_CARRIER_SIZE = (91.44, 90.17)  # Width and depth of a carrier for a Pico, which is in the middle of its far edge.
PICO_CARRIER_USB_C = 18.0  # From its left edge to the middle of the lamp supply's USB-C socket, at the far edge.
# Height of the Pico's underside above its carrier: sockets of 8.5 mm, and the pins' plastic of 2.5 mm.
PICO_SOCKET = 11.0
PICO_USB_HEIGHT = 2.4  # Height of the middle of its USB socket above its underside.
CARRIER_HOLE_MARGIN = 4.0  # From its edges to the centres of its four M3 holes.
CARRIER_THICKNESS = 1.6
CARRIER_ROOM = 20.0  # Room above it for parts, plugs and wires.
CARRIER_GAP = 1.5  # Gap between it and the Pi.
CARRIER_WALL = (
    0.5  # Gap between its left edge and the wall, through which the plug of the lamp supply reaches its socket.
)
AIR_SLOT = (10.0, 4.0)  # Width and height of the slots near the top of the back wall, where warm air escapes.
PICO_WINDOW = (14.0, 10.0)  # Hole in the wall for the plug of a Pico's cable; plugs with sleeves are 11 by 7.
USB_C_WINDOW = (14.0, 8.0)  # The same for the lamp supply's plug.
PI_WINDOW = (16.0, 11.0)  # Width and height of the hole in the wall for the plug of the Pi's supply.
KEY_HOLE = 12.2  # For a push button with a 12 mm thread.
TURN_KEY_DISTANCE = 150.0  # Distance from the case to the turn keys beside it.
TURN_KEY_HOLE = 24.2  # For a 24 mm arcade button.
TURN_KEY_ROOM = (36.0, 46.0)  # Width of its nut, and its depth including lamp and wires.
CABLE_HOLE = 8.0  # For the wires of the turn keys.
KEY_BODY = (16.0, 30.0)  # Width of its nut, and its depth including wires.
BUZZER_BODY = (30.0, 8.0)
SOUND_HOLE = 2.0  # Diameter of the seven holes in front of the buzzer.

HALF_COLUMN = 4.4  # Half the width of a screw's column.
INSERT_DEPTH = 9.0

PLATE_THICKNESS = 2.0  # Thickness of the plate that carries the row boards.
LEDGE_WIDTH = 2.4
WINDOW_SIDE = (
    29.0  # Side of the window under each cell, for pins that stick out below; ribs between them carry the boards.
)
CONNECTOR_PLAY = 0.6  # Clearance on all sides of a connector in the plate: its joints leave it some play.
LIP_HEIGHT = (
    1.2  # Height of the lip around the row boards: less than their thickness, because the lamp grid passes over it.
)
LIP_WIDTH = 1.5

GRID_WALL = 2.0  # Thickness of the walls between the cells.
TILE_HEIGHT = 7.6  # Height of a tile above the row boards: enough for the lamps' light to mix ...
GRID_UNDER_BUTTONS = 9.9  # ... and height of the lid above them over buttons.
# The grid is lower than the lid by this much, so that the lid lies on the case: circuit boards are up to 10 % thicker.
GRID_CLEARANCE = 0.2
GUSSET_SIDE = 4.0  # Side of the triangular diffuser support in each corner of a cell.

LID_THICKNESS = 2.4
# Caps widen downwards at 45 degrees, and so do the lid's openings, so that no cap can come out. Tiles are flat, and the lid
# overlaps them by as much.
BEVEL_WIDTH = 1.5
FLARE_WIDTH = 1.0  # Width of the slope at the upper edge of the lid's openings over tiles, at 45 degrees.
TILE_RISE = PART_GAP  # Distance that a diffuser can rise before it touches the lid.
TILE_THICKNESS = 1.2
RIM_PLAY = 0.5  # Clearance on all sides of a piece within the rim on a tile ...
RIM_HEIGHT = 1.6  # ... whose height makes a piece that stands on it lean by 4 degrees or more, which is easy to see.
RIM_WIDTH = 1.2  # Thickness of the rim ...
RIM_LENGTH = 6.0  # ... and length of its parts in the middle of each side: it is short, so that it dims little light.
CAP_THICKNESS = 1.6  # Thickness of a button's top ...
CAP_WALL = 1.2  # ... and of its sides.
SKIRT_HEIGHT = 4.8  # Height of a cap's lowest part, which guides it.
BUTTON_TRAVEL = 1.4  # Travel of a button.
STEM_WIDTH = 5.0

FOOT_SHARE = 0.64  # Long side as a fraction of a piece's width, which is the sum of a long and a short side.
LENGTH_SHARE = 0.9  # Length of a piece as a fraction of its width.
LIT_BORDER = 2.0  # Minimum visible border of the lit cell around a centred piece.
DOME_SHARE = 0.2  # Height of a plain piece's dome as a fraction of its width; it can't stand on the dome.
FOOT_CHAMFER = 0.6  # Chamfer at the lower edge of a plain piece, at 45 degrees: first layers print wider.
SKIN_THICKNESS = 1.0  # Thickness of the plastic between a magnet and the table.
FRICTION = 0.3  # Assumed friction between a piece and its tile; nothing has been measured yet.
# Weight of a plain piece's plastic with 20 % infill, as a fraction of solid plastic (sliced.toml). Turned pieces have 100 %.
PRINTED_SHARE = 0.63
CAP_OVER_MAGNETS = 1.6  # Minimum thickness over the magnets.
MARK_HEIGHT = 1.0  # Height of the raised marks on a flat of 8 mm, their minimum height on smaller pieces ...
MARK_MIN_HEIGHT = 0.8
MARK_OVERHANG = 0.3  # ... and their maximum overhang beyond the width of the piece.

BEZEL_THICKNESS = 2.0
BEZEL_DEPTH = 6.0
CLIP_SIZE = (12.0, 8.0, 2.4)  # Clip that holds a corner of the NeoTrellis in its bezel ...
CLIP_OVERLAP = 3.0  # ... and its overlap with the circuit board.
CLIP_HOLE = 2.8  # For an M2.5 screw.
CLIP_PILOT = 5.0  # Depth of its thread in the bezel.
KEY_GAP = 0.5

ROUND_SEGMENTS = 32  # Segments of a circle ...
FINE_SEGMENTS = 8  # ... and of a circle smaller than 3 mm.
