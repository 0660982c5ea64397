"""Attacks on the operations API: changes of another company, and facts of the deployment that only operators get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

import pytest
from moto import mock_aws

from shared.api.auth import Caller, Scope
from tests.integration.console.operations import Operations, change_line, operations_on_moto
from tests.integration.isolation.attacks import (
    Answer,
    Attack,
    Attacker,
    Call,
    Stored,
    of_document,
)
from tests.integration.isolation.route_tests import suite_of

OF_THE_DEPLOYMENT = (Scope.OPERATOR,)
AUDIT = (Scope.AUDIT_READ, Scope.OPERATOR)
PATH = "GET /operations/"


@dataclass
class TwoCompanies:
    """Changes of company A, and always one of B."""

    system: Operations
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
        line = change_line("acme", "user:ada-of-a", "change_of_a", conversation="conversation-of-a")
        self.system.logs.lines.append(line)

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        self.system.logs.lines[:] = [change_line("globex", "user:of-b", "change_of_b")]

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        found = self.system.respond(line.removeprefix(PATH), caller, call.query)
        return Answer(found["statusCode"], found["body"])

    def stored(self) -> Stored:
        return {}  # the API writes nothing

    def operations(self) -> list[str]:
        made = [str(query["queryString"]) for query in self.system.logs.started]
        self.system.logs.started.clear()
        return made


def of_actions(names: str, **query: str) -> Attack:
    """The audit log, with A's names in the query."""
    return Attack(
        line=f"{PATH}actions",
        names=names,
        scopes=AUDIT,
        has_no_projects=True,
        call=lambda a: Call(query={name: value.format(**a) for name, value in query.items()}),
    )


def of_deployment(name: str) -> Attack:
    """A fact of the deployment, which belongs to no company."""
    return Attack(
        line=f"{PATH}{name}",
        names="nothing",
        scopes=OF_THE_DEPLOYMENT,
        call=lambda _: Call(),
        is_blind="it is a fact of the deployment and holds nothing of a company",
    )


ATTACKS = [
    of_actions("nothing"),
    of_actions("all actors", actors="all"),
    of_actions("the caller", principal="{principal}"),
    of_actions("the company", company="{company}"),
    *map(of_deployment, ("queues", "alarms", "conservation", "cost", "switches")),
    Attack(
        line=f"{PATH}spending",
        names="nothing",
        scopes=OF_THE_DEPLOYMENT,
        call=lambda _: Call(),
        is_blind="it shows the company of the caller; only operators, who see all companies, name another",
    ),
    of_document(f"{PATH}openapi.json", *AUDIT),
]


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The operations API on moto, created once per module."""
    with mock_aws(), operations_on_moto() as system:
        yield TwoCompanies(system)


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)
