"""No answer of any route or action has a field for a secret, and no input shows one in a log or an exception."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from local.console import client
from local.docs import action_reference
from shared.api import openapi
from shared.api.openapi import Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

pytestmark = pytest.mark.long  # imports all APIs and actions

NAMES_A_SECRET = re.compile(
    r"(^|_)(secrets?|tokens?|passwords?|passwd|pins?|credentials?|private_?key|api_?key|key)($|_)"
)
# Fields of answers that a name like this has, and what they hold.
HARMLESS = {
    "ApiKeyCreated.key": "the text of a new key, once: a repetition has none",
    "TokenView.token": "a new token of the help desk's webhook, once: a repetition has none",
    **dict.fromkeys(
        ("AccountView.tokens", "TokenView.tokens", "TokensView.tokens"), "how many are valid"
    ),
    "WebhookSecret.secret": "the secret of a new webhook or a further one, once: a repetition has none",
    **dict.fromkeys(("Config.appSecret", "Config.verifyToken"), "`secret name#field`, a reference"),
    "ConfigView.gatewaySecret": "the name of the field of the secret to be filled",
    "PhoneView.graphTokenSecret": "the name of an access token",
    "PushKey.key": "the public key of pushes",
    "SelfTest.secrets": "results of a test by place, without values",
    **dict.fromkeys(
        (
            *("ConversationView.key", "InboxRow.key"),
            *("NotifiedConversation.key", "OpenedConversation.key"),
        ),
        "names a conversation",
    ),
    "WebhookView.verify_token": "Meta's form asks the operator for it; it is in each handshake and signs nothing",
}
# Fields of inputs: names of tokens and words of a search, and what a form sends back to the company's own software.
INPUTS = {"graph_token_secret", "search_key", "flow_token"}
# Words of a name that say that its value is no secret.
SAYS = re.compile(
    r"(^|_)(tokens_in|tokens_out|(cached|completion|prompt|total)_tokens|reference|until|name|names|count|counts|has|active|used|id|ids|ends|at|input|output|most|limit|largest|idempotency"
    r"|keyword|keywords|s3|key_id|message|conversation|pk|public|object)(_|$)"
)


def in_words(name: str) -> str:
    """`graphTokenSecret` as `graph_token_secret`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@cache
def documents() -> dict[str, dict[str, Any]]:
    actions = [
        Operation(
            name=action.name,
            summary="",
            method="POST",
            path=f"/whatsapp/actions/{action.name}",
            scopes=action.scopes,
            input_model=action.input_model,
            result=action.result,
        )
        for action in action_reference.actions()
    ]
    found = dict(client.documents())
    return found | {"Actions": openapi.document("Parley: actions", "1", actions)}


def answered(document: dict[str, Any]) -> Iterator[str]:
    """The fields of all answers, each as `Model.field`."""
    schemas = document["components"]["schemas"]
    waiting: list[Any] = [
        entry["responses"] for methods in document["paths"].values() for entry in methods.values()
    ]
    seen: set[str] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        if not isinstance(part, dict):
            continue
        waiting += part.values()
        name = str(part.get("$ref", "")).rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            waiting.append(schemas[name])
            yield from (f"{name}.{field}" for field in schemas[name].get("properties", {}))


def is_of_a_secret(field: str) -> bool:
    words = in_words(field.rpartition(".")[2])
    return bool(NAMES_A_SECRET.search(words)) and not SAYS.search(words)


def test_no_answer_has_a_field_for_a_secret_but_those_that_are_shown_once() -> None:
    every = {field for document in documents().values() for field in answered(document)}
    assert len(every) > 1_000  # of all APIs
    assert {field for field in every if is_of_a_secret(field)} - HARMLESS.keys() == set()
    assert HARMLESS.keys() - every == set()


def inputs() -> Iterator[type[BaseModel]]:
    models = [operation.input_model for operation in client.operations()]
    models += [action.input_model for action in action_reference.actions()]
    yield from {model for model in models if model is not None}


def test_no_input_shows_a_secret_when_it_is_printed() -> None:
    printed = [
        f"{model.__name__}.{name}"
        for model in inputs()
        for name, field in model.model_fields.items()
        if is_of_a_secret(name) and field.repr and name not in INPUTS
    ]
    assert sorted(printed) == []
