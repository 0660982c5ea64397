"""The reference page of the table is what the declarations say."""

import pytest

from local import reference


def test_the_page_is_up_to_date() -> None:
    assert reference.PAGE.read_text() == reference.page(), "run make docs"


def test_the_page_tells_keys_lifetimes_indexes_values_and_bounds() -> None:
    page = reference.page()

    assert "### 20. QUALITY_RATING" in page
    assert "- Key: `TEMPLATE_EUM#{wabaId}#{templateName}#{language}`" in page
    assert "- Lifetime: 7 days while it is a mere reference; none once STORED" in page
    assert "- Indexes: `gsi_customer_phone`, `gsi_order`, `gsi_tenant`" in page
    assert "| **direction** | S | INBOUND, OUTBOUND |  |" in page
    assert "| recentKeys | SS | at most 29 entries |  |" in page
    assert "| waTimestamp | S |  | as received |" in page


def test_a_page_that_is_behind_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = reference.PAGE.with_name("stale.md")
    monkeypatch.setattr(reference, "PAGE", stale)

    assert reference.main(["--check"]) == 1
    assert "make docs" in capsys.readouterr().out
