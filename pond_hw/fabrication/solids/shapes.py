"""The few solids that all parts are made of. Lengths in mm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pond_hw.fabrication.solids import sizes as s

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from manifold3d import Manifold

Point = tuple[float, float, float]
Extent = tuple[float, float]


def make_box(x: Extent, y: Extent, z: Extent) -> Manifold:
    """A block between two values of each coordinate."""
    from manifold3d import Manifold

    size = (x[1] - x[0], y[1] - y[0], z[1] - z[0])
    return Manifold.cube(size).translate((x[0], y[0], z[0]))


def square_block(side: float, z: Extent, at: tuple[float, float] = (0.0, 0.0)) -> Manifold:
    """A block with a square base around a point."""
    x, y = at
    return make_box((x - side / 2, x + side / 2), (y - side / 2, y + side / 2), z)


def convex_hull(points: Iterable[Point]) -> Manifold:
    """The smallest convex solid that holds all points."""
    from manifold3d import Manifold

    return Manifold.hull_points([list(point) for point in points])


def make_frustum(low: float, high: float, z: Extent, at: tuple[float, float] = (0.0, 0.0)) -> Manifold:
    """A block whose square base and square top differ in their sides."""
    x, y = at
    return convex_hull(
        (x + i * side / 2, y + j * side / 2, height)
        for side, height in zip((low, high), z, strict=True)
        for i in (-1, 1)
        for j in (-1, 1)
    )


def upright_cylinder(at: tuple[float, float], wide: float, z: Extent, wider: float | None = None) -> Manifold:
    """An upright cylinder, or a cone that is `wider` at the top; round enough for its diameter."""
    from manifold3d import Manifold

    segments = s.FINE if max(wide, wider or 0) < 3 else s.ROUND
    solid = Manifold.cylinder(z[1] - z[0], wide / 2, (wide if wider is None else wider) / 2, segments)
    return solid.translate((at[0], at[1], z[0]))


def lying_cylinder(at: Point, wide: float, long: float, along: str) -> Manifold:
    """A lying cylinder around a point, `along` x or y."""
    from manifold3d import Manifold

    segments = s.FINE if wide < 3 else s.ROUND
    solid = Manifold.cylinder(long, wide / 2, wide / 2, segments, center=True)
    return solid.rotate((0, 90, 0) if along == "x" else (90, 0, 0)).translate(at)


def make_prism(outline: Sequence[tuple[float, float]], z: Extent) -> Manifold:
    """What stands on an outline (anticlockwise)."""
    from manifold3d import CrossSection, Manifold

    return Manifold.extrude(CrossSection([[list(point) for point in outline]]), z[1] - z[0]).translate((0, 0, z[0]))


def rounded_block(half: float, radius: float, z: Extent) -> Manifold:
    """A square block whose upright edges are round."""
    from manifold3d import CrossSection, JoinType, Manifold

    inner = CrossSection.square((2 * (half - radius), 2 * (half - radius)), True)
    return Manifold.extrude(inner.offset(radius, JoinType.Round, 2.0, s.ROUND), z[1] - z[0]).translate((0, 0, z[0]))


def unite_solids(solids: Iterable[Manifold]) -> Manifold:
    """All of them as one."""
    from manifold3d import Manifold, OpType

    return Manifold.batch_boolean(list(solids), OpType.Add)


def subtract_solids(solid: Manifold, holes: Iterable[Manifold]) -> Manifold:
    """The solid with holes cut."""
    from manifold3d import Manifold, OpType

    return Manifold.batch_boolean([solid, *holes], OpType.Subtract)
