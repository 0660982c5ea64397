"""docs/operate.md lists every alarm and every condition that an alarm counts, with cause and action."""

import re
from collections.abc import Iterator

from shared.runtime.observability import CONDITIONS
from tests.cases import each
from tests.template import ROOT, resources

PAGE = ROOT / "docs" / "operate.md"
ALARMS = sorted(resources("AWS::CloudWatch::Alarm"))
SOURCES = "".join(
    file.read_text(encoding="utf-8")
    for folder in ("functions", "layers/shared")
    for file in (ROOT / folder).rglob("*.py")
)
_HEADER = re.compile(r"\| (alarm|condition) \| cause \| what to do \|")


def rows() -> Iterator[tuple[str, list[str]]]:
    """The rows of the tables of alarms and conditions: the kind of the table, and the cells."""
    kind = None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        header = _HEADER.match(line)
        if header:
            kind = header[1]
        elif not line.startswith("|"):
            kind = None
        elif kind and not line.startswith("|---"):
            yield kind, [cell.strip() for cell in line.strip("|").split("|")]


def named(wanted: str) -> list[str]:
    """The names of all alarms, or conditions, of the page."""
    return [
        name for kind, cells in rows() for name in re.findall(r"\w+", cells[0]) if kind == wanted
    ]


def test_the_page_names_the_alarms_that_exist() -> None:
    assert sorted(named("alarm")) == ALARMS


def test_the_page_names_the_conditions_that_are_counted() -> None:
    """Rejected signatures are the alarm RequestsRejected itself."""
    assert sorted(named("condition")) == sorted(CONDITIONS.keys() - {"SignatureRejected"})


@each("alarm", ALARMS)
def test_a_log_line_that_an_alarm_quotes_is_one_that_functions_write(alarm: str) -> None:
    said = str(resources("AWS::CloudWatch::Alarm")[alarm]["Properties"]["AlarmDescription"])

    assert [line for line in re.findall(r'"([a-z ]+)"', said) if f'"{line}"' not in SOURCES] == []


def test_each_alarm_has_a_cause_and_an_action() -> None:
    for _, cells in rows():
        assert len(cells) == 3
        assert all(cells)
