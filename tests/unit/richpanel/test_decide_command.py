"""Input and output of `python -m richpanel.decisions.command`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from richpanel.decisions.command.__main__ import main
from richpanel.decisions.command.samples import SampleInvalid, decided, parse_sample
from tests.unit.richpanel.decide_command import WHERE, answer, line, run

ORDER = {
    "number": "#1234",
    "status": "paid",
    "created_at": "2026-03-03T15:00:00Z",
    "email": "ana@example.com",
    "tracking_number": "1Z999AA10123456784",
    "tracking_company": "UPS",
    "fulfillment_status": "shipped",
}


def test_a_line_gets_one_line_with_exactly_the_agreed_fields(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    got = answer(monkeypatch, line())

    assert 0.85 <= got.pop("confidence") <= 1  # tested with the classifier
    assert got == {
        "id": "1",
        "intent": "order_status_tracking",
        "team": "Email Support Team",
        "tags": [
            "mw-processed",
            "mw-routing-applied",
            "route-email-support-team",
            "mw-intent-order-status",
            "mw-order-lookup-needed",
            "mw-auto-replied",
        ],
        "tier": 1,
        "action": "auto_reply",
        "template": "t_order_status_ask_order_number",
    }


def test_tier_0_is_escalated_and_has_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    got = answer(monkeypatch, line("My lawyer will be in touch, I am going to sue you."))

    assert (got["intent"], got["team"]) == ("legal_threat", "Leadership Team")
    assert (got["tier"], got["action"], got["template"]) == (0, "escalate", None)


@pytest.mark.parametrize("channel", ["social", "tiktok", "phone", "unknown", "fax"])
def test_other_channels_are_routed_only(channel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    got = answer(monkeypatch, line(channel=channel))

    assert (got["tier"], got["action"], got["template"]) == (None, "route_only", None)


@pytest.mark.parametrize("channel", ["livechat", "LiveChat", "Live Chat", "live_chat"])
def test_a_chat_is_answered_by_default(channel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(monkeypatch, line(channel=channel))["action"] == "auto_reply"


@pytest.mark.parametrize(
    ("context", "tier"),
    [
        ({"order": ORDER, "customer_email": "Ana@Example.com "}, 2),
        ({"order": {**ORDER, "number": 1234}, "customer_email": "ana@example.com"}, 2),
        ({"order": {**ORDER, "match": "number"}}, 2),
        ({"order": {**ORDER, "match": "linked"}}, 2),
        ({"order": {**ORDER, "match": "linked"}, "customer_email": "eve@example.com"}, 1),
        ({"order": ORDER, "customer_email": "eve@example.com"}, 1),
        ({"order": ORDER}, 1),
        ({"order": {**ORDER, "email": None}, "customer_email": "ana@example.com"}, 1),
        ({"order": {**ORDER, "number": "#1235"}, "customer_email": "ana@example.com"}, 1),
        ({"order": {**ORDER, "number": "#1235", "match": "linked"}}, 1),
        ({"order": {**ORDER, "status": None, "match": "linked"}}, 1),
        ({"order": None}, 1),
    ],
)
def test_facts_of_an_order_need_a_match_in_the_context(
    context: dict[str, Any], tier: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(monkeypatch, line(**context))["tier"] == tier


def test_a_linked_order_counts_by_its_owners_address(monkeypatch: pytest.MonkeyPatch) -> None:
    got = answer(
        monkeypatch,
        line(
            "Hello, could you please tell me where my order is?",
            order={**ORDER, "is_linked": True},
            customer_email="ana@example.com",
        ),
    )

    assert (got["tier"], got["template"]) == (2, "t_order_status_verified")
    assert got["tags"][-2:] == ["mw-auto-replied", "mw-order-status-answered"]


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ({"ticket_status": "closed"}, "ticket_closed"),
        ({"ticket_status": "CLOSED"}, "ticket_closed"),
        ({"newest_comment_by": "person"}, "person_active"),
        ({"now": "2026-03-07T15:00:00Z"}, "stale"),
        ({"auto_replies": ["2026-03-05T14:55:00Z"]}, "rate_limited"),
        ({"auto_replies": ["2026-03-05T12:00:00Z"]}, "followup"),
        (
            {"customer_auto_replies": [f"2026-03-05T1{hour}:00:00Z" for hour in range(5)]},
            "rate_limited",
        ),
        ({"already_answered": True}, "already_answered"),
        ({"risk_flags": ["legal_threat"]}, "tier0_always_handoff"),
        ({"is_automatic": True}, "modifier_present"),
        ({"switches": {"safe_mode": True}}, "safe_mode_route_only"),
        ({"switches": {"automation_enabled": False}}, "automation_disabled"),
        ({"switches": {"automation_enabled_channels": ["livechat"]}}, "channel_disabled"),
        ({"switches": {"automation_enabled_channels": "none"}}, "channel_disabled"),
        ({"switches": {"template_enabled": {}}}, "template_disabled"),
        ({"switches": {"outbound_scope": "allowlist"}}, "recipient_not_allowed"),
        (
            {"pending_flow": {"requested_at": "2026-03-05T12:00:00Z", "attempts": 2}},
            "flow_exhausted",
        ),
        ({"colour": "red", "order": {"colour": "red"}}, "tier1_safe_assist"),
        ({"locale": "en-GB", "holidays": ["2026-03-05"]}, "tier1_safe_assist"),
        ({"first_name": "Ana", "timezone": "Europe/Rome"}, "tier1_safe_assist"),
    ],
)
def test_the_context_is_used_as_documented_in_the_help(
    context: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, answers, _ = run(monkeypatch, line(**context), arguments=("--explain",))

    assert (code, answers[0]["reason"]) == (0, reason)


def test_explain_prints_the_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    given = line(ticket_status="closed", switches={"safe_mode": True})

    _, answers, _ = run(monkeypatch, given, arguments=("--explain",))

    assert answers[0]["reason"] == "safe_mode_route_only"
    assert answers[0]["gates"] == ["safe_mode_route_only", "ticket_closed"]
    assert answers[0]["considered"] == "t_order_status_ask_order_number"
    assert answers[0]["secondary"] == []
    assert answers[0]["automation_confidence"] == 0.0


def test_a_bare_number_answers_the_pending_question(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = {"requested_at": "2026-03-05T12:00:00Z"}

    got = answer(monkeypatch, line("1234", pending_flow=flow))
    forgotten = answer(monkeypatch, line("1234", pending_flow={"requested_at": "2026-01-05"}))

    assert (got["intent"], got["confidence"]) == ("order_status_tracking", 0.90)
    assert forgotten["intent"] == "unknown_other"


@pytest.mark.parametrize("text", ["", None, "   "])
def test_a_file_alone_is_tagged(text: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    got = answer(monkeypatch, {**line(has_attachment=True), "text": text})

    assert (got["intent"], got["action"]) == ("unknown_other", "route_only")
    assert "mw-attachment-only" in got["tags"]


def test_missing_teams_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    got = answer(
        monkeypatch,
        line(
            "I am filing a chargeback with my bank for this charge.",
            available_teams=["Leadership Team", "route-email-support-team"],
        ),
    )

    assert got["team"] == "Leadership Team"
    assert "mw-needs-chargebacks-queue" in got["tags"]


BAD: list[tuple[object, str]] = [
    (b"{", "must be JSON"),
    (b"\xff\xfe{}", "must be UTF-8"),
    (b"[" * 100_000, "must be JSON"),
    (b"[]", "must be a JSON object"),
    (b'"text"', "must be a JSON object"),
    (b" " * 10 + b'{"id":"' + b"x" * 1_000_000 + b'"}', "must be at most 1000000 bytes"),
    ({"text": "x", "channel": "email"}, "id: Field required"),
    ({"id": "1", "channel": "email"}, "text: Field required"),
    ({"id": "1", "text": "x"}, "channel: Field required"),
    ({"id": "1", "text": 5, "channel": "email"}, "text: Input should be a valid string"),
    ({"id": "1", "text": "x", "channel": 5}, "channel: must be a string"),
    ({"id": True, "text": "x", "channel": "email"}, "id"),
    ({"id": "1", "text": "x", "channel": "email", "context": []}, "context"),
    (line(created_at="yesterday"), "context.created_at: must be an ISO 8601 time"),
    (line(created_at=1_772_722_800), "context.created_at: must be an ISO 8601 time"),
    (line(holidays=["Christmas"]), "context.holidays.0: must be an ISO 8601 date"),
    (line(ticket_status="asleep"), "context.ticket_status"),
    (line(newest_comment_by="nobody"), "context.newest_comment_by"),
    (line(has_attachment="yes"), "context.has_attachment"),
    (line(earlier="one"), "context.earlier"),
    (line(risk_flags=["bored"]), "context.risk_flags.0"),
    (line(pending_flow={}), "context.pending_flow.requested_at: Field required"),
    (
        line(pending_flow={"requested_at": "2026-03-05", "attempts": 0}),
        "context.pending_flow.attempts",
    ),
    (line(order="#1234"), "context.order"),
    (line(order={"match": "guess"}), "context.order.match"),
    (line(switches={"safe_mode": "maybe"}), "context.switches: safe_mode must be true or false"),
    (line(switches={"colour": "red"}), "context.switches: colour is not a known switch"),
    (line(available_teams=["Night Shift"]), "context.available_teams.0"),
    (line(timezone="Mars/Olympus"), "context.timezone: must be an IANA time zone"),
    (line(timezone="../../etc/passwd"), "context.timezone: must be an IANA time zone"),
]


@pytest.mark.parametrize(("bad", "rule"), BAD, ids=[rule for _, rule in BAD])
def test_a_bad_line_is_named_with_its_rule_and_the_others_are_answered(
    bad: object, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, answers, err = run(monkeypatch, line(), bad, b"", {**line(), "id": 7})

    assert code == 1
    assert [each["id"] for each in answers] == ["1", 7]
    assert err.startswith(f"standard input, line 2: {rule}")
    assert err.count("\n") == 1


def test_an_error_never_repeats_the_content_of_a_line() -> None:
    with pytest.raises(SampleInvalid) as raised:
        parse_sample(json.dumps(line(order={**ORDER, "email": ["ana@example.com"]})).encode())

    assert "ana@example.com" not in str(raised.value)


def test_files_are_read_in_their_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text("\ufeff" + json.dumps(line()) + "\n\n{\n", encoding="utf-8")
    second.write_text(json.dumps({**line(), "id": "2"}), encoding="utf-8")

    code, answers, err = run(monkeypatch, arguments=(str(first), str(second)))

    assert code == 1
    assert [each["id"] for each in answers] == ["1", "2"]
    assert err == f"{first}, line 3: must be JSON\n"


def test_a_missing_file_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code, answers, err = run(monkeypatch, arguments=(str(tmp_path / "none.jsonl"),))

    assert (code, answers) == (2, [])
    assert "none.jsonl: No such file" in err


def test_empty_input_gives_empty_output(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch) == (0, [], "")


def test_the_help_documents_each_key_of_the_context(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    shown = capsys.readouterr().out

    model = type(parse_sample(json.dumps(line()).encode()).context)
    assert [name for name in model.model_fields if name not in shown] == []
    assert "Exit code" in shown


def test_a_decision_needs_no_created_at() -> None:
    sample = parse_sample(json.dumps({"id": 1, "text": WHERE, "channel": "email"}).encode())

    assert decided(sample).reason == "tier1_safe_assist"


@pytest.mark.long
def test_the_command_runs_without_aws_and_without_network() -> None:
    """In a separate process, without AWS variables in the environment and without its libraries."""
    root = Path(__file__).parents[3]
    program = (
        "import sys; from richpanel.decisions.command.__main__ import main; code = main();"
        "bad = {'boto3', 'botocore', 'aws_lambda_powertools', 'urllib3', 'http.client'} & set(sys.modules);"
        "sys.exit(f'loaded {bad}' if bad else code)"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("AWS_")
    } | {"PYTHONPATH": f"{root / 'functions'}:{root / 'layers/shared'}"}

    done = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", program],
        input=json.dumps(line()).encode(),
        env=environment,
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["intent"] == "order_status_tracking"
