"""Slow, simple and independent implementation of the rules, used to check the real one.

It does not use `pond_hw`. Input and output are text (a position line, an action, the target).
A board is a dictionary from cell to letter, a cell is its name, and a step is a change of column or row.
"""

NEXT = {"E": "T", "T": "F", "F": "E", "e": "t", "t": "f", "f": "e"}
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def parse(line):
    """Return the board, its size, the side to move, and the spawns and scores by side."""
    rows, to_move, *counts = line.split()
    rows = rows.split("/")
    pieces = {
        f"{'abcde'[x]}{len(rows) - y}": letter
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter != "."
    }
    light_spawn, dark_spawn, light_score, dark_score = map(int, counts)
    spawn = {"l": light_spawn, "d": dark_spawn}
    scored = {"l": light_score, "d": dark_score}
    return pieces, len(rows), to_move, spawn, scored


def write(pieces, size, to_move, spawn, scored):
    rows = ["".join(pieces.get(f"{column}{row}", ".") for column in "abcde"[:size]) for row in range(size, 0, -1)]
    return f"{'/'.join(rows)} {to_move} {spawn['l']} {spawn['d']} {scored['l']} {scored['d']}"


def cells(size):
    return [f"{column}{row}" for row in range(1, size + 1) for column in "abcde"[:size]]


def step(cell, way, times, size):
    """Return the cell at this distance, or None beyond the edge."""
    x, y = "abcde".index(cell[0]) + way[0] * times, int(cell[1]) + way[1] * times
    return f"{'abcde'[x]}{y}" if 0 <= x < size and 1 <= y <= size else None


def owner(letter):
    return "l" if letter.isupper() else "d"


def other(side):
    return "d" if side == "l" else "l"


def possible_actions(line):
    """Return every action of the side to move, or none if the game is over."""
    pieces, size, to_move, spawn, _ = parse(line)
    found = set()
    if spawn[to_move] > 0:
        found |= {f"@{cell}" for cell in cells(size) if cell not in pieces}
    for cell, letter in pieces.items():
        if owner(letter) != to_move:
            continue
        reach = {"e": (), "t": (1,), "f": (1, 2)}[letter.lower()]
        for way in STEPS:
            for times in reach:
                target = step(cell, way, times, size)
                if target and target not in pieces:
                    found.add(f"{cell}{target}")
    return found


def find_result(line, target):
    """Return the winner ("l", "d" or "draw") and the reason, or None."""
    _, _, to_move, _, scored = parse(line)
    if scored["l"] >= target or scored["d"] >= target:
        if scored["l"] == scored["d"]:
            return "draw", "score"
        return ("l" if scored["l"] > scored["d"] else "d"), "score"
    if not possible_actions(line):
        return other(to_move), "elimination"
    return None


def legal(line, target):
    return set() if find_result(line, target) else possible_actions(line)


def find_sets(pieces, size):
    """Return every maximal line of three or more of one symbol, from left to right or from bottom to top."""
    found = []
    for way in ((1, 0), (0, 1)):
        for cell in cells(size):
            run = [cell]
            while same(pieces, run[-1], step(run[-1], way, 1, size)):
                run.append(step(run[-1], way, 1, size))
            if len(run) >= 3 and not same(pieces, cell, step(cell, way, -1, size)):
                found.append(tuple(run))
    return found


def same(pieces, one, two):
    return one in pieces and two in pieces and pieces[one].lower() == pieces[two].lower()


def play(line, action):
    """Play a legal action. This code is independent of `pond_hw.rules`."""
    pieces, size, to_move, spawn, scored = parse(line)
    target = action[-2:]
    if action[0] == "@":
        spawn[to_move] -= 1
        pieces[target] = "E" if to_move == "l" else "e"
    else:
        pieces[target] = pieces.pop(action[:2])
    developed = []
    for way in STEPS:
        cell = step(target, way, 1, size)
        if cell in pieces:
            developed.append((cell, pieces[cell], NEXT[pieces[cell]]))
            pieces[cell] = NEXT[pieces[cell]]
    standing = dict(pieces)
    sets = find_sets(pieces, size)
    gone = {"l": set(), "d": set()}
    for cell in {cell for line_of_cells in sets for cell in line_of_cells}:
        side = owner(pieces.pop(cell))
        gone[side].add(cell)
        scored[side] += 1
    after = write(pieces, size, other(to_move), spawn, scored)
    return {"after": after, "developed": set(developed), "standing": standing, "sets": set(sets), "gone": gone}
