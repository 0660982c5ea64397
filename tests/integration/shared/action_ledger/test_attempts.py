"""The action ledger: at most one active attempt, and every outcome is stored."""

from contextlib import suppress

import pytest

from shared.providers import action_ledger
from shared.providers.action_ledger import Action, Ledger, OnDoubt, State
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime.failures import Transient
from tests.integration.logs import counted
from tests.integration.shared.action_ledger.conftest import (
    NOW,
    Clock,
    FakeSend,
    perform,
    state,
)


def test_an_accepted_send_is_sent_with_the_providers_id_and_never_again(
    ledger: Ledger[Action],
) -> None:
    send = FakeSend("wamid.1")

    assert perform(ledger, send) is State.SENT
    assert perform(ledger, send) is State.SENT
    assert send.attempts == 1
    action = ledger.action("a1")
    assert action is not None
    assert (action.provider_id, action.ttl) == ("wamid.1", NOW // 1000 + 35 * 86_400)


def test_an_outcome_is_stored_under_the_attribute_names_of_the_item_class(
    ledger: Ledger[Action],
) -> None:
    perform(ledger, FakeSend("wamid.1"))
    ledger.confirm("a1", failed=False, message_pk="MSG#1", company="acme")

    stored = ledger._table.get({"pk": "ACTION#a1"}) or {}
    assert (stored["providerId"], stored["messagePk"]) == ("wamid.1", "MSG#1")
    assert not {"provider_id", "message_pk"} & stored.keys()


def test_a_refusal_is_final_with_its_code(ledger: Ledger[Action]) -> None:
    send = FakeSend(Refused("graph_131026"))

    assert perform(ledger, send) is State.FAILED
    assert perform(ledger, send) is State.FAILED
    assert send.attempts == 1


def test_a_send_that_certainly_did_not_arrive_is_retried_at_once(ledger: Ledger[Action]) -> None:
    send = FakeSend(NotSent("no_connection"), "wamid.1")

    with pytest.raises(Transient, match="not_sent"):
        perform(ledger, send)
    assert perform(ledger, send) is State.SENT
    assert state(ledger) == (State.SENT, 2)


def test_the_retry_time_of_a_provider_is_respected(ledger: Ledger[Action]) -> None:
    with pytest.raises(Transient) as raised:
        perform(ledger, FakeSend(NotSent("twilio_20429", wait_ms=7_000)))

    assert raised.value.wait_ms == 7_000


def test_evidence_of_an_attempt_in_doubt_confirms_it_once_its_deadline_is_over(
    ledger: Ledger[Action], time: Clock
) -> None:
    send = FakeSend(InDoubt("no_answer"))
    with pytest.raises(Transient, match="send_in_doubt"):
        perform(ledger, send)
    looked_at: list[int] = []

    def look(action: Action) -> str:
        looked_at.append(action.reserved_at)
        return "comment 7"

    with pytest.raises(Transient, match="send_in_progress"):
        perform(ledger, send, evidence=look)
    assert looked_at == []
    time.now += 30_000 + action_ledger.GRACE_MS
    assert perform(ledger, send, evidence=look) is State.CONFIRMED
    assert looked_at == [NOW]
    action = ledger.action("a1")
    assert action is not None
    assert (action.state, action.evidence) == (State.CONFIRMED, "comment 7")
    assert send.attempts == 1


def test_a_send_that_certainly_did_not_arrive_needs_no_evidence(ledger: Ledger[Action]) -> None:
    send = FakeSend(NotSent("no_connection"), "wamid.1")
    with pytest.raises(Transient, match="not_sent"):
        perform(ledger, send)

    assert perform(ledger, send, evidence=lambda _: "comment of another attempt") is State.SENT


def test_an_attempt_in_doubt_is_not_resolved_before_its_deadline(
    ledger: Ledger[Action], time: Clock
) -> None:
    send = FakeSend(InDoubt("no_answer"))
    with pytest.raises(Transient, match="send_in_doubt"):
        perform(ledger, send)

    time.now += 30_000 + action_ledger.GRACE_MS - 1
    with pytest.raises(Transient, match="send_in_progress"):
        perform(ledger, send)
    assert send.attempts == 1


def test_past_the_deadline_an_at_most_once_send_becomes_unknown_and_stays_unsent(
    ledger: Ledger[Action], time: Clock
) -> None:
    send = FakeSend(InDoubt("no_answer"))
    with pytest.raises(Transient):
        perform(ledger, send)

    time.now += 30_000 + action_ledger.GRACE_MS
    assert perform(ledger, send) is State.UNKNOWN
    assert perform(ledger, send) is State.UNKNOWN
    assert send.attempts == 1


def test_an_attempt_without_an_outcome_is_given_up_after_its_deadline_and_not_before(
    ledger: Ledger[Action], time: Clock
) -> None:
    assert ledger.give_up("a1") is None
    with pytest.raises(Transient):
        perform(ledger, FakeSend(InDoubt("no_answer")))
    with pytest.raises(Transient, match="send_in_progress"):
        ledger.give_up("a1")

    time.now += 30_000 + action_ledger.GRACE_MS
    given_up = ledger.give_up("a1")
    assert given_up is not None
    assert (given_up.state, given_up.reason) == (State.UNKNOWN, "no_evidence")
    assert ledger.give_up("a1") == given_up


def test_giving_up_changes_no_attempt_with_an_outcome_and_none_that_was_not_sent(
    ledger: Ledger[Action], time: Clock
) -> None:
    send = FakeSend(NotSent("refused_connection"), "wamid.1")
    with pytest.raises(Transient):
        perform(ledger, send)
    unsent = ledger.give_up("a1")
    perform(ledger, send)
    time.now += 30_000 + action_ledger.GRACE_MS
    sent = ledger.give_up("a1")

    assert unsent is not None
    assert (unsent.state, unsent.may_have_been_sent) == (State.RESERVED, False)
    assert sent is not None
    assert sent.state is State.SENT


def test_the_first_message_key_of_an_action_stays(ledger: Ledger[Action]) -> None:
    perform(ledger, FakeSend("wamid.1"))

    linked = [ledger.link("a1", key) for key in ("MSG#1", "MSG#2")]

    assert [action and action.message_pk for action in linked] == ["MSG#1", "MSG#1"]
    assert ledger.link("a2", "MSG#1") is None


def test_past_the_deadline_a_harmless_send_is_repeated(ledger: Ledger[Action], time: Clock) -> None:
    send = FakeSend(InDoubt("no_answer"), "ok")
    with pytest.raises(Transient):
        perform(ledger, send, OnDoubt.RESEND)

    time.now += 30_000 + action_ledger.GRACE_MS
    assert perform(ledger, send, OnDoubt.RESEND) is State.SENT
    assert state(ledger) == (State.SENT, 2)


def test_a_late_worker_does_not_overwrite_its_successor(
    ledger: Ledger[Action], time: Clock
) -> None:
    def late() -> str:
        time.now += 30_000 + action_ledger.GRACE_MS
        assert perform(ledger, FakeSend("second"), OnDoubt.RESEND) is State.SENT
        return "first"

    assert perform(ledger, late, OnDoubt.RESEND) is State.SENT
    action = ledger.action("a1")
    assert action is not None
    assert action.provider_id == "second"


@pytest.mark.parametrize(
    ("end", "metric"),
    [(Refused("graph_131026"), "SendFailed"), (InDoubt("timeout"), "SendInDoubt")],
)
def test_an_attempt_that_fails_or_ends_in_doubt_is_counted_once(
    ledger: Ledger[Action], end: Exception, metric: str
) -> None:
    counted(metric)

    with suppress(Transient):
        perform(ledger, FakeSend(end))

    assert counted(metric) == 1


def test_a_send_that_becomes_unknown_is_counted_once(ledger: Ledger[Action], time: Clock) -> None:
    with pytest.raises(Transient):
        perform(ledger, FakeSend(InDoubt("no_answer")))
    counted("SendUnknown")

    time.now += 30_000 + action_ledger.GRACE_MS
    perform(ledger, FakeSend())
    perform(ledger, FakeSend())

    assert counted("SendUnknown") == 1


def test_two_sends_of_one_action_are_counted_and_the_first_is_recorded_as_evidence(
    ledger: Ledger[Action], time: Clock
) -> None:
    def late() -> str:
        time.now += 30_000 + action_ledger.GRACE_MS
        perform(ledger, FakeSend("second"), OnDoubt.RESEND)
        return "first"

    counted("SendDoubled")
    perform(ledger, late, OnDoubt.RESEND)

    action = ledger.action("a1")
    assert action is not None
    assert action.evidence == "attempt 1: first"
    assert counted("SendDoubled") == 1


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("wamid.1", True),
        (Refused("graph_131026"), True),
        (InDoubt("no_answer"), True),
        (NotSent("no_connection"), False),
    ],
)
def test_only_an_action_whose_attempts_certainly_failed_to_send_was_not_sent(
    ledger: Ledger[Action], end: Exception | str, expected: bool
) -> None:
    with suppress(Transient):
        perform(ledger, FakeSend(end))

    action = ledger.action("a1")
    assert action is not None
    assert action.may_have_been_sent is expected


def test_an_erased_action_keeps_its_outcome_and_loses_the_recipients_identifiers(
    ledger: Ledger[Action],
) -> None:
    action = Action(
        action_id="a1",
        company="acme",
        channel="whatsapp",
        provider="graph",
        on_doubt=OnDoubt.AT_MOST_ONCE,
        recipient_hash="r",
        body_hash="b",
    )
    ledger.perform(action, owner="worker", remaining_ms=30_000, send=FakeSend("wamid.1"))

    ledger.forget("a1")
    ledger.forget("unknown")

    left = ledger.action("a1")
    assert left is not None
    assert left.state is State.SENT
    assert (left.recipient_hash, left.body_hash, left.provider_id) == (None, None, None)
    assert ledger.action("unknown") is None


def test_an_expired_action_counts_as_absent_before_dynamodb_deletes_it(
    ledger: Ledger[Action], time: Clock
) -> None:
    perform(ledger, FakeSend("wamid.1"))

    time.now += 36 * 86_400_000
    assert ledger.action("a1") is None
