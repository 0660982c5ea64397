from pathlib import Path

import pytest

from local.docs.readme_tables import replace_section

README = "# Parley\n\n<!-- cost:begin -->\nold\n<!-- cost:end -->\n\nMore.\n"


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def test_a_table_takes_the_place_of_the_old_one(readme: Path) -> None:
    replace_section(readme, "cost", "| a |\n|---|\n")

    wanted = "# Parley\n\n<!-- cost:begin -->\n| a |\n|---|\n<!-- cost:end -->\n\nMore.\n"
    assert readme.read_text() == wanted


def test_twice_is_as_once(readme: Path) -> None:
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
def test_a_file_without_one_clear_place_is_left_as_it_is(readme: Path, text: str) -> None:
    readme.write_text(text)

    with pytest.raises(ValueError, match="cost:begin"):
        replace_section(readme, "cost", "new")
    assert readme.read_text() == text
