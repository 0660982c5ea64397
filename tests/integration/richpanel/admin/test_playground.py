"""A version of the shop's settings decides on a ticket that does not exist, and nothing is sent or stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from richpanel.clients.language_model import Judge
from richpanel.worker.cases.costs import HELP_DESK
from shared.ai import port as ai
from shared.ai.spending import ceilings, prices, usage
from shared.runtime import clock
from tests.integration.richpanel.admin.conftest import (
    DISPUTE,
    READER,
    SETTINGS,
    WHERE,
)
from tests.integration.richpanel.admin.test_settings import put
from tests.integration.richpanel.admin.test_settings_versions import draft

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from tests.integration.answers import Answer
    from tests.integration.richpanel.admin.conftest import Admin

LINE = "POST /admin/richpanel/playground"
RETURN = "I would like to return the shirt that I bought."
OPINION = {
    "schema_version": "rp_decision_v1",
    "language": "en",
    "intents": [{"intent": "return_request", "confidence": 0.95}],
    "risk_flags": [],
    "wants_human": False,
}


class Scripted:
    """A model that gives these answers and keeps what it was asked."""

    name = "made-up"

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = [*answers], list[ai.Request]()

    def reply(self, request: ai.Request) -> ai.Reply:
        self.asked.append(request)
        return ai.Reply(json.dumps(self.answers.pop(0)), ai.Stop.END, ai.Usage(500, 50))


def tried(admin: Admin, text: str, **given: Any) -> Answer:
    return admin.call(LINE, body={"text": text, **given})


def test_a_decision_is_shown_with_its_reply_and_what_led_to_it(admin: Admin) -> None:
    shown = tried(admin, RETURN, first_name="Ann").result

    assert (shown["intent"], shown["version"]) == ("return_request", 0)
    assert shown["template"] == "t_return_request_intake"
    assert "Ann" in shown["text"]
    assert shown["shut"] == []
    assert shown["trace"] is None


def test_a_ticket_for_people_has_no_reply_and_says_why(admin: Admin) -> None:
    shown = tried(admin, DISPUTE).result

    assert (shown["text"], shown["takes_over"]) == (None, True)
    assert "chargeback" in shown["risk_flags"]
    assert shown["reason"] in shown["shut"]


def test_a_version_and_settings_are_tried_before_they_are_in_force(admin: Admin) -> None:
    wording = {"default": "Version two.", "livechat": "Version two."}
    settings = {"templates": {"t_return_request_intake": {"en": wording}}}
    number = draft(admin, settings).result["number"]

    assert "Version two." in tried(admin, RETURN, number=number).result["text"]
    assert "Version two." in tried(admin, RETURN, settings=settings).result["text"]
    assert "Version two." not in tried(admin, RETURN).result["text"]
    assert tried(admin, RETURN, number=number).result["version"] == number
    assert tried(admin, RETURN, settings=settings).result["version"] is None


def test_the_settings_in_force_decide_by_default(admin: Admin) -> None:
    put(admin, {"languages": ["es"]})

    shown = tried(admin, RETURN).result

    assert (shown["version"], shown["text"]) == (1, None)


def test_facts_of_an_order_are_those_of_the_call(admin: Admin) -> None:
    order = {
        "number": "1001",
        "status": "paid",
        "created_at": "2026-01-01T00:00:00Z",
        "match": "number",
        "tracking_number": "1Z999AA10123456784",
        "fulfillment_status": "in transit",
    }
    context = {"order": order, "switches": {"tier2_paths": ["number"]}}

    with_order = tried(admin, f"{WHERE} #1001", context=context).result
    without = tried(admin, f"{WHERE} #1001").result

    assert without["tier"] != 2
    assert with_order["intent"] == without["intent"] == "order_status_tracking"


def test_the_model_decides_and_its_calls_are_shown_without_the_person(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(OPINION)
    monkeypatch.setattr(admin.module.deps, "judge", Judge(model))

    shown = tried(admin, "Sizing is off, call me on +44 7700 900123.").result

    assert (shown["intent"], shown["rule"]) == ("return_request", "model")
    [call] = shown["trace"]["model_calls"]
    assert "900123" not in str(call)
    assert (shown["trace"]["model"], shown["trace"]["tokens_in"]) == ("made-up", 500)


def test_a_model_that_answers_outside_its_schema_gets_no_reply_sent(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin.module.deps, "judge", Judge(Scripted({}, {})))

    shown = tried(admin, RETURN).result

    assert shown["text"] is None
    assert shown["shut"] == ["schema_invalid_fail_closed"]


def test_a_try_changes_no_row(admin: Admin) -> None:
    before = admin.everything()

    assert tried(admin, RETURN).status == 200

    assert admin.everything() == before


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"channel": "fax"}, "channel"),
        ({"context": {"order": "none"}}, "context.order"),
        ({"context": {"timezone": "Mars/Base"}}, "context.timezone"),
        ({"context": {"switches": {"unknown": True}}}, "context.switches"),
        ({"settings": {"languages": []}}, "settings.languages"),
        ({"number": -1}, "number"),
    ],
)
def test_a_wrong_try_is_refused_with_its_field(
    admin: Admin, given: dict[str, Any], field: str
) -> None:
    refused = tried(admin, RETURN, **given)

    assert refused.status == 400
    assert field in [one["field"] for one in refused.body["error"]["details"]]


def test_only_operators_of_the_help_desk_try_settings(admin: Admin) -> None:
    assert admin.call(LINE, READER, body={"text": RETURN}).status == 403
    assert admin.call(f"GET {SETTINGS}", READER).status == 200


def test_an_unknown_version_is_not_found(admin: Admin) -> None:
    assert tried(admin, RETURN, number=9).status == 404


def limit(admin: Admin, micros: int) -> Table:
    """The table where the company's decisions that people ask for count, with a ceiling of a day."""
    table: Table = admin.module.deps.spent
    usage.set_ceilings(table, HELP_DESK, {"day_micros": micros}, by="a person")
    return table


def test_a_try_counts_for_the_limit_of_the_company_and_ends_at_it(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(OPINION)
    monkeypatch.setattr(admin.module.deps, "judge", Judge(model))
    today = clock.to_text(clock.now_ms())[:10]
    table = limit(admin, 1_000_000_000)

    tried(admin, "Sizing is off.")
    counted = ceilings.spent(table, HELP_DESK, today)[0]
    limit(admin, 0)
    refused = tried(admin, "Sizing is off.")

    assert counted == prices.model_price("made-up").of(500, 50)
    assert (len(model.asked), refused.status) == (1, 200)
    assert refused.result["rule"] != "model"


def test_a_ticket_that_is_judged_again_counts_for_the_limit_of_the_company(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(OPINION, OPINION)
    admin.harness.ticket(RETURN)
    monkeypatch.setattr(admin.module.deps, "judge", Judge(model))
    today = clock.to_text(clock.now_ms())[:10]
    table = limit(admin, 1_000_000_000)

    assert admin.replay("dry_run").status == 200
    counted = ceilings.spent(table, HELP_DESK, today)[0]
    limit(admin, 0)
    assert admin.replay("dry_run").status == 200

    assert counted == prices.model_price("made-up").of(500, 50)
    assert len(model.asked) == 1
