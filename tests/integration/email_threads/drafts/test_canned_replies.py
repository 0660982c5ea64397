"""Canned replies of the WhatsApp inbox as texts of answers by mail."""

from __future__ import annotations

from typing import Any

import pytest

from shared.aws.dynamodb import Table
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import asked, shown
from tests.simulation.email_threads.system import COMPANY, System
from whatsapp import store
from whatsapp.store.items.sending.canned_replies import CannedReply

READY = "Hello {{name}}, your {{thing}} is ready."


def save(system: System, name: str, text: str, company: str = COMPANY) -> None:
    """The WhatsApp inbox stores a canned reply."""
    reply = CannedReply(
        pk=CannedReply.key(company, name),
        company=company,
        name=name,
        text=text,
        updated_at="2026-01-01T12:00:00.000Z",
        updated_by="user:zoe",
    )
    store.canned_replies.put(Table(system.dynamodb, system.tables["canned"]), reply)


def test_a_canned_reply_of_the_whatsapp_inbox_is_the_text_of_an_answer(system: System) -> None:
    save(system, "ready", READY)
    path = asked(system)
    chosen = {"name": "ready", "variables": {"name": "{{thing}}", "thing": "chair"}}

    made = result(system.call("POST", f"{path}/replies", {"canned_reply": chosen}))

    draft = shown(system, f"{path}/replies/{made['reply_id']}")
    assert draft["body_text"] == "Hello {{thing}}, your chair is ready."


def test_a_call_that_was_cut_off_is_repeated_after_the_canned_reply_is_gone(
    system: System,
) -> None:
    save(system, "ready", "Ready.")
    path, body = asked(system), {"canned_reply": {"name": "ready"}}
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.Transact")
    assert system.call("POST", f"{path}/replies", body, key="the-same-key")[0] >= 500
    system.interceptor.rewind()
    store.canned_replies.remove(Table(system.dynamodb, system.tables["canned"]), COMPANY, "ready")

    made = result(system.call("POST", f"{path}/replies", body, key="the-same-key"))

    (draft,) = system.drafts()
    assert (draft["reply_id"], draft["body_text"]) == (made["reply_id"], "Ready.")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"canned_reply": {"name": "none"}}, "canned_reply.name"),
        ({"canned_reply": {"name": "of-globex"}}, "canned_reply.name"),
        ({"canned_reply": {"name": "ready"}}, "canned_reply.variables"),
        (
            {"canned_reply": {"name": "ready", "variables": {"name": "a\x00", "thing": "b"}}},
            "canned_reply",
        ),
        ({"canned_reply": {"name": "ready"}, "body_text": "Yes."}, "body"),
        ({}, "body"),
    ],
)
def test_an_answer_without_one_complete_text_is_refused_by_its_field(
    system: System, given: dict[str, Any], field: str
) -> None:
    save(system, "ready", READY)
    save(system, "of-globex", "Hello.", company="globex")

    answer = system.call("POST", f"{asked(system)}/replies", given)

    assert refused(answer) == (400, "invalid_input", [field])
    assert system.drafts() == []
