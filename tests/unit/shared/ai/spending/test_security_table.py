"""SECURITY.md lists every kind of cost with its bounds and a test that exists."""

from __future__ import annotations

import re

from shared.ai.spending.bounds import DEFAULTS, MICROS, Bound, Kind
from tests.template import ROOT

ROW = re.compile(r"^\| `([a-z_]+)` \| (.*) \|$", re.MULTILINE)
SECTION = "## Costs that outsiders can cause"


def rows() -> dict[str, list[str]]:
    text = (ROOT / "SECURITY.md").read_text().partition(SECTION)[2].partition("\n## ")[0]
    return {name: cells.split(" | ") for name, cells in ROW.findall(text)}


def shown(bound: Bound) -> str:
    return f"{bound.units}, ${bound.micros / MICROS:.2f}"


def test_each_kind_of_cost_has_a_row() -> None:
    assert rows().keys() == set(Kind) == DEFAULTS.keys()


def test_the_rows_have_the_bounds_of_the_code() -> None:
    listed = {name: cells[1:4] for name, cells in rows().items()}

    assert listed == {
        kind: [shown(bounds.sender), shown(bounds.address), shown(bounds.company)]
        for kind, bounds in DEFAULTS.items()
    }


def test_the_tests_of_the_rows_exist() -> None:
    for name, cells in rows().items():
        named = re.findall(r"`(tests/[^`]+)`", cells[-1])
        assert named, name
        for path in named:
            content = (ROOT / path).read_text()
            assert "spending" in content.lower() or "bound" in content, path
