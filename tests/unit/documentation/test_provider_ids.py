"""Every setting that names a resource of a provider has a row in the table of SECURITY.md, with its proof."""

import re

from tests.template import ROOT
from tests.values import provider_ids

COLUMNS = ("id", "one form", "named in", "proof", "asked for", "ends with")


def rows() -> list[list[str]]:
    """The cells of the table's rows, its heading first."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = text.partition("## Provider ids and their owners\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if set("".join(row)) != {"-"}]


def in_table() -> set[str]:
    """The settings that the table names."""
    column = COLUMNS.index("named in")
    return {name for row in rows()[1:] for name in re.findall(r"`([^`]+)`", row[column])}


def test_every_setting_that_names_a_providers_resource_has_a_row_or_a_reason() -> None:
    assert sorted(provider_ids.named() - in_table() - provider_ids.WITHOUT_OWNER.keys()) == []


def test_every_setting_of_the_table_and_of_the_exceptions_exists() -> None:
    assert sorted((in_table() | provider_ids.WITHOUT_OWNER.keys()) - provider_ids.named()) == []
    assert not in_table() & provider_ids.WITHOUT_OWNER.keys()


def test_every_row_states_form_proof_use_and_end() -> None:
    heading, *entries = rows()

    assert tuple(heading) == COLUMNS
    assert entries
    assert all(len(row) == len(COLUMNS) and all(row) for row in entries)


def test_a_new_field_with_an_id_of_a_provider_would_be_found() -> None:
    found = ("ses_identity", "source_bucket", "page_id", "shop", "topic_arn", "company_fax_number")

    assert all(provider_ids.FIELD.search(name) for name in found)
