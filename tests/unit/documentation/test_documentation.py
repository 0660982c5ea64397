"""README and docs: length, links, commands, routes, headline figures, decision records, words."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle.status import OPEN, Status, may_become
from local.console import screenshots
from operations.__main__ import main as operations
from tests.cases import each
from tests.template import ROOT, resources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCS = ROOT / "docs"
README = ROOT / "README.md"
DECISIONS = sorted((DOCS / "decisions").glob("0*.md"))
GENERATED = DOCS / "tables"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted(DOCS.rglob("*.md")) if GENERATED not in page.parents),
]
WITH_COMMANDS = [*PAGES, *sorted((ROOT / "events").glob("*/README.md"))]
_CODE = re.compile(r"^ *```\w*\n(.*?)^ *```|`([^`\n]+)`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def commands() -> list[str]:
    """The lines of all code in the pages, continued lines joined, comments removed."""
    return list(_commands())


def _commands() -> Iterator[str]:
    for page in WITH_COMMANDS:
        for block, span in _CODE.findall(text_of(page)):
            joined = re.sub(r"\\\n\s*", " ", block or span)
            for line in joined.splitlines():
                yield re.sub(r"(^|\s)# .*", "", line)


def found(pattern: str) -> list[str]:
    return sorted({match for line in commands() for match in re.findall(pattern, line)})


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)}


def test_the_readme_has_at_most_200_lines() -> None:
    assert len(text_of(README).splitlines()) <= 200


@each("page", PAGES, ids=name_of)
def test_every_link_inside_the_repository_leads_to_a_file_and_heading(page: Path) -> None:
    links = [link for link in _LINK.findall(text_of(page)) if not link[0].startswith("https:")]
    targets = [((page.parent / path).resolve() if path else page, anchor) for path, anchor in links]

    assert [str(target) for target, _ in targets if not target.exists()] == []
    wrong = [anchor for target, anchor in targets if anchor and anchor not in anchors(target)]
    assert wrong == []


def test_every_picture_is_shown_in_a_page_and_the_console_has_at_most_ten() -> None:
    pictures = {path for kind in ("jpg", "png", "svg") for path in DOCS.rglob(f"*.{kind}")}
    shown = {
        (page.parent / path).resolve() for page in PAGES for path, _ in _LINK.findall(text_of(page))
    }
    names = {path.stem for path in pictures if path.parent == screenshots.DOCS}

    assert sorted(pictures - shown) == []
    assert len(names) <= 10
    taken = {f"{place.name}-{size}" for place in screenshots.PLACES for size in screenshots.SIZES}
    assert names <= taken


MAKE_TARGETS = {
    target
    for names in re.findall(
        r"^([a-z0-9][a-z0-9 ]*):(?!=)", text_of(ROOT / "Makefile"), re.MULTILINE
    )
    for target in names.split()
}


@each("target", found(r"(?<![\w-])make ([a-z]\w*)"))
def test_every_documented_make_target_exists(target: str) -> None:
    assert target in MAKE_TARGETS


@each("module", found(r"python -m ([\w.]+)"))
def test_every_documented_module_can_be_run(module: str) -> None:
    path = module.replace(".", "/")
    files = [
        ROOT / folder / name
        for folder in ("", "functions", "layers/shared")
        for name in (f"{path}.py", f"{path}/__main__.py")
    ]

    def is_program(file: Path) -> bool:
        is_main = file.name == "__main__.py"
        return file.is_file() and (is_main or '__name__ == "__main__"' in text_of(file))

    assert any(is_program(file) for file in files)


@each("command", found(r"(?<![\w/.-])operations [a-z][a-z-]+[^|`]*"))
def test_every_documented_operator_command_exists_with_its_options(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, *words = command.split()
    path = words[:1] + [word for word in words[1:2] if re.fullmatch("[a-z][a-z-]+", word)]

    with pytest.raises(SystemExit) as ended:
        operations([*path, "--help"])

    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert [option for option in re.findall(r"--[a-z-]+", command) if option not in shown] == []


CONTEXTS = ("whatsapp", "conversations", "richpanel")


def shape(route: str) -> str:
    """A route with its parameters unnamed."""
    return re.sub(r"\{\w+\}", "{}", route)


@cache
def documented_routes() -> set[str]:
    rows = re.findall(r"^\| `([A-Z]+ /[^`]*)` \|", text_of(DOCS / "api.md"), re.MULTILINE)
    return {shape(row.replace("{context}", context)) for row in rows for context in CONTEXTS}


def routes() -> Iterator[str]:
    for function in resources("AWS::Serverless::Function").values():
        for event in function["Properties"].get("Events", {}).values():
            if event["Type"] == "Api" and "+" not in event["Properties"]["Path"]:
                yield f"{event['Properties']['Method'].upper()} {event['Properties']['Path']}"


@each("route", sorted(routes()))
def test_every_route_of_the_template_is_documented(route: str) -> None:
    assert shape(route) in documented_routes(), "add a row to docs/api.md"


@pytest.mark.parametrize(
    ("page", "measured", "headline"),
    [
        ("costs.md", r"A million inbound texts cost about (\$[\d.]+)", "about {} |"),
        ("costs.md", r"\| message: text \| (\d+) \|", "| {} write units |"),
        (
            "costs.md",
            r"a million mails(?:.*\n)*?\| \*\*sum\*\* .*\| ([\d.]+) \|\n",
            "| about ${} |",
        ),
        ("costs.md", r"\| \*\*sum without polling\*\* \| \| ([\d.]+) ", "| dev ${}, prod "),
        ("costs.md", r"\| \*\*sum without polling\*\* .* ([\d.]+) \|", ", prod ${} |"),
        ("performance.md", r"\| WhatsAppWebhook \| \d+ \| ([\d.]+) \|", "| {} |"),
    ],
)
def test_a_headline_figure_of_the_readme_is_the_measured_one(
    page: str, measured: str, headline: str
) -> None:
    figure = re.search(measured, text_of(DOCS / page))

    assert figure
    assert headline.format(figure[1]) in text_of(README)


@each("record", DECISIONS, ids=lambda record: record.stem)
def test_a_decision_has_its_number_four_parts_and_a_row_in_the_list(record: Path) -> None:
    text = text_of(record)

    assert text.startswith(f"# {record.name[:4]}: ")
    parts = re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)
    assert parts == ["Context", "Decision", "Consequences", "Undo"]
    title = re.match(r"# \d+: (.*) \(\d{4}-\d\d-\d\d\)\n", text)
    assert title
    row = f"| [{record.name[:4]}]({record.name}) | {title[1]} |"
    assert row in text_of(DOCS / "decisions" / "README.md")


@each("page", PAGES, ids=name_of)
def test_a_page_uses_no_indefinite_actor_and_no_private_word(page: Path) -> None:
    private = r"(?i)\b(who|what|which)ever\b|\b(no|some|any)body\b|\bmend(ed|s)?\b|\bof ours\b|\bfor good\b"

    assert [found[0] for found in re.finditer(private, text_of(page))] == []


def test_the_table_of_states_has_the_transitions_of_the_code() -> None:
    pairs = [(now, then) for now in Status for then in Status if now != then]
    every = {"handoff_active", "closed", "opted_out"}  # named below the table
    allowed = {(now, then) for now, then in pairs if may_become(now, then)}
    rows = re.findall(
        r"^\| `(\w+)` \|.*\| (.*) \|$", text_of(DOCS / "architecture.md"), re.MULTILINE
    )
    named = {now: {*re.findall(r"`(\w+)`", leads_to)} for now, leads_to in rows if now in {*Status}}

    written = {now: then | (every - {now} if now in OPEN else set()) for now, then in named.items()}
    assert {(now, then) for now, thens in written.items() for then in thens} == allowed
