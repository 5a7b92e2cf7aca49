"""A table that keeps its name column and its main figure on narrow terminals."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

NAME = 20  # width to which a name may be folded before a column is left out
WRAPPED = 24  # minimum width of the wrapped column


class FittedTable:
    """A table whose last columns are left out, one by one, if the console is too narrow for all of them.

    Names are folded if necessary; no other cell is cut or broken.

    Args:
        titles: of the columns, the most important first.
        keep: number of columns that are never left out.
        name: the column whose cells may be folded.
        left: further columns that are aligned to the left.
        wrap: the last column is text that wraps at spaces.
        title: above the table.
        caption: below it; the columns left out are added.
    """

    def __init__(
        self,
        titles: Sequence[str],
        keep: int = 2,
        name: int = 0,
        left: Sequence[int] = (),
        wrap: bool = False,
        title: str = "",
        caption: str = "",
    ) -> None:
        self.titles, self.keep, self.name, self.left, self.wrap = list(titles), keep, name, left, wrap
        self.title, self.caption = title, caption
        self.rows: list[tuple[tuple[str, ...], str | None]] = []
        self.sections: set[int] = set()  # numbers of the rows above a line

    def add_row(self, *cells: str, style: str | None = None) -> None:
        """Add a row of cells in Rich's markup."""
        self.rows.append((cells, style))

    def add_section(self) -> None:
        """Draw a line below the rows so far."""
        self.sections.add(len(self.rows))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The columns that fit into the console."""
        count = len(self.titles)
        while count > self.keep and self._width(count) > options.max_width:
            count -= 1
        lost = ", ".join(self.titles[count:])
        caption = "; ".join(filter(None, [self.caption, lost and f"not shown at this width: {lost}"]))
        table = Table(box=box.SIMPLE_HEAD)
        for k, title in enumerate(self.titles[:count]):
            text = k == self.name or self._wraps(k)
            justify = "left" if text or k in self.left else "right"
            table.add_column(title, justify=justify, overflow="fold", no_wrap=not text)
        for k, (cells, style) in enumerate(self.rows, 1):
            table.add_row(*cells[:count], style=style, end_section=k in self.sections)
        # Rich would wrap its own title and caption at the width of the table.
        if self.title:
            yield Text(self.title, "bold", overflow="fold")
        yield table
        if caption:
            yield Text.from_markup(caption, style="dim", overflow="fold")

    def _wraps(self, k: int) -> bool:
        return self.wrap and k == len(self.titles) - 1

    def _width(self, count: int) -> int:
        """The minimum width of the table with the first ``count`` columns."""
        return sum(self._column(k) for k in range(count)) + 3 * count + 1  # padding, dividers and edges

    def _column(self, k: int) -> int:
        cells = [self.titles[k], *(cells[k] for cells, _ in self.rows)]
        width = max(line.cell_len for cell in cells for line in Text.from_markup(cell).split() or [Text()])
        return min(width, NAME) if k == self.name else min(width, WRAPPED) if self._wraps(k) else width
