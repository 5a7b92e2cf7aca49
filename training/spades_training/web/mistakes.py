"""The panel of Review that lists the costliest mistakes of a record."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui
from spades_agents.review import Judged

from spades_training.web.frame import heading
from spades_training.web.study.charts import error_text, value_text
from spades_training.web.study.judging import Judge
from spades_training.web.study.threads import in_thread

_MOST = 10


class MistakesPanel:
    """The list, and the button that judges the whole record.

    Args:
        go: called with a step to show it.
    """

    def __init__(self, go: Callable[[int], None]) -> None:
        self._go = go
        self._judge: Judge | None = None
        self._searching = False
        self._listed: list[tuple[int, Judged]] = []
        with ui.element("section").classes("panel study-panel"):
            heading("The costliest mistakes")
            with ui.element("div").classes("study-line"):
                self._search = ui.button("Find mistakes", on_click=self._find).props("dense no-caps unelevated")
                self._search.enabled = False
                self._stop = ui.button("Stop", on_click=self.stop).props("dense no-caps outline")
                self._stop.visible = False
            self._progress = ui.linear_progress(0, show_value=False).props('aria-label="Decisions rated"')
            self._progress.visible = False
            self._said = ui.label().props("aria-live=polite")
            self._list = ui.element("div").classes("study-full")
        ui.context.client.on_disconnect(self.stop)

    def clear(self) -> None:
        """Forget the judge and its list, as another one will be shown."""
        self.stop()
        self._judge = None
        self._search.enabled = False
        self._show_list([])

    def stop(self) -> None:
        """End a search."""
        self._searching = False

    def show(self, judge: Judge) -> None:
        """Show what a judge has found so far."""
        self._judge = judge
        self._search.enabled = True
        self._show_list(judge.costliest(_MOST))

    async def _find(self) -> None:
        judge, done = self._judge, 0.0
        if judge is None:
            return
        self._searching = True

        def note(steps: int, total: int) -> bool:
            nonlocal done
            done = steps / total
            return self._searching and self._judge is judge

        def show() -> None:
            if self._judge is judge and not self._list.is_deleted:
                self._progress.set_value(round(done, 2))
                self._show_list(judge.costliest(_MOST))

        self._said.text = ""
        self._search.visible = False
        self._stop.visible = self._progress.visible = True
        timer = ui.timer(0.5, show)
        await in_thread(judge.judge_all, note, long=True)
        timer.cancel()
        if self._list.is_deleted:
            return
        show()
        self._searching = False
        self._search.visible = True
        self._stop.visible = self._progress.visible = False
        if done == 1 and not self._listed:
            self._said.text = "By these ratings nobody gave anything away."

    def _show_list(self, found: list[tuple[int, Judged]]) -> None:
        if found == self._listed:
            return  # so that the focus stays on a mistake
        self._listed = found
        self._list.clear()
        with self._list:
            for step, judged in found:
                self._button(step, judged)

    def _button(self, step: int, judged: Judged) -> None:
        assert self._judge is not None
        unit = judged.ratings[judged.best].unit
        error = error_text(judged.error, unit)
        cost = value_text(judged.cost, unit).lstrip("+") + (f" ± {error}" if error else "")
        text = f"{cost}: {self._judge.record.compared(step, judged.best)}"
        ui.button(text, on_click=lambda: self._go(step)).props("flat dense no-caps").classes("study-mistake")
