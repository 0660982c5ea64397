"""Attacks on the operations API: changes of another company, and facts of the deployment that only operators get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from unittest.mock import patch

import pytest
from boto3.dynamodb.conditions import Key
from moto import mock_aws

from shared.api.audit_log.items import PARTITION_KEY, SORT_KEY, Change
from shared.api.auth import Caller
from shared.runtime import clock
from tests.integration.console.operations import Operations, changed, operations_on_moto
from tests.integration.isolation.attacks import (
    Answer,
    Attacker,
    Call,
    Stored,
)
from tests.integration.isolation.route_attacks import Api, Special, with_cursors
from tests.integration.isolation.route_tests import suite_of

PATH = "GET /operations/"
MOMENT_MS = clock.now_ms()
NOW = clock.to_text(MOMENT_MS)


@dataclass
class TwoCompanies:
    """Changes of company A, and always one of B."""

    system: Operations
    queries: list[str] = field(default_factory=list)
    company_a: str = "acme"
    company_b: str = "globex"
    project_a: str = "hiring"
    other_project_a: str = "sales"
    words: tuple[str, ...] = ("change_of_a",)
    ids: tuple[str, ...] = ("user:ada-of-a", "conversation-of-a")
    names: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({"principal": "user:ada-of-a", "company": "acme"})
    )

    def with_a(self) -> None:
        self.without_a()
        self.system.store(
            changed("acme", "user:ada-of-a", "change_of_a", at=NOW, object_id="conversation-of-a")
        )

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        table = self.system.audit_log
        for company in ("acme", "globex"):
            items, _position = table.query(None, Key(PARTITION_KEY).eq(Change.partition(company)))
            for item in items:
                table.delete({PARTITION_KEY: item[PARTITION_KEY], SORT_KEY: item[SORT_KEY]})
        self.system.store(changed("globex", "user:of-b", "change_of_b", at=NOW))

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        found = self.system.respond(line.removeprefix(PATH), caller, call.query)
        return Answer(found["statusCode"], found["body"])

    def stored(self) -> Stored:
        return {}  # the API writes nothing

    def operations(self) -> list[str]:
        made = list(self.queries)
        self.queries.clear()
        return made


API = Api(
    functions=("OperationsApi",),
    values={"actors": "all"},
    special={
        **{
            f"{PATH}{name}": Special(
                is_blind="it is a fact of the deployment and holds nothing of a company"
            )
            for name in ("queues", "alarms", "conservation", "cost", "switches")
        },
        f"{PATH}spending": Special(
            is_blind="it shows the company of the caller; only operators, who see all companies, name another"
        ),
    },
)


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """
    The operations API on moto, created once per module. The clock stands still: calls name the time, and those of two
    callers are compared.
    """
    with (
        mock_aws(),
        patch.object(clock, "now_ms", lambda: MOMENT_MS),
        operations_on_moto() as system,
    ):
        companies = TwoCompanies(system)
        system.module.audit_log._client.meta.events.register(
            "provide-client-params.dynamodb",
            lambda params, model, **_: companies.queries.append(f"{model.name} {params}"),
        )
        yield companies


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with with_cursors(two_companies, API) as made:
        yield made


TestRoutes = suite_of(API)
