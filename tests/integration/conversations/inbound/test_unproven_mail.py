"""An e-mail whose author is not proven is shown, and is neither read by the model nor believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from tests.integration.conversations.inbound.test_intake import mail
from tests.integration.conversations.steps import (
    HOUR_MS,
    last_sid,
    messages_of,
    start_conversation,
    status_of,
    texts_by,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

CODE = "481516"
UNPROVEN: list[dict[str, Any]] = [{"trust": "unverified"}, {"trust": "failed"}, {}, {"trust": True}]


def prompts(system: System) -> str:
    return "\n".join(
        json.dumps(one.body) for one in system.sandbox.sent if one.provider == "openai"
    )


def forward(system: System, name: str, text: str, **fields: Any) -> None:
    system.clock.ms += HOUR_MS
    system.forward(mail(system, name, text, **fields))
    system.drain()


@pytest.mark.parametrize("extra", UNPROVEN)
def test_an_unproven_mail_is_stored_and_never_read_by_the_model(
    system: System, extra: dict[str, Any]
) -> None:
    ref = system.begin("email")
    forward(system, "m", f"The code is {CODE}.", extra=extra)
    forward(system, "n", "Which shift is it?")

    assert f"The code is {CODE}." in messages_of(system, ref)
    assert CODE not in prompts(system)
    assert "Which shift is it?" in prompts(system)
    assert not [text for text in texts_by(system, ref) if CODE in text]


def test_an_unproven_mail_gets_no_answer(system: System) -> None:
    ref = system.begin("email")
    before = len(texts_by(system, ref))
    forward(system, "m", "Which shift is it?", extra={"trust": "unverified"})

    assert len(texts_by(system, ref)) == before


def test_a_mail_that_a_person_admitted_is_read(system: System) -> None:
    ref = system.begin("email")
    forward(system, "m", "I prefer nights.", extra={"trust": "unverified", "admitted": True})

    assert "I prefer nights." in prompts(system)
    assert len(texts_by(system, ref)) == 2


@pytest.mark.parametrize("extra", [*UNPROVEN, {"trust": "unverified", "admitted": True}])
def test_an_unproven_stop_opts_nobody_out(system: System, extra: dict[str, Any]) -> None:
    ref = system.begin("email")
    forward(system, "m", "STOP", extra=extra)

    assert status_of(system, ref)[0] != "opted_out"
    again = start_conversation(system, "email", "req-2")
    assert status_of(system, again)[0] == "initial_message_sent"


def test_a_proven_stop_opts_its_author_out(system: System) -> None:
    ref = system.begin("email")
    forward(system, "m", "STOP")

    assert status_of(system, ref)[0] == "opted_out"


def test_an_unproven_start_ends_no_opt_out(system: System) -> None:
    ref = system.begin("email")
    forward(system, "m", "STOP")
    forward(system, "n", "START", extra={"trust": "unverified"})

    assert status_of(system, ref)[0] == "opted_out"


@pytest.mark.parametrize("text", ["STOP", f"The code is {CODE}."])
def test_a_mail_of_another_author_joins_no_conversation_by_the_id_that_it_names(
    system: System, text: str
) -> None:
    ref = system.begin("email")
    forward(
        system,
        "m",
        text,
        customer_address="eve@service.example",
        reply_to=last_sid(system, ref),
    )
    forward(system, "n", "Which shift is it?")

    assert text not in messages_of(system, ref)
    assert CODE not in prompts(system)
    assert status_of(system, ref)[0] != "opted_out"


def test_the_customer_may_write_the_address_in_another_case(system: System) -> None:
    ref = system.begin("email")
    address = sample_data.CANDIDATE_EMAIL.upper()
    forward(system, "m", "Hello?", customer_address=address, reply_to=last_sid(system, ref))

    assert "Hello?" in messages_of(system, ref)
