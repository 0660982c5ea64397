"""The operators' routes, with all calls that they can make."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from events.whatsapp import gateway, payloads
from events.whatsapp.sample_builder import START
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from events.whatsapp.samples import sample
from local.sandbox.accounts.media import OGG_VOICE
from shared.api.opaque_ids import seal_of
from tests.simulation.permissions.help_desk_permissions import asked
from tests.simulation.permissions.permissions import CallObserver
from tests.simulation.person_calls import ask_part, asked_for
from tests.simulation.queues.fifo import Queued
from tests.simulation.whatsapp.event_builders import ada_message, wamid, webhook_of
from tests.simulation.whatsapp.permissions.worker import LARGE
from tests.simulation.whatsapp.system import Invocation, System
from tests.simulation.whatsapp.voice_scenarios import MODEL_KEY
from tests.template import create_table
from whatsapp import store
from whatsapp.api.queries import conversation_address


def exercise_admin(system: System, observer: CallObserver) -> None:
    """Parked events and messages of both dead-letter queues, listed page by page, replayed and redriven."""
    handler = observer.watching("WhatsAppAdmin", system.admin.handler)

    def ask(line: str, status: int, body: Any = None, **query: str) -> dict[str, Any]:
        answer = handler(asked(line, body, **query), Invocation())
        assert answer["statusCode"] == status, answer["body"]
        shown: dict[str, Any] = json.loads(answer["body"])
        return shown

    system.reset()
    for name in ("unknown_phone", "malformed", "text"):
        system.deliver_until_accepted(sample(name).event)
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.PutItem MSG#")
    system.drain()
    system.interceptor.rewind()
    (entry,) = json.loads(LARGE["body"])["entry"]
    large = gateway.sns("large", START, gateway.social_message("large", START, COUNTER, entry))
    letter = json.dumps({"requestPayload": large})
    system.queue.social_letters.append(Queued("s-1", letter, "", "", system.clock.ms))
    for name, queue in (("f-1", "WhatsAppJobsQueue"), ("c-1", "WhatsAppCampaignsQueue")):
        standard = system.name_of(queue)
        dead = Queued(name, "{}", "", "", system.clock.ms, standard=standard)
        system.queue.dead_letters.append(dead)
    first = ask("GET /whatsapp/parked", 200, limit="1")["result"]["events"][0]
    ask(f"POST /whatsapp/parked/{first['eventId']}/replay", 202)
    ask(f"POST /whatsapp/parked/{'0' * 64}/replay", 404)
    ask("POST /whatsapp/parked/replay", 202)
    assert len(ask("GET /whatsapp/dead-letters", 200)["result"]["letters"]) == 4
    assert len(ask("POST /whatsapp/dead-letters/redrive", 202)["result"]["letters"]) == 4
    export_over_the_api(system, ask)
    ask_for_a_transcript(system, ask)
    answer_request(system, observer)


def ask_for_a_transcript(system: System, ask: Callable[..., dict[str, Any]]) -> None:
    """A number gets a transcriber, and a person asks for the words of a voice note."""
    system.reset()
    system.deliver_until_accepted(webhook_of(ada_message("v", payloads.media("audio", OGG_VOICE))))
    system.drain()
    transcription = {"provider": "openai", "apiKeyReference": MODEL_KEY, "automatic": False}
    setting = {"phone": COUNTER.phone, "transcription": transcription}
    ask("POST /whatsapp/transcription", 200, setting)
    ask("GET /whatsapp/transcription", 200)
    store.phones.forget()
    ask("POST /whatsapp/transcripts", 202, {"phone": COUNTER.phone, "messageId": wamid("v")})
    system.drain()


def answer_request(system: System, observer: CallObserver) -> None:
    """The calls of a request about a person over all contexts."""
    handler = observer.watching("WhatsAppAdmin", system.admin.handler)
    name = ["phone", f"+{ADA.wa_id}"]

    def ask(call: str, **fields: Any) -> Any:
        return ask_part(handler, Invocation(), call, **fields)

    assert ask("known", company=COMPANY, name=name)["names"]
    (subject,) = ask("subjects", kind="export", company=COMPANY, names=[name])
    asked_of = asked_for("export", COMPANY)
    assert ask("since", asked=asked_of, subject=subject["name"], queues=True)
    system.drain()
    assert ask("stored", job_id=subject["job_id"])["is_done"]
    assert ask("heads", references=[f"CONV#{COUNTER.phone}#{ADA.wa_id}"]) != [None]


def export_over_the_api(system: System, ask: Callable[..., dict[str, Any]]) -> None:
    """A contact with a file, by number; then again, by the key of the conversation and by number."""
    system.reset()
    create_table(system.dynamodb, "ContactsTable", Stage="local")  # what companies have set
    system.deliver_until_accepted(sample("image").event)
    system.drain()
    named = {"phoneNumber": f"+{ADA.wa_id}"}
    job = ask("POST /whatsapp/contacts/export", 202, named)["result"]
    system.drain()
    shown = ask(f"GET /whatsapp/privacy-jobs/{job['id']}", 200)["result"]
    assert shown["state"] == "done"
    assert shown["export"]["lines"]
    assert len(shown["export"]["files"]) == 1
    sealed = seal_of(system.admin.seal_secret).seal(
        f"CONV#{COUNTER.phone}#{ADA.wa_id}", bound_to=conversation_address(COMPANY)
    )
    again = ask("POST /whatsapp/contacts/export", 202, {"conversation": sealed})["result"]
    assert again["run"] == 1
    assert ask("POST /whatsapp/contacts/export", 202, named)["result"]["run"] == 2
    ask("POST /whatsapp/contacts/erase", 400, named | {"userId": "GB.1"})
    ask("POST /whatsapp/contacts/erase", 400, {"phoneNumber": "0770 090"})
    ask("POST /whatsapp/contacts/erase", 404, {"conversation": f"{sealed}x"})
    system.drain()
