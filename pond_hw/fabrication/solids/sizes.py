"""Lengths in mm: first those from data sheets and standards, then our choices.

Nothing printed from these numbers has been tested in practice yet.
"""

# --- From data sheets and standards ---------------------------------------------------------------------------------

# Width of a bare strip of WS2812B lamps (BTF-LIGHTING, product page of the WS2812B strips, IP30: 10 mm).
STRIP_WIDTH = 10.0
# Height of a WS2812B above its circuit board, where it emits light (Worldsemi, WS2812B, mechanical dimensions).
LAMP_HEIGHT = 1.57

SWITCH_SIDE = 6.0  # Side of a small tactile switch's body (Omron B3F-1000 series, like all 6 x 6 mm switches).
SWITCH_HOLES = (6.5, 4.5)  # Spacing of its four terminals, centre to centre (Omron B3F-1000 series, PCB mounting).
# Height of its plunger above the plate (Omron B3F-1020; heights in the series are 4.3 to 9.5).
SWITCH_HEIGHT = 5.0
SWITCH_TRAVEL = 0.45  # Travel at which it closes (Omron B3F-1000 series, pretravel 0.25 +0.2 -0.1).

# Width and height of the face of a flat TO-92 hall sensor (TI DRV5055, package LPG: 4.00 x 3.15 mm).
SENSOR_SIZE = (4.0, 3.15)

# Raspberry Pi of the standard size (Raspberry Pi Ltd, mechanical drawings of the 3 B+, 4 B and 5).
PI_SIZE = (85.0, 56.0)
PI_HOLES = (58.0, 49.0)  # Spacing of its four M2.5 holes, centre to centre; same drawings.
PI_HOLE = 3.5  # From the edges at the SD card's corner to the first hole; same drawings.
# From the same edge to the middle of its power socket, along the long side (drawings of the 4 B and 5; 3 B+: 10.6).
PI_POWER = 11.2

# Raspberry Pi Pico, its USB socket at a short side (Raspberry Pi Ltd, Pico data sheet, mechanical specification).
PICO_SIZE = (21.0, 51.0)
PICO_HOLES = (11.4, 47.0)  # Spacing of its four M2 holes, centre to centre; same drawing.

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

BED_SIDE = 220.0  # Side of the smallest supported printer bed.
BRIDGE_LENGTH = 14.0  # Widest gap that prints without support.
LAYER_HEIGHT = 0.2  # The printer pauses at a whole number of layers.
WALL_THICKNESS = 2.4  # Walls and floor of the case.
# From the outer cells to the outside of the case: room for screws, and for the wires at the ends of the rows.
CASE_BORDER = 12.0
TRELLIS_BORDER = 25.9  # The same on a NeoTrellis, whose cells are so close together that a Pi is longer than a row.
PART_GAP = 0.3  # Clearance on all sides between assembled parts.
PRESS_GAP = 0.15  # Clearance of parts that hold by friction or with a drop of glue.
SAW_GAP = 0.1  # Gap between the quarters of a part that is too large for the bed.

