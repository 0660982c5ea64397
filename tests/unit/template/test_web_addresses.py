"""template.yaml: addresses of providers are https with a public host name; the sandbox is the local stack's only."""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

import pytest

from local.stack import deployment
from local.stack.builds import build
from tests.cases import each
from tests.template import environment, parameters, resolved, resources, template
from tests.values.web_addresses import LOOPBACK

ONE = ["GraphBaseUrl", "TwilioBaseUrl", "OpenAiBaseUrl", "ShopifyUrl"]
WITH_PATH = ["HelpDeskUrl", "ShipStationUrl", "PublicBaseUrls"]
SEVERAL = ["MediaOrigins", "ConversationMediaOrigins", "NewsletterImageOrigins", "PublicBaseUrls"]
EVERY = sorted({*ONE, *WITH_PATH, *SEVERAL})
# CloudFormation's patterns check scheme, host and characters; the functions check lengths and ports.
CLEARLY_BAD = [
    *("http://provider.example", "https://127.0.0.1", "https://127.0.0.1:4600", "https://10.0.0.1"),
    *("https://localhost", "https://localhost:8443", "https://[::1]", "https://user@provider.example"),
    *("https://provider.example#a", "https://provider.example/a b", "ftp://provider.example", "*"),
    *("https://a.example,http://b.example", "https://2130706433", "http://127.0.0.1.evil.example:80"),
]  # fmt: skip


def allows(parameter: str, value: str) -> bool:
    declared = template()["Parameters"][parameter]
    allowed = declared.get("AllowedValues")
    if allowed is not None:
        return value in map(str, allowed)
    return re.fullmatch(declared.get("AllowedPattern", "(?s).*"), value) is not None


@each("parameter", EVERY)
@each("value", [*CLEARLY_BAD, *LOOPBACK])
def test_a_deployment_with_an_address_that_is_not_public_https_is_refused(
    parameter: str, value: str
) -> None:
    assert not allows(parameter, value)


@each("parameter", EVERY)
def test_the_addresses_of_real_providers_are_accepted(parameter: str) -> None:
    assert allows(parameter, parameters({})[parameter])
    assert allows(parameter, "https://provider.example:8443")
    assert allows(parameter, "https://provider.example/v1") == (parameter in WITH_PATH)
    assert allows(parameter, "https://a.example,https://b.example") == (parameter in SEVERAL)


def test_every_parameter_that_holds_an_address_has_these_rules() -> None:
    named = {n for n in template()["Parameters"] if n.endswith(("Url", "Urls", "Origins"))}
    with_a_default = {n for n, p in parameters({}).items() if p.startswith("http")}

    assert named | with_a_default == {*EVERY, "SandboxUrl", "EmulatorUrl"}


@pytest.mark.parametrize("parameter", ["SandboxUrl", "EmulatorUrl"])
def test_addresses_of_the_local_stack_are_refused_in_other_stages(parameter: str) -> None:
    rule = template()["Rules"]["TheSandboxIsForTheLocalStack"]
    given = {parameter: "http://127.0.0.1:4600"}

    assert [resolved(rule["RuleCondition"], Stage=s) for s in ("local", "dev", "prod")] == [
        *(False, True, True)
    ]
    assert False in [resolved(a["Assert"], **given) for a in rule["Assertions"]]
    assert all(resolved(a["Assert"]) for a in rule["Assertions"])
    assert not allows(parameter, "http://10.0.0.1:4600")


def test_the_sandbox_replaces_every_provider() -> None:
    sandbox = "http://127.0.0.1:4600"
    real = {default for name, default in parameters({}).items() if name in EVERY and default}

    for function in resources("AWS::Serverless::Function"):
        given = environment(function, Stage="local", SandboxUrl=sandbox)
        assert not real & set(given.values()), function


def test_the_template_allows_the_parameters_of_the_local_stack(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands: list[list[str]] = []

    def follow(given: dict[str, list[str]], _: Any) -> None:
        commands.extend(given.values())

    monkeypatch.setattr(deployment, "follow", follow)
    monkeypatch.setattr(deployment, "_describe", lambda *_: None)
    monkeypatch.setattr(deployment, "_client", mock.Mock())
    monkeypatch.setattr(build, "sam_command", lambda *words: list(words))
    deployment.deploy("http://127.0.0.1:4566", "http://127.0.0.1:4600", "127.0.0.1:4700")

    (command,) = commands
    words = command[command.index("--parameter-overrides") + 1 :]
    given = dict(word.split("=", 1) for word in words)
    for name, quoted in given.items():
        text = quoted[1:-1].replace('\\"', '"')
        assert allows(name, text), name
