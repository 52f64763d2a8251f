"""Findings as paragraphs of a page: what is wrong, the likely cause and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pond_hw.messages.message import Message
from pond_hw.setup.findings import GOOD, SetupFinding
from pond_hw.setup.findings_page import GRADE_MARKS, faulty_cells
from pond_hw.setup.step import Paragraph

MOST_ALIKE = 3  # findings of one kind that have a paragraph each; more of them share one


def describe_bad_findings(findings: Sequence[SetupFinding]) -> Iterator[Paragraph]:
    """What is wrong; many of a kind share one paragraph, which names all their cells."""
    bad_findings = [finding for finding in findings if finding.grade != GOOD]
    kinds = [finding.kind for finding in bad_findings]
    for _, alike in groupby(
        sorted(bad_findings, key=lambda finding: kinds.index(finding.kind)), lambda each: each.kind
    ):
        first, *others = alike
        if len(others) < MOST_ALIKE:
            yield from map(describe_finding, (first, *others))
        else:
            yield describe_finding(first, tuple(cell for finding in others for cell in faulty_cells(finding)))


def describe_finding(finding: SetupFinding, also: tuple[str, ...] = ()) -> Paragraph:
    """A finding, and the other cells that have the same fault."""
    same = Message("results.also", cells=also) if also else None
    said, details = (finding.message, same), (finding.cause, finding.cure)
    return Paragraph(tuple(filter(None, said)), GRADE_MARKS[finding.grade], tuple(filter(None, details)))


def summarise_findings(findings: Sequence[SetupFinding]) -> tuple[Message | Paragraph, ...]:
    """What is wrong, and how many cells are good."""
    return (*describe_bad_findings(findings), *_count_good(findings))


def _count_good(findings: Sequence[SetupFinding]) -> tuple[Message, ...]:
    good = sum(finding.grade == GOOD for finding in findings)
    if good == len(findings):
        return (Message("results.all_good", count=good) if good else Message("results.none_tried"),)
    return (Message("results.good_cells", count=good),) if good else ()
