"""Simulated people play whole games with pieces. An oracle that knows what they mean checks what is understood.

    make campaign                                            the figures wanted and reached, see `rows`
    python -m tests.campaign --games 50 --seed 7             games of people who wait for the board
    python -m tests.campaign --seed 7 --game 12 --tell       one game again, with its story
    python -m tests.campaign --tempo 0.6-6 --games 200       people who do not wait, see below; --keys: with turn keys

The oracle shares no code with `pond_hw.session`. It plays with `pond_hw.rules`, moves the hands of the simulated
table, and knows of the session only its turns, phase and messages, the facts that `docs/protocol.md` promises, and
which cells the lamps show as what.

**The people.** Two, one a side. `people.HABITS` says how often they do what.

- They think for half a second to six, now and then for a minute, rarely for an hour. Every other action is one that
  scores, if there is one.
- They lift the piece over, hover, set it down twice, aim badly, slide it with detours, or fumble first.
- They look at the board 0.4 to 2 s later. While their action is announced they wait. If something else is announced,
  they lift the piece and put it down again. If board and game differ, they do what the lamps ask for and act once more.
- They turn developed pieces over and take scored ones off, soon, late or never, mostly while the other one acts.
- One turn in a hundred is answered before it can have counted.
- Accidents, each mended as the board asks: a wrong piece is lifted, or two; an illegal action; pieces knocked over or
  swept away; a wrong piece taken off; a piece held for an hour.
- They take a turn back with the pieces, and play another one.

**The sensors.** Each bounces and drops out (under 0.2 s, every 3 to 60 s under every piece). In one game of fifty a
cell feels pieces that stand off-centre beside it. `--faults` adds heavier faults: see `faults.py`.

**What no sensor can tell** does not happen here, so that it cannot hide in the figures:

- an accident after which, or during which, the board stands as after a legal action or two (`oracle.Lookalikes`); a
  piece that was knocked over and lies between two cells is put back at once;
- a second turn at once that, with the first, leaves the board as one other action would;
- a piece that moves away from a sensor that goes on feeling it: nobody moves a piece from a cell that is stuck, nothing
  is put on a cell that feels its neighbours, and no piece beside it is lifted only to be put back;
- a sliding piece that rests where it could have gone, a piece that is turned over though no lamp asks for it while
  somebody acts, and an action while the other one has got hold of a wrong piece.

**People who do not wait** (`--tempo`, `quick_people.py`). Each has a pace, from the other's piece to their own, and takes
half to double of it for a turn. Their hands overlap. They act on what the game should be, and go on as long as the board
announces what was done. If it announces anything else, or differs for good, they stop, do what the lamps ask for, and do
again what has not counted: that is the waiting that is reported. They touch cells on the way, move a piece on at once,
change their minds, and like to put an egg where one has just scored. Accidents happen with `--mistakes` or `--faults`
only.

**Turn keys** (`--keys`). They press the key of their side 0.12 to 0.4 s after the last touch of the turn. Without accidents
the other one waits for that with empty hands; half of the time the scored pieces are taken off before, sometimes only a
part of them. With accidents the hands overlap: the other one has lifted a piece or takes scored ones off at the press, and
3 % of the presses are forgotten. The next player notices half of these and presses for the other. After a refused press
both stop, do what the board asks for, and press again. No turn is taken back with the pieces.

**What no sensor can tell at any pace** does not happen there, so that what was detected, with its order and its times, has
one meaning only in the end. However the hands overlap:

- pieces are put down in the order of the turns, a third of a second apart at least, which is longer than a sensor
  drops out; whoever puts a piece down and moves it on at once does so before the other one acts;
- only what has developed is lifted to be turned over, a moment after the last piece was put down at the earliest, and it
  is put back before the one who holds it acts; besides, people lift their own pieces in their own turn, to act or to
  think better of it;
- no egg is put where a piece of the same side could have gone that the other one has just then got in the hand to turn
  it over (where sensors tell owners: if it scores by that, and does not come back): a move, and an egg of the other
  side where the piece had stood, are detected just so;
- no scored piece is taken off before the piece that made it score has stood for a moment, none is put back, and an egg
  comes to stand there a third of a second later at the earliest;
- nobody moves a piece on, or touches a cell on the way, where it would have scored: it would have been taken off, and
  the other side's egg put there;
- what is said above of sensors that feel their neighbours, and of those that are stuck.
"""
