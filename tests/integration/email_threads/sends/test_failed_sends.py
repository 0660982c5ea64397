"""Sends that are refused, fail, or have an unknown outcome: never two mails, and never silence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import result, thread_of
from tests.integration.email_threads.drafting import (
    answered,
    approve,
    asked,
    changes_of,
    composed,
    send,
    shown,
    status_of,
    thread_path,
    waiting,
)
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail


def test_safe_mode_stops_a_send_and_a_later_approval_makes_a_second_attempt(
    system: System,
) -> None:
    draft = composed(system, asked(system))
    system.switch(safe_mode="true")
    send(system, draft)
    assert not system.sent()
    assert status_of(system, draft) == ("failed", "safe_mode")
    assert waiting(system) == [draft]

    system.switch(safe_mode="false")
    send(system, draft)

    assert len(system.sent()) == 1
    found = shown(system, draft)
    assert (found["draft_status"], found["attempt"], found.get("reason")) == ("sent", 2, None)
    assert (
        changes_of(system, thread_path(draft))[-1][2] == f"{found['reply_id']} version=1 attempt=2"
    )


def test_a_failed_draft_may_be_amended_and_sent(system: System) -> None:
    draft = composed(system, asked(system))
    system.switch(safe_mode="true")
    send(system, draft)
    system.switch(safe_mode="false")
    result(system.call("PATCH", draft, {"version": 1, "body_text": "No."}))

    send(system, draft, version=2)

    assert len(system.sent()) == 1


@pytest.mark.parametrize("field", ["to", "cc"])
def test_a_recipient_who_opted_out_gets_no_mail(system: System, field: str) -> None:
    thread_of(system, mail("stop@x", "STOP", sender=BOB))
    recipients = {"to": [ANN], "cc": [ANN]} | {field: [BOB]}
    draft = composed(system, thread_of(system, mail("a@x")), **recipients)

    send(system, draft)

    assert not system.sent()
    assert status_of(system, draft) == ("failed", "opted_out")


def test_an_opt_out_holds_for_the_address_to_which_answers_go(system: System) -> None:
    reply_to = "Reply-To: ann.k@orchard.example"
    thread_of(system, mail("stop@x", "STOP", more=reply_to))
    draft = composed(system, thread_of(system, mail("a@x", subject="Tables", more=reply_to)))

    send(system, draft)

    assert not system.sent()
    assert status_of(system, draft) == ("failed", "opted_out")


def test_a_recipient_who_opted_in_again_gets_mail(system: System) -> None:
    thread_of(system, mail("stop@x", "STOP"))
    thread_of(system, mail("start@x", "START"))

    answered(system)

    assert len(system.sent()) == 1


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_mailbox_that_is_disabled_or_gone_sends_nothing(
    system: System, *, is_deleted: bool
) -> None:
    draft = composed(system, asked(system))
    if is_deleted:
        result(system.call("DELETE", f"/email-mailboxes/{MAILBOX}"))
    else:
        system.register(MAILBOX, enabled=False)

    send(system, draft)

    assert not system.sent()
    assert status_of(system, draft) == ("failed", "mailbox_disabled")


def test_a_throttled_send_is_retried_and_made_once(system: System) -> None:
    draft = composed(system, asked(system))
    system.sandbox.faults.add_json(
        b'{"kind": "status", "status": 429, "provider": "ses", "times": 3}'
    )

    send(system, draft)

    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("sent", None)


def test_a_send_whose_last_check_fails_is_made_later(system: System) -> None:
    draft = composed(system, asked(system))
    approve(system, draft)

    def reads_fail(name: str, parameters: dict[str, Any]) -> None:
        if name == "dynamodb.UpdateItem" and "'sending'" in str(parameters):
            system.interceptor.fails_if = lambda call: call.startswith("dynamodb.GetItem")

    system.interceptor.observer = reads_fail
    system.run_worker(*system.fifo_queues.receive()[0])
    system.interceptor.rewind()
    system.interceptor.observer = lambda name, parameters: None
    assert not system.sent()

    system.drain()

    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("sent", None)


@pytest.mark.parametrize("reason", ["safe_mode", "opted_out", "mailbox_disabled"])
def test_a_throttled_send_is_not_made_once_the_policy_refuses_it(
    system: System, reason: str
) -> None:
    draft = composed(system, asked(system), cc=[BOB])
    system.sandbox.faults.add_json(b'{"kind": "status", "status": 429, "provider": "ses"}')
    approve(system, draft)
    system.run_worker(*system.fifo_queues.receive()[0])
    assert status_of(system, draft)[0] == "sending"

    if reason == "safe_mode":
        system.switch(safe_mode="true")
    elif reason == "opted_out":
        thread_of(system, mail("stop@x", "STOP", sender=BOB))
    else:
        system.register(MAILBOX, enabled=False)
    system.drain()

    assert not system.sent()
    assert status_of(system, draft) == ("failed", reason)
    assert waiting(system) == [draft]


def test_a_send_that_never_reaches_ses_waits_for_a_person_after_the_last_attempt(
    system: System,
) -> None:
    draft = composed(system, asked(system))
    system.sandbox.faults.add_json(
        b'{"kind": "status", "status": 429, "provider": "ses", "times": 5}'
    )

    send(system, draft)

    assert status_of(system, draft) == ("failed", "not_sent")
    assert not system.fifo_queues.dead_letters
    send(system, draft)
    assert len(system.sent()) == 1


def test_a_refusal_of_ses_is_shown_with_its_code(system: System) -> None:
    system.register("support@shop.org")
    system.grant("@shop.org")
    system.deliver(mail("a@x", to="support@shop.org"), name="1", address="support@shop.org")
    system.drain()
    (thread,) = system.threads()
    draft = composed(system, f"/email-threads/{thread['conversation_id']}")

    send(system, draft)

    assert not system.sent()
    assert status_of(system, draft) == ("failed", "ses_MessageRejected")


def test_an_answer_to_an_address_that_ses_does_not_take_is_refused_and_another_one_may_be_named(
    system: System,
) -> None:
    path = thread_of(system, mail("a@x", sender="änn@orchard.example"))

    status, body = system.call("POST", f"{path}/replies", {"body_text": "Yes, it is."})
    draft = composed(system, path, to=["ann@orchard.example"])
    send(system, draft)

    assert status == 422
    assert body["error"]["details"][0]["field"] == "to"
    assert status_of(system, draft)[0] == "sent"


def test_a_thread_that_is_gone_sends_nothing(system: System) -> None:
    draft = composed(system, asked(system))
    approve(system, draft)
    (event,) = system.fifo_queues.queues[system.queue].messages
    system.fifo_queues.queues[system.queue].messages.clear()
    system.clock.ms += 31 * 86_400_000

    system.fifo_queues.queues[system.queue].messages.append(event)
    system.drain()

    assert not system.sent()
    assert not system.parked()
