"""Model of a disk after power loss, fed with the traced calls of a program.

Only synced data is durable. A sync of a file covers its content and size; a sync of a folder covers the names in it.
Each unsynced sector holds as a whole either its old content, the result of any write, zeros or garbage. Unsynced sizes
and names may or may not be in effect. After a failed sync, its data remains uncertain, whatever later syncs report.
"""

from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

SECTORS = (512, 4096)
OLD, ZERO, GARBAGE, NEW = "old", "zero", "garbage", "new"


class UnmodelledCall(Exception):
    """Error for a call that this model does not support."""


@dataclass
class _Write:
    offset: int
    data: bytes
    state: str = "loose"  # or "sure" if synced, or "stuck" if the sync failed

    def on(self, content):
        """Return the content with this write applied."""
        end = self.offset + len(self.data)
        content = content.ljust(self.offset, b"\0")
        return content[: self.offset] + self.data + content[end:]


@dataclass
class _Size:
    size: int
    state: str = "loose"

    def on(self, content):
        return content[: self.size].ljust(self.size, b"\0")


@dataclass
class _File:
    durable: bytes = b""
    pending: list = field(default_factory=list)
    seen: bytearray = field(default_factory=bytearray)

    def apply(self, change):
        self.pending.append(change)
        if isinstance(change, _Size):
            self.seen[:] = change.on(bytes(self.seen))
            return
        if len(self.seen) < change.offset:
            self.seen.extend(bytes(change.offset - len(self.seen)))
        self.seen[change.offset : change.offset + len(change.data)] = change.data

    def synced(self, well):
        if not well:
            for change in self.pending:
                change.state = "stuck" if change.state == "loose" else change.state
        elif any(change.state == "stuck" for change in self.pending):
            for change in self.pending:
                change.state = "sure" if change.state == "loose" else change.state
        else:
            self.durable, self.pending = bytes(self.seen), []


class _Naming(NamedTuple):
    """Change of names in a folder: the new target of each name, or None if it is removed."""

    folder: str
    names: dict


FOLDER = "folder"


class Disk:
    """Visible state of a folder, and the part of it that is durable.

    Args:
        files: durable files at the beginning, by path.
    """

    def __init__(self, files=None):
        self._files, self._sure, self._namings = [], {".": FOLDER}, []
        for path, content in (files or {}).items():
            if content is not None:
                self._files.append(_File(content, [], bytearray(content)))
            self._sure[path] = FOLDER if content is None else len(self._files) - 1
        self._names = dict(self._sure)

    def apply(self, call):
        """Apply a call.

        Raises:
            UnmodelledCall: if the model does not support it.
        """
        if call.kind == "said" or call.path.endswith(" (deleted)"):
            return
        if call.kind == "sync":
            self._sync(call.path, not call.error)
        elif not call.error:
            self._change(call)

    def _sync(self, path, well):
        there = self._names[path]
        if there != FOLDER:
            self._files[there].synced(well)
        elif well:
            for naming in self._namings:
                if naming.folder == path:
                    self._sure.update(naming.names)
            self._namings = [naming for naming in self._namings if naming.folder != path]

    def _change(self, call):
        match call.kind:
            case "create" if call.new:
                self._files.append(_File())
                self._name(call.path, {call.path: len(self._files) - 1})
            case "create":
                self._files[self._names[call.path]].apply(_Size(0))
            case "mkdir":
                self._name(call.path, {call.path: FOLDER})
            case "unlink":
                self._name(call.path, {call.path: None})
            case "rename" if parent(call.path) == parent(call.to) and self._names[call.path] != FOLDER:
                self._name(call.path, {call.path: None, call.to: self._names[call.path]})
            case "write":
                self._files[self._names[call.path]].apply(_Write(call.offset, call.data))
            case "truncate":
                self._files[self._names[call.path]].apply(_Size(call.size))
            case _:
                raise UnmodelledCall(f"{call.name} {call.path}")

    def _name(self, path, names):
        self._namings.append(_Naming(parent(path), names))
        self._names.update(names)

    def seen(self):
        """Return the files that the running system sees and that a kill leaves: content by path, None for a folder."""
        return self._reachable(self._names, {})

    def crashes(self, rng, most):
        """Yield possible contents of the disk if the power failed now.

        Args:
            rng: selects states reproducibly.
            most: maximum number of states.
        """
        loose = [number for number, file in enumerate(self._files) if file.pending]
        views = {(number, sector): SectorView.of(self._files[number], sector) for number in loose for sector in SECTORS}
        for choice in _chosen(rng, most, self._plans(loose, views)):
            names, images = self._sure, {}
            for naming, done in zip(self._namings, choice.names, strict=True):
                if done:
                    names = {**names, **naming.names}
            for number, sector, plan in choice.files:
                images[number] = image(self._files[number], views[number, sector], plan, rng)
            yield self._reachable(names, images)

    def _reachable(self, names, images):
        """Return the files reachable by these names."""
        found = {}
        for path, there in sorted(names.items(), key=lambda named: named[0]):
            if there is None or path == ".":
                continue
            if parent(path) != "." and parent(path) not in found:
                continue
            saved = None if there == FOLDER else images.get(there, self._content(there, names is self._names))
            found[path] = saved
        return found

    def _content(self, number, seen):
        return bytes(self._files[number].seen if seen else self._files[number].durable)

    def _plans(self, loose, views):
        """Yield plans: first the simple ones, then single faults, then random ones."""
        namings = len(self._namings)
        orders = [(*[True] * done, *[False] * (namings - done)) for done in range(namings, -1, -1)]
        for names in orders:
            for sector in SECTORS if loose else SECTORS[:1]:
                for whole in ("new", "old"):
                    yield _Choice(names, tuple((number, sector, (whole,)) for number in loose))
        singles = [
            (number, sector, plan)
            for (number, sector), view in views.items()
            for plan in plans(view, len(self._files[number].pending))
        ]
        for number, sector, plan in singles:
            for rest in ("new", "old") if len(loose) > 1 else ("new",):
                others = tuple((other, sector, (rest,)) for other in loose if other != number)
                yield _Choice(orders[0], ((number, sector, plan), *others))
        for each in range(len(orders[0])):  # one name missing, or one alone present
            for one in (True, False):
                names = tuple((number == each) == one for number in range(namings))
                yield _Choice(names, tuple((number, SECTORS[0], ("new",)) for number in loose))
        if not loose and namings < 2:
            return
        for number in range(40):
            rng = Random(number)
            names = tuple(rng.random() < 0.6 for _ in range(namings))
            yield _Choice(names, tuple((each, rng.choice(SECTORS), ("dice", number)) for each in loose))


