"""Functions that can read secrets of several companies are those that SECURITY.md names."""

from __future__ import annotations

import json
import re

from tests.cases import each
from tests.roles import as_list, role_of, statements
from tests.template import ROOT, environment, properties
from tests.unit.template.access.grants import FUNCTIONS

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


def _readable(function: str, store: str, action: str, start: str) -> set[str]:
    """The kinds of the deployment's own secrets that a function may read with one action."""
    return {
        str(resource).partition(start)[2]
        for statement in statements(role_of(function), SecretStore=store)
        if action in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
        if start in str(resource)
    }


@each("function", FUNCTIONS)
def test_a_function_reads_the_same_secrets_in_either_store_and_only_where_they_are(
    function: str,
) -> None:
    managed = ("secretsmanager:GetSecretValue", ":secret:parley-dev-")
    of_parameters = ("ssm:GetParameter", ":parameter/parley/dev/secrets/")

    kinds = _readable(function, "secrets-manager", *managed)
    assert _readable(function, "parameters", *of_parameters) == kinds
    assert _readable(function, "parameters", *managed) == set()
    assert _readable(function, "secrets-manager", *of_parameters) == set()
    ids = environment(function, SecretStore="parameters").values()
    assert not any(":secret:" in value for value in ids)


if __name__ == "__main__":
    print(json.dumps({name: sorted(found) for name, found in _readers().items()}, indent=1))
