"""Lengths in mm. First what others have fixed, each with its source; then what we chose.

Nothing printed from these numbers has been held in a hand yet.
"""

# --- From data sheets and standards ---------------------------------------------------------------------------------

# Width of a bare strip of WS2812B lamps (BTF-LIGHTING, product page of the WS2812B strips, IP30: 10 mm).
STRIP_WIDTH = 10.0
# Height of a WS2812B above its circuit board, and so of what shines (Worldsemi, WS2812B, mechanical dimensions).
LAMP_HEIGHT = 1.57

SWITCH_SIDE = 6.0  # Side of a small tactile switch's body (Omron B3F-1000 series, as all 6 x 6 mm switches).
SWITCH_HOLES = (6.5, 4.5)  # Its four terminals, from middle to middle (Omron B3F-1000 series, PCB mounting).
# From the plate that it stands on to the top of its plunger (Omron B3F-1020; the series has 4.3 to 9.5).
SWITCH_HEIGHT = 5.0
SWITCH_TRAVEL = 0.45  # It has closed after this at the latest (Omron B3F-1000 series, pretravel 0.25 +0.2 -0.1).

# Width and height of a flat TO-92 hall sensor's body, seen on its face (TI DRV5055, package LPG: 4.00 x 3.15 mm).
SENSOR_SIZE = (4.0, 3.15)

# A Raspberry Pi of the usual size (Raspberry Pi Ltd, mechanical drawings of the 3 B+, 4 B and 5).
PI_SIZE = (85.0, 56.0)
PI_HOLES = (58.0, 49.0)  # Its four M2.5 holes, from middle to middle; the same drawings.
PI_HOLE = 3.5  # From the edges at the corner of the SD card to the first of them; the same drawings.
# From the same edge to the middle of its power socket, along the long side (drawings of the 4 B and 5; 3 B+: 10.6).
PI_POWER = 11.2

# A Raspberry Pi Pico, its USB socket at a short side (Raspberry Pi Ltd, Pico data sheet, mechanical specification).
PICO_SIZE = (21.0, 51.0)
PICO_HOLES = (11.4, 47.0)  # Its four M2 holes, from middle to middle; the same drawing.

# Hole for a brass insert M3 that is melted in (Accu, hole sizes for heat-set inserts in PLA: 4.0 +0.1).
INSERT_HOLE = 4.0
SCREW_HOLE = 3.4  # Hole that an M3 screw goes through (ISO 273, medium).
SCREW_HEAD = 6.8  # Its countersunk head at the widest, sharp edges assumed (ISO 10642: 6.72 for M3).

TRELLIS_SIDE = 60.0  # Side of Adafruit's NeoTrellis, product 3954.
TRELLIS_KEY = 10.0  # Side of a key of the silicone keypad for it, Adafruit product 1611.

NOZZLE_WIDTH = 0.4  # Diameter of the nozzle that most printers are sold with; walls are to be thicker than two of them.
PLASTIC_DENSITY = 1.24e-3  # PLA weighs this, in g/mm³ (NatureWorks, Ingeo 4043D: 1.24 g/cm³).
# Magnets of neodymium, iron and boron weigh this, in g/mm³ (Arnold Magnetic Technologies, N42: 7.5 g/cm³).
MAGNET_DENSITY = 7.5e-3
# B_r of grade N42 in T, at the least and at the most (Arnold Magnetic Technologies, N42: 12.8 to 13.2 kG).
MAGNET_REMANENCE = (1.28, 1.32)

# --- Our choice -----------------------------------------------------------------------------------------------------

BED_SIDE = 220.0  # A part is to fit on a bed of so much by so much.
BRIDGE_LENGTH = 14.0  # A printer is to cross a gap of no more than this in the air.
LAYER_HEIGHT = 0.2  # Of what is printed; where the printer pauses is a whole number of these.
WALL_THICKNESS = 2.4  # Walls and floor of the case.
# From the outer cells to the outside of the case: room for screws, and for the wires at the ends of the rows.
CASE_BORDER = 12.0
TRELLIS_BORDER = 25.9  # The same on a NeoTrellis, whose cells are so near that a Pi is longer than all of them.
PART_GAP = 0.3  # Clearance to all sides between parts that are put together.
PRESS_GAP = 0.15  # Clearance where a part is to stay in by itself, or with a drop of glue.
SAW_GAP = 0.1  # What is missing between the parts of one that was too large for the bed.

