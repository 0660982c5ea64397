"""Functions that can read secrets of several companies are those that SECURITY.md names."""

from __future__ import annotations

import json
import re

from tests.roles import as_list, role_of, statements
from tests.template import ROOT, properties
from tests.unit.template.grants import FUNCTIONS

# Secrets with values of several companies: what an ARN in a grant contains, and the name in SECURITY.md.
OF_SEVERAL_COMPANIES = {
    "parley/dev/companies/*": "`parley/<stage>/companies/*`",
    "WhatsAppAccessTokens": "WhatsApp access tokens",
    "WhatsAppAppSecrets": "secrets of Meta apps and payment gateways",
    "TwilioWebhookSecret": "Twilio's tokens that prove webhooks",
}
# Those with one value for the deployment, or of the one help desk.
OF_THE_DEPLOYMENT = {
    "ApiSealSecret",
    "IdentifierKeysSecret",
    "RichpanelKeys",
    "RichpanelWebhookSecret",
    "WhatsAppCanarySecret",
}


def _secrets_of(function: str) -> set[str]:
    """The secrets that a function's role may read, by their entry above."""
    granted = [
        resource
        for statement in statements(role_of(function))
        if "secretsmanager:GetSecretValue" in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
    ]
    known = {properties(name)["Name"]: name for name in _named()}
    return {_entry(str(resource), known) for resource in granted}


def _named() -> set[str]:
    return {name for name in {*OF_SEVERAL_COMPANIES, *OF_THE_DEPLOYMENT} if "/" not in name}


def _entry(resource: str, known: dict[str, str]) -> str:
    name = resource.rpartition(":secret:")[2]
    return name if name in OF_SEVERAL_COMPANIES else known[name]


def _readers() -> dict[str, set[str]]:
    readers: dict[str, set[str]] = {shown: set() for shown in OF_SEVERAL_COMPANIES.values()}
    for function in FUNCTIONS:
        for secret in _secrets_of(function):
            if secret in OF_SEVERAL_COMPANIES:
                readers[OF_SEVERAL_COMPANIES[secret]].add(function)
    return readers


def test_security_names_every_function_that_can_read_secrets_of_several_companies() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| ((?:`\w+`(?:, )?)+) \|", text, re.MULTILINE)
    named = {secret.strip(): set(re.findall(r"`(\w+)`", functions)) for secret, functions in rows}

    wanted = _readers()
    assert {secret: named.get(secret) for secret in wanted} == wanted


def test_no_role_reads_secrets_by_a_wildcard_but_that_of_the_companies() -> None:
    wild = [
        resource
        for function in FUNCTIONS
        for resource in _secrets_of(function)
        if "*" in resource and resource not in OF_SEVERAL_COMPANIES
    ]
    assert wild == []


if __name__ == "__main__":
    print(json.dumps({name: sorted(found) for name, found in _readers().items()}, indent=1))
