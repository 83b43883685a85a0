"""Puts the sides of a card on one page, at their true size."""

from __future__ import annotations

from pikepdf import Page, Pdf, Rectangle

POINTS_PER_MM = 72 / 25.4

GAP_MM = 10


def put_on_paper(document: Pdf, width_mm: float, height_mm: float) -> None:
    """Centres the pages on one page of this paper, one below the other, if they fit."""
    sides = [(page, *shown_size(page)) for page in document.pages]
    paper_width, paper_height, gap = (mm * POINTS_PER_MM for mm in (width_mm, height_mm, GAP_MM))
    total = sum(height for _, _, height in sides) + gap * (len(sides) - 1)
    if total > paper_height or max(width for _, width, _ in sides) > paper_width:
        return
    document.add_blank_page(page_size=(paper_width, paper_height))
    paper = document.pages[-1]
    top = (paper_height + total) / 2
    for page, width, height in sides:
        left = (paper_width - width) / 2
        place = Rectangle(left, top - height, left + width, top)
        paper.add_overlay(page, place, shrink=False, expand=False)
        top -= height + gap
    del document.pages[: len(sides)]


def shown_size(page: Page) -> tuple[float, float]:
    """In points, with the page's rotation applied."""
    left, bottom, right, top = (float(edge) for edge in page.trimbox)
    width, height = right - left, top - bottom
    is_turned = int(page.obj.get("/Rotate", 0)) % 180 == 90
    return (height, width) if is_turned else (width, height)
