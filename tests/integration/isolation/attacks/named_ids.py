"""
Attacks by naming: company B names a provider's resource of company A in a setting, in each spelling.

B must get the answer that it would get for a resource without an owner, nothing is stored, and nothing of A is said.
The table of SECURITY.md lists the settings; `tests.values.provider_ids` derives them from the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

DOMAIN, MAILBOX, SECRET = (
    "shop.example", "support@shop.example", "parley/local/companies/acme/openai",
)  # fmt: skip
OF_SECRETS = (
    SECRET,
    "parley/local/companies/globex/../acme/openai",
    "parley/local/companies/ACME/openai",
    f"arn:aws:secretsmanager:us-east-1:123456789012:secret:{SECRET}-a1b2c3",
)
BASE, FREE_BASE = "KB12345678", "KB00000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedId:
    """
    A setting that names A's resource. *line* is the call, *path* and *body* have the id where `{id}` stands.

    *spellings* are spellings of A's id, *free* is an id of this kind without an owner. *field* is named in the refusal.
    """

    setting: str
    line: str
    spellings: tuple[str, ...]
    free: str
    field: str
    body: Mapping[str, Any] | None = None

    def call(self, text: str) -> tuple[str, str, Any]:
        """Return method, path and body with an id."""
        method, path = self.line.split(" ")
        return method, path.format(id=text), _filled(self.body, text)


EMAIL_THREADS = [
    NamedId(
        setting="email_threads.address",
        line="PUT /email-mailboxes/{id}",
        spellings=(
            MAILBOX,
            "Support@SHOP.Example",
            f"new@{DOMAIN}",
            f"new@sub.{DOMAIN}",
            f"support+label@{DOMAIN}",
            "new@\uff53\uff48\uff4f\uff50.example",
        ),
        free="info@free.example",
        field="address",
        body={},
    ),
    NamedId(
        setting="email_threads.mailbox",
        line="POST /email-threads",
        spellings=(MAILBOX, "Support@SHOP.Example"),
        free="info@free.example",
        field="mailbox",
        body={"mailbox": "{id}", "to": ["bob@mill.example"], "subject": "S", "body_text": "T"},
    ),
    NamedId(
        setting="email_threads.api_key_reference",
        line="PUT /email-mailboxes/info@globex.example",
        spellings=OF_SECRETS,
        free="parley/local/companies/nobody/openai",
        field="ai.api_key_reference",
        body={"ai": {"provider": "openai", "model": "m", "api_key_reference": "{id}"}},
    ),
]
NEWSLETTERS = [
    NamedId(
        setting="newsletters.knowledge_base_id",
        line="PUT /newsletters/settings",
        spellings=(BASE, BASE.lower()),
        free=FREE_BASE,
        field="retrieval.knowledge_base_id",
        body={
            "version": 0,
            "retrieval": {"retriever": "bedrock", "knowledge_base_id": "{id}"},
        },
    ),
    NamedId(
        setting="newsletters.api_key_reference",
        line="PUT /newsletters/settings",
        spellings=OF_SECRETS,
        free="parley/local/companies/nobody/openai",
        field="ai.api_key_reference",
        body={
            "version": 0,
            "ai": {"provider": "openai", "model": "m", "api_key_reference": "{id}"},
        },
    ),
]


def spelled(attacks: list[NamedId]) -> list[Any]:
    """The attacks as parameters of a test, each in each spelling."""
    return [
        pytest.param(one, text, id=f"{one.setting} {position}")
        for one in attacks
        for position, text in enumerate(one.spellings)
    ]


def called(system: Any, attack: NamedId, text: str) -> tuple[int, Any]:
    """Company B makes the call; return status and error of the answer."""
    method, path, body = attack.call(text)
    scopes = "email_threads:write email_threads:admin newsletters:admin"
    status, answer = system.call(method, path, body, company="globex", scopes=scopes)
    return status, answer.get("error")


def check_refused(answer: tuple[int, Any], attack: NamedId) -> None:
    """Check that the refusal names the field, and nothing of A."""
    status, error = answer
    assert status == 400
    assert [one["field"] for one in error["details"]] == [attack.field]
    assert "acme" not in str(error)


def _filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, text) for name, one in value.items()}
    return text if value == "{id}" else value
