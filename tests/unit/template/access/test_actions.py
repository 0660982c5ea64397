"""The templates name actions that exist in the models of AWS's services, and no wildcards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.aws.iam_actions import NAMESPACES, OTHER_NAMES, known_actions, operations_of
from tests.cases import each
from tests.roles import as_list
from tests.template import exists, resolved, template

if TYPE_CHECKING:
    from collections.abc import Iterator


def statements() -> Iterator[dict[str, Any]]:
    """Every statement of every policy on AWS: of roles, queues, topics and buckets."""
    for name, resource in template()["Resources"].items():
        if exists(name, Stage="prod"):  # The emulator asks for names of its own.
            yield from _in(resource)


def _in(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if "Effect" in part and "Action" in part:
            yield part
        for inner in part.values():
            yield from _in(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _in(inner)


ALLOWED = sorted(
    {
        action
        for statement in statements()
        if statement["Effect"] == "Allow"
        for given in ({}, {"SecretStore": "parameters"})
        for action in as_list(resolved(statement["Action"], **given))
    }
)


@each("action", ALLOWED)
def test_an_allowed_action_exists_in_the_model_of_its_service(action: str) -> None:
    assert action in known_actions()


def test_no_statement_allows_all_actions_of_a_kind_and_refusals_are_of_whole_services() -> None:
    assert len(ALLOWED) > 60
    assert not [action for action in ALLOWED if "*" in action or "?" in action]
    refused = {
        action
        for statement in statements()
        if statement["Effect"] == "Deny"
        for action in as_list(statement["Action"])
    }
    assert refused == {"s3:*", "sqs:*", "sns:Publish"}
    assert not [one for one in statements() if one["Effect"] == "Allow" and "NotAction" in one]


@pytest.mark.parametrize(
    "wrong",
    [
        *("sqs:SendMessageBatch", "s3:HeadObject", "s3:ListObjectsV2", "dynamodb:Converse"),
        *("dynamodb:TransactWriteItems", "socialmessaging:SendWhatsAppMessage", "sqs:Send"),
    ],
)
def test_a_name_of_an_operation_that_is_no_action_is_found(wrong: str) -> None:
    assert wrong not in known_actions()


@each(("service", "operation"), sorted(OTHER_NAMES))
def test_an_exception_names_an_operation_that_exists(service: str, operation: str) -> None:
    assert service in NAMESPACES
    assert operation in operations_of(service)
