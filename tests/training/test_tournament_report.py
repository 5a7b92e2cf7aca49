"""The command and its files: JSON, CSV and an HTML report for phones and desktops."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from spades_command import fails, spades

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
AGENTS = ["random", "heuristic", "odd_agents:Crashes", "odd_agents:VeryLongNameOfAnAgentThatIsTheTwinOfUniform"]
PHONE, DESKTOP = 360, 1280  # width in pixels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("tournament")
    command = ["tournament", *AGENTS, "--rules", "two_player,target=60,loss=-60", "--matches", "8", "--max-hands", "3"]
    done = spades(*command, "--out", out, "--workers", 1)
    assert done.exit_code == 0, done.output
    assert re.search(
        r"odd_agents:Crashes forfeited \d+ matches against random: crash: RuntimeError: no idea", done.stdout
    )
    assert "All matches have been played." in done.stdout
    assert f"report: {out / 'report.html'}" in done.stdout
    again = spades(*command, "--out", out, "--json")
    assert json.loads(again.stdout) == json.loads((out / "results.json").read_text())
    return out


def test_csv(folder):
    results = json.loads((folder / "results.json").read_text())
    ratings = list(csv.DictReader((folder / "ratings.csv").read_text().splitlines()))
    assert [row["agent"] for row in ratings] == [row["agent"] for row in results["ratings"]]
    assert [float(row["rating_low"]) for row in ratings] == [row["rating"]["low"] for row in results["ratings"]]
    pairings = list(csv.DictReader((folder / "pairings.csv").read_text().splitlines()))
    assert [(row["a"], row["b"]) for row in pairings[:2]] == [("random", "heuristic"), ("random", AGENTS[2])]
    assert {row["matches"] for row in pairings} == {"8"}
    assert {row["agent"] for row in ratings if int(row["forfeits"])} == {AGENTS[2]}


def test_the_page_is_complete_in_itself(folder):
    page = (folder / "report.html").read_text()
    assert '<meta name="viewport" content="width=device-width' in page
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?:", page)
    checker = Balanced()
    checker.feed(page)
    checker.close()
    assert checker.open == []


class Balanced(HTMLParser):
    """Checks that every tag is closed in order."""

    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_names_are_escaped():
    from spades_training.tournament.charts import rating_chart

    chart = rating_chart(["<b>&"], [{"value": 0.0, "low": -1.0, "high": 1.0}])
    assert "&lt;b&gt;&amp;" in chart
    assert "<b>" not in chart


# Shows the page in a frame as wide as a phone and writes its contents as JSON to the page around it.
PROBE = """<!doctype html><meta charset="utf-8"><iframe width="{width}" height="800" srcdoc="{page}"></iframe>
<pre id="found"></pre><script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const table = id => [...page.getElementById(id).rows].map(row => [...row.cells].map(cell => cell.innerText));
  const found = {{
    // Cells that stick out of the page or of the box that scrolls them, and names in more than two lines.
    clipped: [...page.querySelectorAll("#ratings td, #ratings th")].filter(
      cell => cell.getBoundingClientRect().right > page.documentElement.clientWidth).map(cell => cell.innerText),
    broken: [...page.querySelectorAll("tbody th")].filter(
      cell => cell.innerText.length < 20 && cell.getBoundingClientRect().height > 70).map(cell => cell.innerText),
    ratings: table("ratings"), crosstable: table("crosstable"), width: page.documentElement.scrollWidth,
    charts: [...page.querySelectorAll("svg")].map(svg => [svg.getBoundingClientRect().width, svg.children.length]),
    forfeits: page.getElementById("forfeits").innerText,
  }};
  document.getElementById("found").textContent = JSON.stringify(found);
}};
</script>"""


@pytest.fixture(scope="module")
def browse(tmp_path_factory):
    """A function that opens HTML and returns the resulting page and the messages of the console."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser: install one of {', '.join(BROWSERS[:3])} (Debian: apt-get install chromium)")
    folder = tmp_path_factory.mktemp("browser")

    def browse(text: str) -> tuple[str, list[str]]:
        page = folder / "page.html"
        page.write_text(text)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]
        done = subprocess.run(
            [browser, *options, f"--user-data-dir={folder / 'profile'}", page.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return done.stdout, re.findall(r":CONSOLE[:(].*", done.stderr)

    return browse


def test_messages_of_the_console_are_returned(browse):
    _, console = browse("<!doctype html><script>console.log('well'); none_such()</script>")
    assert len(console) == 2
    assert "none_such is not defined" in console[1]


def test_a_browser_shows_the_report_on_a_phone(folder, browse):
    page = (folder / "report.html").read_text()
    dom, console = browse(PROBE.format(width=PHONE, page=html.escape(page)))
    assert console == []
    text = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
    assert text is not None
    found = json.loads(html.unescape(text[1]))
    results = json.loads((folder / "results.json").read_text())
    assert found["width"] <= PHONE
    ratings = [(row[0], row[1], int(row[3]), int(row[4])) for row in found["ratings"][1:]]
    assert ratings == [
        (f"{row['rank']}. {row['agent']}", f"{row['rating']['value']:+.0f}", row["wins"], row["losses"])
        for row in results["ratings"]
    ]
    names = [row["agent"] for row in results["ratings"]]
    rates = {(cell["a"], cell["b"]): cell["win_rate"]["value"] for cell in results["crosstable"]}
    for i, row in enumerate(found["crosstable"][1:]):
        for j, cell in enumerate(row[1:]):
            if i == j:
                assert cell == "·"
                continue
            rate = rates.get((names[i], names[j]))
            if rate is None:
                rate = 1 - rates[names[j], names[i]]
            assert float(cell.split("\n")[0]) == pytest.approx(100 * rate, abs=0.051)
    # The ratings and a profile of each agent. A chart of nils of one kind has four parts, all others more.
    assert len(found["charts"]) >= 5
    assert [(width, parts) for width, parts in found["charts"] if not (0 < width <= PHONE and parts >= 4)] == []
    assert re.search(r"odd_agents:Crashes against random: crash, \d+ matches: RuntimeError: no", found["forfeits"])


@pytest.mark.parametrize("width", [PHONE, 400, 800, DESKTOP])
def test_nothing_is_clipped_and_no_short_name_is_broken(width, folder, browse):
    page = (folder / "report.html").read_text()
    dom, _ = browse(PROBE.format(width=width, page=html.escape(page)))
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)[1]))
    assert found["width"] <= width
    assert found["clipped"] == []
    assert found["broken"] == []


def test_what_not_certain_means_is_explained(folder):
    results = json.loads((folder / "results.json").read_text())
    doubtful = any(row["ahead_is_certain"] is False for row in results["ratings"])
    assert doubtful == ("takes more evidence than an interval without 0" in (folder / "report.html").read_text())
    assert doubtful


@pytest.mark.parametrize(
    "args,message",
    [
        (["random"], "error: a tournament needs at least two agents, got 1"),
        (["random", "best"], "error: unknown agent 'best'"),
        (["random", "uniform", "--rules", "bridge"], "error: unknown rules 'bridge'"),
        (["random", "uniform", "--confidence", "1.5"], "error: confidence must be at least 0.5 and below 1, got 1.5"),
        (["random", "uniform", "--workers", "-1"], "error: workers must be an int in 1..1024, got -1"),
        (["random", "uniform", "--time-limit", "-1"], "error: time_limit must be above 0"),
        ([], "error: Missing argument"),
    ],
)
def test_bad_input_is_one_line_and_code_2(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fails(message, "tournament", *args)
    assert list(tmp_path.iterdir()) == []
