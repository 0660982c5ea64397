"""The payload of an audit row: at most 1 KB, the most important fields first."""

import json

from richpanel.worker.audit import LONGEST_PAYLOAD_BYTES, as_text


def test_a_payload_that_is_too_long_loses_its_last_fields() -> None:
    first = {"intent": "order_status_tracking", "version": "v" * 300, "order": "***1001"}
    payload = first | {f"later_{number}": "x" * 90 for number in range(10)}

    text = as_text(payload)

    kept = json.loads(text)
    assert len(text) <= LONGEST_PAYLOAD_BYTES
    assert first.items() <= kept.items()
    assert list(kept) == list(payload)[: len(kept)]


def test_the_names_of_rules_and_models_survive_the_redaction() -> None:
    facts = {
        "version": "rules-3+bedrock:us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "match": "linked",
        "order": "***1001",
    }

    assert json.loads(as_text(facts)) == facts
