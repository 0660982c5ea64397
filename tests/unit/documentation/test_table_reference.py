"""The reference pages of the tables match the declarations."""

from pathlib import Path

import pytest

from local.docs import table_reference


@pytest.mark.parametrize("name", table_reference.PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    assert (table_reference.DOCS / name).read_text() == table_reference.PAGES[name](), (
        "run make docs"
    )


def test_the_page_of_the_inbox_lists_keys_lifetimes_indexes_values_and_bounds() -> None:
    page = table_reference.whatsapp_page()

    assert "### 20. QUALITY_RATING" in page
    assert "- Key: `TEMPLATE_EUM#{wabaId}#{templateName}#{language}`" in page
    assert "- Lifetime: 7 days until STORED, then kept" in page
    assert "- Indexes: `gsi_customer_phone`, `gsi_order`, `gsi_tenant`" in page
    assert "| **direction** | S | INBOUND, OUTBOUND |  |" in page
    assert "| recentKeys | SS | at most 15 entries |  |" in page
    assert "| waTimestamp | S |  | as received |" in page


def test_the_page_of_conversations_lists_keys_lifetimes_values_and_maps() -> None:
    page = table_reference.conversations_page()

    assert "- Key: `primary_channel`, `conversation_id`" in page
    assert "- Key: `CONV#{ref}` / `MSG#{message_timestamp}#{entry_id}`" in page
    assert (
        "- Key: `ROUTE#{pair_hash}` / `{created_at}#{ref}`\n- Lifetime: the conversation's" in page
    )
    assert "- Key: `IN#{provider}#{provider_message_id}` / `#`\n- Lifetime: 35 days" in page
    assert "| **channel_method** | S | whatsapp, sms, email |  |" in page
    assert "| mode | S | ai, human, closed |  |" in page
    assert "| turn | M |  |  |" in page
    assert (
        "| **last_activity_at** | S |  | to the hour: finer times would cost a write per message |"
        in page
    )
    assert "### CONSENT" in page


def test_the_page_of_the_help_desk_lists_tables_keys_lifetimes_values_and_bounds() -> None:
    page = table_reference.richpanel_page()

    assert "## `rp_mw_conversation_state`" in page
    assert "- Key: `event_id` = `evt:rp:{conversation_id}:{message}`\n- Lifetime: 30 days" in page
    assert "| **mode** | S | route_only, automation_candidate |  |" in page
    assert "| risk_flags | SS | at most 7 entries |  |" in page
    assert "kept when another worker takes over" in page


def test_the_page_of_newsletters_lists_keys_lifetimes_values_and_parts() -> None:
    page = table_reference.newsletters_page()

    assert "### Metadata" in page
    assert "- Key: `NEWSLETTER#{newsletter_code}` / `TOPICS`\n- Lifetime: kept" in page
    assert "- Key: `NLIDEM#{request_id}` / `HEAD`\n- Lifetime: 1 day" in page
    assert "| status | S | draft, completed, exported |  |" in page
    assert "| review | M |  |  |" in page
    assert "### OutlineItem" in page


def test_an_outdated_page_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table_reference, "DOCS", tmp_path)

    assert table_reference.main(["--check"]) == 1

    printed = capsys.readouterr().out
    assert "make docs" in printed
    assert all(name in printed for name in table_reference.PAGES)
    assert table_reference.main([]) == 0
    assert table_reference.main(["--check"]) == 0
