"""Numbers and tables of the examined deployment, and calls that are answered otherwise."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError

from operations.doctor.deployment import describe
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from tests.integration.operations.doctor import deployed
from tests.integration.operations.doctor.deployed import STACK, CloudFormation, keep
from whatsapp import store
from whatsapp.store.items import Phone

INBOX, PROJECTS = "WhatsAppTableName", "CompanyDataTableName"


PHONE = Phone(
    pk=Phone.key("106540352242922"),
    company="acme",
    phone="106540352242922",
    display_phone="15550783881",
    phone_arn="arn:parley:whatsapp:::phone-number-id/106540352242922",
    provider="graph",
    waba_meta_id="102290129340398",
    app_id="1029384756",
    token_ref="acme",
    proof=Proof.GRANTED,
)


def _account(**_: Any) -> tuple[AWSResponse, dict[str, Any]]:
    """The limits of an account whose quota was raised to AWS's default; moto has none."""
    limits = {"AccountLimit": {"UnreservedConcurrentExecutions": 1_000}}
    return AWSResponse("", 200, HTTPHeaders(), None), limits


# What AWS answers about each linked account; moto has none.
ACCOUNT_AT_AWS: dict[str, Any] = {}


def _linked_account(**_: Any) -> tuple[AWSResponse, dict[str, Any]]:
    return AWSResponse("", 200, HTTPHeaders(), None), {"account": ACCOUNT_AT_AWS}


def use(monkeypatch: pytest.MonkeyPatch, stack: CloudFormation) -> None:
    """Use this for CloudFormation, and moto for all other services."""
    make: Any = boto3.client

    def client(service: str, **more: Any) -> Any:
        made: Any = stack if service == "cloudformation" else make(service, **more)
        if service == "lambda":
            assert not isinstance(made, CloudFormation)
            made.meta.events.register("before-call.lambda.GetAccountSettings", _account)
        if service == "socialmessaging":
            assert not isinstance(made, CloudFormation)
            made.meta.events.register("before-call.socialmessaging", _linked_account)
        return made

    monkeypatch.setattr(boto3, "client", client)


def table(output: str) -> Table:
    return describe(STACK, "", None).table(output)


def connect() -> None:
    """Register a number with its secrets."""
    keep("whatsapp-apps", deployed.SECRETS["whatsapp-apps"] | {"apps": {"1029384756": ["x"]}})
    keep("whatsapp-access-tokens", {"acme": "x"})
    store.phones.register(table(INBOX), PHONE)


def change_answers(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[str, dict[str, Any]], None]
) -> None:
    """Pass each response of AWS to *change*, with the name of the operation."""
    sdk: Any = BaseClient  # its types have no internals
    call = sdk._make_api_call

    def changed(client: Any, operation: str, parameters: Any) -> Any:
        answer = call(client, operation, parameters)
        change(operation, answer)
        return answer

    monkeypatch.setattr(BaseClient, "_make_api_call", changed)


def deny(monkeypatch: pytest.MonkeyPatch, *operations: str) -> None:
    """Refuse operations as IAM does."""

    def refuse(operation: str, _: dict[str, Any]) -> None:
        if operation in operations:
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, operation)

    change_answers(monkeypatch, refuse)
