"""The measured tables: updating their pages, and equality with the figures that tests enforce."""

from pathlib import Path

import pytest

from local.docs.readme_tables import replace_section
from tests.cost.report import WRITTEN_DOWN, markdown
from tests.template import ROOT

README = "# Parley\n\n<!-- cost:begin -->\nold\n<!-- cost:end -->\n\nMore.\n"


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def test_a_table_replaces_the_old_one(readme: Path) -> None:
    replace_section(readme, "cost", "| a |\n|---|\n")

    wanted = "# Parley\n\n<!-- cost:begin -->\n| a |\n|---|\n<!-- cost:end -->\n\nMore.\n"
    assert readme.read_text() == wanted


def test_writing_a_table_twice_changes_nothing(readme: Path) -> None:
    replace_section(readme, "cost", "new")
    once = readme.read_text()
    replace_section(readme, "cost", "new")

    assert readme.read_text() == once


@pytest.mark.parametrize(
    "text",
    [
        "no place at all\n",
        "<!-- cost:begin -->\n",
        "<!-- cost:end -->\n<!-- cost:begin -->\n",
        README + README,
    ],
)
def test_a_file_without_exactly_one_place_is_not_changed(readme: Path, text: str) -> None:
    readme.write_text(text)

    with pytest.raises(ValueError, match="cost:begin"):
        replace_section(readme, "cost", "new")
    assert readme.read_text() == text


@pytest.mark.parametrize(("page", "name"), [("costs.md", "cost"), ("performance.md", "bench")])
def test_a_page_has_one_place_for_its_table(tmp_path: Path, page: str, name: str) -> None:
    path = tmp_path / page
    path.write_text((ROOT / "docs" / page).read_text())

    replace_section(path, name, "new")

    assert f"<!-- {name}:begin -->\nnew\n<!-- {name}:end -->" in path.read_text()


def test_the_costs_page_has_the_figures_that_tests_enforce() -> None:
    page = (ROOT / "docs" / "costs.md").read_text().splitlines()
    enforced = markdown(dict.fromkeys((1, 10, 100, 1_000, 10_000), WRITTEN_DOWN))
    rows = [line for line in enforced.splitlines() if line.startswith("|")]

    # Without the last cell: the enforced log bytes are an upper bound, the page has the measured ones.
    shown = {line.rsplit("|", 2)[0] for line in page if line.startswith("|")}
    assert [row for row in rows if row.rsplit("|", 2)[0] not in shown] == []
