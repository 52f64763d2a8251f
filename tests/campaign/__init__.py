"""Whole games with pieces between simulated people. An oracle that knows their intentions checks how the board interprets them.

    make campaign                                            the required and the actual figures, see `rows`
    python -m tests.campaign --games 50 --seed 7             games of patient people, who wait for the board
    python -m tests.campaign --seed 7 --game 12 --tell       replays one game and prints its log
    python -m tests.campaign --tempo 0.6-6 --games 200       quick people, see below; --keys: with turn keys

The oracle shares no code with `pond_hw.session`. It uses `pond_hw.rules` and the pieces of the simulated table. Of the
session it sees only the turns, phase and messages, the facts in `docs/protocol.md`, and the roles of cells.

**Patient people.** There are two people, one per side. `people.HABITS` lists the probabilities of their habits.

- They think for 0.5 to 6 s, sometimes for a minute, rarely for an hour. Every other action scores, if possible.
- They lift the piece over others, hover, put it down twice, aim badly, slide it with detours, or fumble first.
- They look at the board 0.4 to 2 s later. They wait while their action is announced. If something else is announced,
  they lift the piece and put it down again. If board and game differ, they follow the lamps and act again.
- They turn developed pieces over and remove scored pieces: soon, late or never, mostly during the other player's turn.
- After one turn in a hundred, the other player acts before that turn can count.
- They have accidents and repair them as the board asks: they lift one or two wrong pieces, try an illegal action, knock
  pieces over or sweep them away, remove a wrong piece, or hold a piece for an hour.
- They undo a turn with the pieces, and play another one.

**Sensors.** Every sensor bounces and drops out (under 0.2 s, every 3 to 60 s under every piece). In one game of fifty, a
cell detects off-centre pieces on its neighbours. `--faults` adds heavier faults; see `faults.py`.

**Undetectable cases** are excluded, because they would distort the figures:

- an accident during or after which the board looks as if one or two legal actions had been played
  (`oracle.Lookalikes`); a piece that was knocked over and lies between two cells is put back at once;
- an immediate second turn, if both turns together look like a single other action;
- a move away from a sensor that stays on: pieces are neither moved from a stuck cell nor put on a cell that detects its
  neighbours, and no piece next to such a cell is lifted only to be put back;
- a sliding piece that rests on a legal target, a piece turned over during another action although no lamp asks for it,
  and an action while the other player holds a wrong piece.

**Quick people** (`--tempo`, `quick_people.py`). Each person has a pace, measured from the moment when the other player
puts a piece down to the moment when they put down their own. A turn takes half to twice that time. Their hands overlap.
They act on the position that the game should have, and continue while the board announces what they did. If it announces
anything else, or keeps showing a difference, they stop, follow the lamps, and repeat what has not counted. This is the
reported waiting time. They touch cells on the way, move a piece on at once, change their minds, and like to put an egg
on a cell that has just scored. Accidents need `--mistakes` or `--faults`.

**Turn keys** (`--keys`). Players press their key 0.12 to 0.4 s after the last touch of the turn. Without accidents, the
other player waits for the key with empty hands; in half of the turns, some or all scored pieces are removed before it is
pressed. With accidents, the hands overlap: when the key is pressed, the other player has already lifted a piece or is
removing scored pieces. 3 % of the presses are forgotten. The next player notices half of these and presses the key
instead. After a refused press, both players stop, do what the board asks, and press again. No turn is undone with the
pieces.

**Undetectable cases of quick people** are excluded, too, so that the order and times of the changes have a single
meaning. However much the hands overlap:

- pieces are put down in the order of the turns, at least a third of a second apart, which is longer than a dropout; a
  player who moves a piece on at once does so before the other player acts;
- only developed pieces are lifted to be turned over, at the earliest a moment after the last piece was put down, and
  they are put back before the player who holds them acts; otherwise players lift their own pieces in their own turn only;
- no egg is put on a legal target of a piece that the other player is turning over, because this could be a move of that
  piece (if sensors know owners, only if the egg makes that piece score, so that it does not come back);
- no scored piece is removed until the piece that made it score has been down for a moment, no scored piece is put back,
  and an egg takes its cell at the earliest a third of a second later;
- no piece touches a cell, or is moved on from one, where it would have scored: it would have been removed, and an egg of
  the other side put there;
- the rules above for sensors that detect their neighbours or are stuck apply as well.
"""