STANDOFF_HEIGHT = 4.0  # Height of the Pi above the floor ...
STANDOFF_WIDTH = 6.0
STANDOFF_HOLE = 2.1  # ... on M2.5 screws that cut their own thread.
PICO_HOLE = 1.7  # For the Pico's M2 screws, which also cut their own thread.
PI_ROOM = 28.0  # From the Pi's underside to the sensor plate: room for its sockets, and for plugs on its header.
PI_OVERHANG = 3.0  # Overhang of its USB sockets, plus 1 mm.
PI_WALL = 1.5  # Gap between the wall and the edge with its power socket.
CARRIER_SIZE = (91.44, 90.17)  # Width and depth of every carrier board: below 100 mm, where board makers are cheapest.
CARRIER_USB_C = 45.0  # From its near edge to the middle of the lamp supply's USB-C socket, at the left edge.
PICO_CARRIER_SIZE = (91.44, 90.17)  # Width and depth of a carrier for a Pico, which is in the middle of its far edge.
PICO_CARRIER_USB_C = 18.0  # From its left edge to the middle of the lamp supply's USB-C socket, at the far edge.
PICO_SOCKET = (
    11.0  # Height of the Pico's underside above its carrier: sockets of 8.5 mm, and the pins' plastic of 2.5 mm.
)
CARRIER_HOLE_MARGIN = 4.0  # From its edges to the centres of its four M3 holes.
CARRIER_THICKNESS = 1.6
CARRIER_ROOM = 24.0  # Room above it for parts, plugs and wires.
CARRIER_GAP = 1.5  # Gap between it and the Pi.
AIR_SLOT = (10.0, 4.0)  # Width and height of the slots near the top of the back wall, where warm air escapes.
PICO_WINDOW = (14.0, 10.0)  # Hole in the wall for the plug of a Pico's cable; plugs with sleeves are 11 by 7.
PI_WINDOW = (16.0, 11.0)  # Width and height of the hole in the wall for the plug of the Pi's supply.
KEY_HOLE = 12.2  # For a push button with a 12 mm thread.
TURN_KEY_DISTANCE = 150.0  # Distance from the case to the turn keys beside it.
TURN_KEY_HOLE = 24.2  # For a 24 mm arcade button.
TURN_KEY_ROOM = (36.0, 46.0)  # Width of its nut, and its depth including lamp and wires.
CABLE_HOLE = 8.0  # For the wires of the turn keys.
KEY_BODY = (16.0, 30.0)  # Width of its nut, and its depth including wires.
JACK_HOLE = 11.2  # For a supply socket with an 11 mm thread.
JACK_BODY = (14.0, 20.0)
BUZZER_BODY = (30.0, 8.0)
SOUND_HOLE = 2.0  # Diameter of the seven holes in front of the buzzer.

HALF_COLUMN = 4.4  # Half the width of a screw's column.
INSERT_DEPTH = 9.0

PLATE_THICKNESS = 2.0  # Thickness of the sensor plate: a switch's pins reach through it.
LEDGE_WIDTH = 2.4
POST_WALL = 0.95
SENSOR_PLAY = 0.3
SENSOR_DEPTH = 1.6  # Depth of the sensor's pocket; the flat packages are slightly thicker than 1.5 mm.
SENSOR_DIE = 0.8  # Depth of the sensor element, assumed to be mid-package; data sheets put it nearer to the face.
LEG_HOLE = 1.6
SWITCH_HOLE = 1.4
WIRE_SLOT = (4.0, 6.0)  # Slot at each end of a strip for its three wires.

GRID_WALL = 2.0  # Thickness of the walls between the cells.
GRID_UNDER_TILES = (
    8.0  # Height of the lamp grid under pieces; low enough for the sensors' leads to reach through the plate ...
)
GRID_UNDER_BUTTONS = 10.0  # ... and over buttons.
GRID_CLEARANCE = 0.1  # The grid is lower than the case by this much, so that the lid lies on the case.
NOTCH_HEIGHT = 1.2  # Height of the gap for a strip under a wall.
GUSSET_SIDE = 4.0  # Side of the triangular diffuser support in each corner of a cell.

LID_THICKNESS = 2.4
# Diffusers widen downwards at 45 degrees, and so do the lid's openings, so that no diffuser can come out.
BEVEL_WIDTH = 1.5
TILE_RISE = PART_GAP  # Distance that a diffuser can rise before it touches the lid.
TILE_THICKNESS = 1.2  # Thickness of a tile, between a piece and the sensor's post.
TILE_GAP = 0.3  # Gap between the tile and the post.
CAP_THICKNESS = 1.6  # Thickness of a button's top.
RIM_WIDTH = 1.2
LIP_HEIGHT = 0.8  # Height of a diffuser's lowest part under pieces ...
SKIRT_HEIGHT = 4.8  # ... and over a switch, which guides it.
BUTTON_TRAVEL = 1.4  # Travel of a button.
STEM_WIDTH = 5.0

FOOT_SHARE = 0.64  # Long side as a fraction of a piece's width, which is the sum of a long and a short side.
LENGTH_SHARE = 0.9  # Length of a piece as a fraction of its width.
MAX_WIDTH = 30.0  # Maximum width of a piece, reached in large cells.
LIT_BORDER = 2.0  # Minimum visible border of the lit cell around a centred piece.
DOME_SHARE = 0.2  # Height of a plain piece's dome as a fraction of its width; it can't stand on the dome.
FOOT_CHAMFER = 0.6  # Chamfer at the lower edge of a plain piece, at 45 degrees: first layers print wider.
SKIN_THICKNESS = 1.0  # Thickness of the plastic between a magnet and the table.
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