STANDOFF_HEIGHT = 4.0  # The Pi lies so high above the floor ...
STANDOFF_WIDTH = 6.0
STANDOFF_HOLE = 2.1  # ... on screws M2.5 that cut their own thread.
PICO_HOLE = 1.7  # For the Pico's screws M2, which cut their own thread, too.
PI_ROOM = 28.0  # From the Pi's underside to the sensor plate: its sockets, and plugs on its header.
PI_OVERHANG = 3.0  # So far its USB sockets stand over, and one more.
PI_WALL = 1.5  # From the edge with its power socket to the wall.
CARRIER_SIZE = (91.44, 90.17)  # Width and depth of every carrier board: less than 100 mm, where makers are cheapest.
CARRIER_HOLE_MARGIN = 4.0  # From its edges to the middles of its four holes M3.
CARRIER_THICKNESS = 1.6
CARRIER_ROOM = 24.0  # Above it, for its parts, and for the plugs with their wires.
CARRIER_GAP = 1.5  # From it to the Pi.
AIR_SLOT = (10.0, 4.0)  # Slots in the back wall, near its top: warm air leaves there. Width and height.
PICO_WINDOW = (14.0, 10.0)  # Hole in the wall for the plug of a Pico's cable; plugs are 11 by 7 with their sleeves.
PI_WINDOW = (16.0, 11.0)  # Hole in the wall for the plug of its supply, width and height.
KEY_HOLE = 12.2  # For a push button with a thread of 12 mm.
TURN_KEY_DISTANCE = 150.0  # From the case to the turn keys beside it.
TURN_KEY_HOLE = 24.2  # For an arcade button of 24 mm.
TURN_KEY_ROOM = (36.0, 46.0)  # Its nut, and how far it reaches down with its lamp and its wires.
CABLE_HOLE = 8.0  # For the wires of the turn keys.
KEY_BODY = (16.0, 30.0)  # Its nut, and how far it reaches in with its wires.
JACK_HOLE = 11.2  # For a supply socket with a thread of 11 mm.
JACK_BODY = (14.0, 20.0)
BUZZER_BODY = (30.0, 8.0)
SOUND_HOLE = 2.0  # Seven of these before the buzzer.

HALF_COLUMN = 4.4  # Half a column's width that a screw goes into.
INSERT_DEPTH = 9.0

PLATE_THICKNESS = 2.0  # Thickness of the sensor plate: a switch's legs reach through it.
LEDGE_WIDTH = 2.4
POST_WALL = 0.95
SENSOR_PLAY = 0.3
SENSOR_DEPTH = 1.6  # Depth of the sensor's pocket; the flat packages are 1.5 and a little.
SENSOR_DIE = 0.8  # The element is taken to lie half way down in the package; data sheets have it nearer to the face.
LEG_HOLE = 1.6
SWITCH_HOLE = 1.4
WIRE_SLOT = (4.0, 6.0)  # Slot at each end of a strip for its three wires.

GRID_WALL = 2.0  # Thickness of the walls between the cells.
GRID_UNDER_TILES = 8.0  # Height of the lamp grid under pieces: the sensors' legs have to reach through the plate ...
GRID_UNDER_BUTTONS = 10.0  # ... and over buttons.
GRID_CLEARANCE = 0.1  # So much lower it is than the case, so that the lid lies on the case.
NOTCH_HEIGHT = 1.2  # Height of the gap under a wall that a strip runs through.
GUSSET_SIDE = 4.0  # What a diffuser lies on: a triangle in each corner of its cell.

LID_THICKNESS = 2.4
# Diffusers widen so far downwards, at 45 degrees, and so do the lid's openings: nothing comes out upwards.
BEVEL_WIDTH = 1.5
TILE_RISE = PART_GAP  # So far they rise until they touch the lid.
TILE_THICKNESS = 1.2  # What is between a piece and the sensor's post.
TILE_GAP = 0.3  # Between that and the post.
CAP_THICKNESS = 1.6  # The top of a button.
RIM_WIDTH = 1.2
LIP_HEIGHT = 0.8  # Height of a diffuser's lowest part under pieces ...
SKIRT_HEIGHT = 4.8  # ... and over a switch, where it guides.
BUTTON_TRAVEL = 1.4  # A button can be pushed down so far.
STEM_WIDTH = 5.0

FOOT_SHARE = 0.64  # A piece is as wide as a long and a short side together; the long one's share of it.
LENGTH_SHARE = 0.9  # Its length as a part of its width.
MAX_WIDTH = 30.0  # It grows with the cell up to this width.
LIT_BORDER = 2.0  # What is seen of the lit cell on each side of a piece that stands in the middle, at the least.
DOME_SHARE = 0.2  # Height of a plain piece's dome as a part of its width: on the dome it can't stand.
FOOT_CHAMFER = 0.6  # The lower edge of a plain piece, at 45 degrees: first layers are wider than the rest.
SKIN_THICKNESS = 1.0  # Plastic between a magnet and the table.
CAP_OVER_MAGNETS = 1.6  # What is printed over the magnets, at the least.
MARK_HEIGHT = 1.0  # So far the raised marks stand out of a flat of 8 mm, and on smaller pieces at the least ...
MARK_MIN_HEIGHT = 0.8
MARK_OVERHANG = 0.3  # ... and so far, at the most, beyond the width of the piece.

BEZEL_THICKNESS = 2.0
BEZEL_DEPTH = 6.0
CLIP_SIZE = (12.0, 8.0, 2.4)  # Of what holds a corner of the NeoTrellis in its bezel ...
CLIP_OVERLAP = 3.0  # ... which reaches so far over its circuit board.
CLIP_HOLE = 2.8  # For a screw M2.5.
CLIP_PILOT = 5.0  # So deep its thread goes into the bezel.
KEY_GAP = 0.5

ROUND_SEGMENTS = 32  # Straight pieces in a circle ...
FINE_SEGMENTS = 8  # ... and in one of less than 3 mm.
