"""Scenarios in which models search the company's documents: from the queue of each channel, and for replies."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3

from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import Release
from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.retrieval.documents import DocumentAttributes, Documents
from shared.ai.spending import usage
from shared.aws.s3 import Bucket
from shared.events.exchange import InboundMessage
from shared.runtime import clock
from tests.simulation.conversations.memory_scenarios import tables_of
from tests.template import name_of

if TYPE_CHECKING:
    from tests.simulation.conversations.scenarios import Steps
    from tests.simulation.conversations.system import System

CHANNELS = ("whatsapp", "sms", "email")
OPENAI_SECRET_ID = "parley/local/companies/ci-aaa-001/openai"
# Refuses connections.
BOOKING = {
    "name": "book_slot",
    "description": "Books a slot.",
    "target": "http://127.0.0.1:9/book",
    "approval": True,
}
AI_CONFIG = {
    "provider": "openai",
    "openai_config": {
        channel: {"model": "gpt-made-up", "api_key_reference": OPENAI_SECRET_ID}
        for channel in CHANNELS
    },
    "functions": [BOOKING],
}


def stored_documents() -> Documents:
    """The documents of all companies, without the interceptor."""
    client = boto3.Session().client("s3", region_name="us-east-1")
    return Documents(Bucket(lambda: client, name_of("NewslettersBucket", Stage="local")))


def searched_documents(system: System, channel: str) -> None:
    """The model searches in a reply, and in the answer after an approved function; documents change in between."""
    system.reset()
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
        ref = system.begin(channel)
        system.change(ai_config=AI_CONFIG, knowledge_config={"enabled": True})
        _change_documents("The night shift begins at ten.")
        _model_says(system, _call("search_documents", query="night shift"), _answer("At ten [1]."))
        _writes(system, channel, "When does it begin?")
        _model_says(system, _call("book_slot"))
        _writes(system, channel, "Book it")
        system.clock.sleep(60)
        _change_documents("The night shift begins at eleven.")
        _model_says(system, _call("search_documents", query="night shift"), _answer("At 11 [1]."))
        _approve(system, ref, channel)
    texts = [row["content"] for row in system.log(ref) if row["author"] == "ai"]
    assert [text.partition("\n")[0] for text in texts[-3:]] == [
        _shown("At ten", channel),
        "[book_slot]",
        _shown("At 11", channel),
    ]
    for key in list(stored_documents().bucket.all_keys_under("corpus/")):
        stored_documents().bucket.delete(key)


def tried_settings(system: System) -> None:
    """An admin makes a version of the settings, tries it with a search in documents, and puts it live."""
    system.reset()
    project = {"project_id": sample_data.PROJECT}
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
        system.begin("sms")
        system.change(ai_config=AI_CONFIG, knowledge_config={"enabled": True})
        ceilings = {"month_micros": 10**9}
        usage.set_ceilings(tables_of(system)["spending"], sample_data.COMPANY, ceilings, by="kim")
        _change_documents("The night shift begins at ten.")
        body: dict[str, Any] = {"settings": {"timezone": "Europe/London"}}
        made = system.call_admin_api("POST /projects/{project_id}/versions", body, **project)
        version = {"number": str(made["number"])}
        _model_says(system, _call("search_documents", query="night shift"), _answer("At ten [1]."))
        said = [{"by": "customer", "text": "When does it begin?"}]
        body = {"version": made["number"], "channel": "sms", "messages": said}
        tried = system.call_admin_api("POST /projects/{project_id}/playground", body, **project)
        line = "POST /projects/{project_id}/sets/{set_name}"
        expects = {"says": "When does it begin?", "expect": {"contains": "at ten"}}
        body = {"scenarios": [{"name": "shift", "turns": [expects]}], "gate": True}
        system.call_admin_api(line, body, **project, set_name="shifts")
        _model_says(system, _call("search_documents", query="night shift"), _answer("At ten [1]."))
        body = {"version": made["number"]}
        system.call_admin_api(f"{line}/runs", body, **project, set_name="shifts")
        system.drain()
        line = "POST /projects/{project_id}/versions/{number}/live"
        system.call_admin_api(line, {}, **project, **version)
    assert tried["content"].startswith("At ten")
    for key in list(stored_documents().bucket.all_keys_under("corpus/")):
        stored_documents().bucket.delete(key)


def accepted_answers(system: System) -> None:
    """A question finds no passage; an admin writes its answer into a document and a fact, and keeps the question."""
    system.reset()
    project = {"project_id": sample_data.PROJECT}
    base = "POST /projects/{project_id}/knowledge"
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
        system.begin("sms")
        system.change(ai_config=AI_CONFIG, knowledge_config={"enabled": True})
        _model_says(system, _call("search_documents", query="parking"), _answer("Which site?"))
        _writes(system, "sms", "Where can I park?")
        list_line = "GET /projects/{project_id}/knowledge/suggestions"
        [found] = system.call_admin_api(list_line, {}, **project)["suggestions"]
        answer = {"questions": found["question_ids"], "title": "Parking", "text": "Park at gate 2."}
        for kind in ("document", "fact"):
            system.call_admin_api(f"{base}/acceptances", answer | {"kind": kind}, **project)
        dismissed = {"questions": found["question_ids"]}
        system.call_admin_api(f"{base}/dismissals", dismissed, **project)
        kept = {"question": "Where can I park?"}
        kept = system.call_admin_api(f"{base}/questions", kept, **project)
        result = system.call_admin_api(f"{base}/results", {}, **project)["results"][0]
        line = "DELETE /projects/{project_id}/knowledge/questions/{question_id}"
        system.call_admin_api(line, {}, **project, question_id=str(kept["question_id"]))
    assert (found["causes"], result["found"]) == ({"no_passage": 1}, True)
    for key in list(stored_documents().bucket.all_keys_under("corpus/")):
        stored_documents().bucket.delete(key)


def _change_documents(text: str) -> None:
    documents = stored_documents()
    documents.put(sample_data.COMPANY, "shifts", text, DocumentAttributes(title="Shifts"))
    documents.bucket.put(f"corpus/{sample_data.COMPANY}/_index/earlier.sqlite", b"")


def ended_trials(system: System, channel: str) -> None:
    """Trials in shadow end by the number of answers and by time; one with a share of conversations ends by time."""
    project = {"project_id": sample_data.PROJECT}

    def begin(**given: Any) -> None:
        system.reset()
        system.change(ai_config=AI_CONFIG)
        body: dict[str, Any] = {"settings": {"timezone": "Europe/London"}}
        made = system.call_admin_api("POST /projects/{project_id}/versions", body, **project)
        until = clock.to_text(system.clock.ms + 600_000)
        trial = {"version": made["number"], "until": until, **given}
        system.call_admin_api("POST /projects/{project_id}/trials", trial, **project)
        system.clock.sleep(60)
        _model_says(system, *[_answer("At ten.")] * 5)
        system.begin(channel)

    begin(mode="shadow", most_answers=1)
    _writes(system, channel, "When does it begin?")
    _writes(system, channel, "And when does it end?")
    _check_no_trial(system)
    begin(mode="shadow", most_answers=10)
    _says(system, channel, "When does it begin?")
    system.run_intake()
    system.clock.sleep(10)
    system.run_replies()
    system.clock.sleep(600)
    system.drain()
    _check_no_trial(system)
    begin(mode="share", share=100)
    system.clock.sleep(600)
    _writes(system, channel, "When does it begin?")
    _check_no_trial(system)


def _check_no_trial(system: System) -> None:
    project = system.row("company", sample_data.COMPANY, sample_data.PROJECT)
    assert project is not None
    assert "ai_trial" not in project


def _shown(text: str, channel: str) -> str:
    return f"{text}." if channel == "sms" else f"{text} [1]."


def _writes(system: System, channel: str, text: str) -> None:
    system.clock.sleep(60)
    _says(system, channel, text)
    system.drain()


def _says(system: System, channel: str, text: str) -> None:
    name = f"in-{system.clock.ms}"
    match channel:
        case "whatsapp":
            system.whatsapp(name, text)
        case "sms":
            system.text(name, text)
        case _:
            system.forward(_mail(name, text))


def _mail(name: str, text: str) -> InboundMessage:
    return InboundMessage(
        provider="ses",
        provider_message_id=f"{name}@mail.example",
        account="arn:aws:ses",
        channel_method="email",
        business_address=sample_data.EMAIL_SENDER,
        customer_address=sample_data.CANDIDATE_EMAIL,
        received_at=clock.to_text(clock.now_ms()),
        kind="text",
        text=text,
        extra={"trust": "verified"},
    )


def _approve(system: System, ref: str, channel: str) -> None:
    sk = str(system.state(ref)["waits_for_approval"])
    record = Release(ref=ref, cause="key-1", agent_id="eve", function_sk=sk)
    queue = next(name for name in system.workers if name.endswith(f"{channel}.fifo"))
    system.fifo_queues.put(queue, commands.entry(record, ref, "release", "key-1"))
    system.drain()


def _model_says(system: System, *texts: str) -> None:
    system.sandbox.openai.answers += [OpenAiAnswer(text=text) for text in texts]


def _answer(content: str, **fields: Any) -> str:
    return json.dumps({"content": content, "function_call": None, "hand_off": None, **fields})


def _call(name: str, **arguments: Any) -> str:
    return _answer("", function_call={"name": name, "arguments": json.dumps(arguments)})


DOCUMENT_SCENARIOS: tuple[Steps, ...] = (
    *(partial(searched_documents, channel=channel) for channel in CHANNELS),
    tried_settings,
    accepted_answers,
    *(partial(ended_trials, channel=channel) for channel in CHANNELS),
)
