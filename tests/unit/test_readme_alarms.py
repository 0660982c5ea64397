"""docs/operate.md names every alarm, with its cause and what to do."""

import re
from collections.abc import Iterator

import pytest

from tests.template import ROOT, resources

PAGE = ROOT / "docs" / "operate.md"
ALARMS = sorted(resources("AWS::CloudWatch::Alarm"))
SOURCES = "".join(
    file.read_text(encoding="utf-8")
    for folder in ("functions", "layers/shared")
    for file in (ROOT / folder).rglob("*.py")
)
_HEADER = re.compile(r"\| alarm \(without `(\w+)`\) \| cause \| what to do \|")


def rows() -> Iterator[tuple[str, list[str]]]:
    """The rows of the tables of alarms: the prefix that their names omit, and the cells."""
    prefix = None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        header = _HEADER.match(line)
        if header:
            prefix = header[1]
        elif not line.startswith("|"):
            prefix = None
        elif prefix and not line.startswith("|---"):
            yield prefix, [cell.strip() for cell in line.strip("|").split("|")]


def named() -> Iterator[str]:
    """The names that the page contains, as patterns of whole names; `...` stands for any text."""
    for prefix, cells in rows():
        for name in re.findall(r"[\w.]+", cells[0]):
            pattern = re.escape(name).replace(re.escape("..."), r"\w*")
            yield pattern if name.startswith("...") else f"(?:{prefix})?{pattern}"


@pytest.mark.parametrize("alarm", ALARMS)
def test_every_alarm_is_named(alarm: str) -> None:
    assert any(re.fullmatch(pattern, alarm) for pattern in named())


@pytest.mark.parametrize("pattern", [*named()])
def test_no_alarm_is_named_that_does_not_exist(pattern: str) -> None:
    assert any(re.fullmatch(pattern, alarm) for alarm in ALARMS)


@pytest.mark.parametrize("alarm", ALARMS)
def test_a_log_line_that_an_alarm_quotes_is_one_that_functions_write(alarm: str) -> None:
    said = str(resources("AWS::CloudWatch::Alarm")[alarm]["Properties"]["AlarmDescription"])

    assert [line for line in re.findall(r'"([a-z ]+)"', said) if f'"{line}"' not in SOURCES] == []


def test_each_alarm_has_a_cause_and_what_to_do() -> None:
    for _, cells in rows():
        assert len(cells) == 3
        assert all(cells)