class _Choice(NamedTuple):
    names: tuple
    files: tuple


def _chosen(rng, most, candidates):
    candidates = list(dict.fromkeys(candidates))
    return candidates if len(candidates) <= most else rng.sample(candidates, most)


def parent(path):
    """Return the folder of a path."""
    return path.rpartition("/")[0] or "."


def plans(view, changes):
    """Yield possible states of a file after power loss; `image` turns them into bytes.

    In each, one of these holds: only the first n changes are present; one written sector is missing, zero, garbage, or the
    only one present; or all sectors from one on are zero or garbage.
    """
    yield from (("first", count) for count in range(changes + 1))
    for number in sorted(view.loose):
        yield from (("but", number, fault) for fault in (OLD, ZERO, GARBAGE))
        yield from ((kind, number) for kind in ("only", "zeros", "garbage"))


def image(file, view, plan, rng):
    """Return the bytes of a file in one of the states from `plans`."""
    kind, *more = plan
    if kind == "first":
        content = file.durable
        for number, change in enumerate(file.pending):
            content = change.on(content) if number < more[0] or change.state == "sure" else content
        return content
    sizes, sector = view.sizes, view.sector
    dice = Random(more[0]) if kind == "dice" else None
    size = dice.choice(sizes) if dice and dice.random() < 0.5 else sizes[0] if kind == OLD else sizes[-1]
    content = bytearray(file.durable.ljust(max(sizes), b"\0"))
    for number, choices in view.versions.items():
        if number not in view.loose:
            become = choices[-1]
        elif dice:
            become = dice.choice((choices[0], choices[-1], choices[-1], dice.choice(choices), ZERO, GARBAGE))
        else:
            become = _become(kind, more, number, choices)
        if become is GARBAGE:
            become = rng.randbytes(sector)
        elif become is ZERO:
            become = bytes(sector)
        content[number * sector : (number + 1) * sector] = become
    return bytes(content[:size].ljust(size, b"\0"))


def _become(kind, more, number, choices):
    old, new = choices[0], choices[-1]
    match kind:
        case "new":
            return new
        case "old":
            return old
        case "but":
            return {OLD: old, ZERO: ZERO, GARBAGE: GARBAGE}[more[1]] if number == more[0] else new
        case "only":
            return new if number == more[0] else old
        case "zeros":
            return ZERO if number >= more[0] else new
        case "garbage":
            return GARBAGE if number >= more[0] else new
    raise AssertionError(kind)


@dataclass(frozen=True)
class SectorView:
    """A file, divided into sectors.

    Attributes:
        sector: bytes per sector.
        versions: possible contents of each written sector, oldest first.
        loose: sectors whose content is uncertain.
        sizes: possible sizes, oldest first.
    """

    sector: int
    versions: dict
    loose: frozenset
    sizes: list

    @classmethod
    def of(cls, file, sector):
        found, loose, content = {}, set(), bytearray(file.durable)
        sizes = [len(content)]
        for change in file.pending:
            if isinstance(change, _Size):
                content[:] = change.on(bytes(content))
            else:
                _add_write(found, loose, content, change, file.durable, sector)
            sizes = [len(content)] if change.state == "sure" else [*sizes, len(content)]
        return cls(sector, found, frozenset(loose), sizes)


def _add_write(found, loose, content, write, durable, sector):
    """Add a write to the sectors that it overlaps."""
    end = write.offset + len(write.data)
    content.extend(bytes(max(0, end - len(content))))
    content[write.offset : end] = write.data
    for number in range(write.offset // sector, (end - 1) // sector + 1):
        start, stop = number * sector, (number + 1) * sector
        choices = found.setdefault(number, [durable[start:stop].ljust(sector, b"\0")])
        if write.state == "sure":
            begin, until = max(start, write.offset), min(stop, end)
            piece = write.data[begin - write.offset : until - write.offset]
            choices[:] = dict.fromkeys(each[: begin - start] + piece + each[until - start :] for each in choices)
            if len(choices) == 1:
                loose.discard(number)
        else:
            choices.append(bytes(content[start:stop]).ljust(sector, b"\0"))
            loose.add(number)
