"""What the audit log shows of a request: ids of objects, and no parameter that could be personal data."""

from __future__ import annotations

import re

from shared.api.routing.routes import OBJECT_IDS
from tests.template import ROOT
from whatsapp.actions.dispatch.execution import OBJECTS

# Path parameters of changes that are not shown, and why.
NOT_SHOWN = {
    "address": "a mailbox",
    "key": "a sealed address of a customer, which an erasure would not reach; or a section of a newsletter",
    "identifier_id": "an identifier of the contact that comes before it",
    "kind": "a word",
    "n": "a mail of the thread that comes before it",
    "name": "a text of the company",
    "action": "the change itself",
    "domain": "a text of the company",
    "context": "a part of the path in the documentation",
    "reply_id": "a draft of the thread that comes before it",
    "set_name": "a text of the company",
    "question_id": "a suggestion of the project that comes before it",
    "trial_id": "a trial of the project that comes before it",
    "requester": "a thread that asks to join the one that comes before it",
    "step": "a word",
    "token": "a link of a customer, which names its thread sealed",
    "verb": "a word",
}


def test_every_path_parameter_of_a_change_is_known_to_be_shown_or_not() -> None:
    lines = re.findall(r"(?:POST|PUT|PATCH|DELETE) (/[^ `|]+)", (ROOT / "docs/api.md").read_text())
    found = {
        name for line in lines if "webhooks" not in line for name in re.findall(r"{(\w+)}", line)
    }

    assert found >= {"ref", "conversation_id", "ticket_id", "event_id"}
    assert found - OBJECT_IDS - NOT_SHOWN.keys() == set()


def test_parameters_of_actions_that_are_shown_are_ids_without_personal_data() -> None:
    personal = re.compile(r"phone|address|email|name|message|contact|user|to$|recipient|group")

    assert [name for name in OBJECTS if personal.search(name)] == []
