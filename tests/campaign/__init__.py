"""Simulated people play whole games with pieces, and an oracle that knows what they meant watches what is understood.

    make campaign                                            the figures wanted and reached; see `rows`
    python -m tests.campaign --actions 20000                 so many intended actions
    python -m tests.campaign --games 50 --seed 7             so many games
    python -m tests.campaign --seed 7 --game 12 --tell       one game again, with its story
    python -m tests.campaign --tempo 0.6-6 --games 200       people who do not wait; see below

The oracle shares no code with `pond_hw.session`. It plays with `pond_hw.rules`, moves the hands of the simulated
table, and knows of the session only what anybody at the board can know: the turns of the game, the phase and the
message, the facts that `docs/protocol.md` promises, and which cells the lamps show as what.

**What the people do.** Two of them, one a side, each with hands of their own. A turn goes like this; how often people
do what is in `people.HABITS`.

- One thinks (half a second to six; now and then a minute, rarely an hour), and means an action: every other time one
  that scores, if there is one; else any legal one.
- The action is carried out in a style: lifted over (sometimes hovering on the way, setting down twice, aiming badly),
  or slid through free cells, with detours of up to four; fumbled with first; an egg is let down or slid in.
- After a reaction of 0.4 to 2 seconds one looks at the board, and then every so often. If the action counts, all is
  well. If it is announced, one waits. If something else is announced, the hand lifts the piece and puts it down again,
  as the board says. If board and game differ, one does what the lamps ask for, and then acts once more.
- The developed pieces whose lamps ask for it are turned over, one by one or several at once, mostly while the other one
  thinks and acts already; sometimes slowly (up to ten seconds in the hand), sometimes some are forgotten. The scored
  pieces are taken off, by either, or forgotten until they are in the way or the game ends.
- One turn in a hundred is answered at once, before it can have counted.
- Mistakes, each mended by looking at the board and doing what it asks: the right piece is lifted and put back; an egg
  or the other side's piece is lifted; two are lifted; an illegal action is done with a real piece; a piece is knocked
  over, to another cell or off the board; a sleeve sweeps over several; a wrong piece is taken off while the board is
  being tidied; a piece is left in the air for an hour.
- A turn is taken back with the pieces, scored ones included, and another one is played.

**What the sensors do.** Ordinary noise: every sensor bounces and drops out (under 0.2 seconds, every 3 to 60 seconds
under every piece), and in one game of fifty one cell feels pieces that stand off-centre beside it. A quarter of the
boards feels whose piece it is; on a tenth the pieces have no faces. `--faults` adds heavier ones: see `faults.py`.

**What no sensor can tell** does not happen here, so that it cannot hide in the figures:

- an accident after which, or during which, the board stands as after a legal action or two (`oracle.Lookalikes`); a
  piece that was knocked over and lies between two cells is put back at once;
- a second turn at once that, with the first, leaves the board as one other action would;
- a piece that moves away from a sensor that goes on feeling it: nobody moves a piece from a cell that is stuck, nothing
  is put on a cell that feels its neighbours, and no piece beside it is lifted only to be put back;
- a sliding piece that rests where it could have gone, a piece that is turned over though no lamp asks for it while
  somebody acts, and an action while the other one has got hold of a wrong piece.

**People who do not wait** (`--tempo`, `quick_people.py`). Each has a pace of their own, from the other's piece to their
own, drawn from the range that is given; each turn is quicker or slower than that, by half to double. Quick people have
quick hands, and the hands of the two overlap: one reaches out while the other's piece is still on its way. They mean
an action on what the game should be, whether the board has understood the one before or not, and look at the board only
by the way. As long as it announces what was done, or is waiting for a hand that is at work, they go on. If it
announces anything else, or differs for good, they stop, do what the lamps ask for, do again what has not counted, and
go on: that is the waiting that is reported, together with what passes after the last piece.

They touch other cells on the way, put a piece down and move it on at once, change their minds; they turn pieces over
soon, late or never, while the other one acts; they take scored pieces off soon, late, or when they are in the way, each
of them those of both; and they like to put an egg where one has just scored. There are no accidents, but with
`--mistakes` or `--faults`. If an action counted that was moved on at once, it has to be taken back, and that was meant.

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
