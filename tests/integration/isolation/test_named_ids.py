"""Company B names a provider's resource of company A in every setting that can name one, in each spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.ai.project_checks.secrets import foreign_secrets
from conversations.configuration import ownership, projects
from conversations.configuration.ownership import Claims, NotOwned
from conversations.store.items.conversation import ChannelMethod
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from tests import template
from tests.integration.isolation.attacks import named_ids
from tests.simulation import stored
from tests.simulation.email_threads.system import System
from tests.simulation.kernel import running
from tests.values import provider_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.isolation.attacks.named_ids import NamedId

A, B = "acme", "globex"
HEX = "0123456789abcdef" * 2
ACCOUNT_OF_TWILIO = "AC" + "5a0d" * 8
AWS_NUMBER = f"phone-number-id-{HEX}"
A_PROJECT: dict[str, dict[str, Any]] = {
    "whatsapp": {
        "provider": "aws_social",
        "company_whatsapp_number": "+5511987654321",
        "phone_number_id": AWS_NUMBER,
        "account": "102290129340398",
    },
    "sms": {
        "provider": "twilio",
        "company_sms_number": "+447700900123",
        "account": ACCOUNT_OF_TWILIO,
        "sms_credentials_id": f"parley/local/companies/{A}/twilio",
    },
    "email": {"company_email": f"jobs@{named_ids.DOMAIN}", "configuration_set": "of-acme"},
}
B_PROJECT: dict[str, dict[str, Any]] = {
    "whatsapp": {
        "provider": "aws_social",
        "company_whatsapp_number": "+12025550162",
        "phone_number_id": f"phone-number-id-{HEX[::-1]}",
        "account": "202290129340398",
    },
    "sms": {
        "provider": "twilio",
        "company_sms_number": "+12025550161",
        "account": "AC" + "7c2f" * 8,
        "sms_credentials_id": f"parley/local/companies/{B}/twilio",
    },
    "email": {"company_email": "jobs@globex.example"},
}
SECRETS = named_ids.OF_SECRETS
# Setting of a project, channel, attribute, and A's value in each spelling.
IN_PROJECTS: list[tuple[str, str, str, list[Any]]] = [
    (
        "conversations.company_whatsapp_number",
        "whatsapp",
        "company_whatsapp_number",
        ["+5511987654321", "+551187654321", "+447700900123"],
    ),
    (
        "conversations.phone_number_id",
        "whatsapp",
        "phone_number_id",
        [
            AWS_NUMBER,
            f"arn:aws:social-messaging:us-east-1:123456789012:phone-number-id/{HEX}",
            AWS_NUMBER.upper(),
        ],
    ),
    (
        "conversations.company_sms_number",
        "sms",
        "company_sms_number",
        ["+447700900123", "+5511987654321", "+551187654321"],
    ),
    ("conversations.senders", "sms", "senders", [{"GB": "+447700900123"}]),
    ("conversations.account", "sms", "account", [ACCOUNT_OF_TWILIO]),
    (
        "conversations.company_email",
        "email",
        "company_email",
        [
            f"jobs@{named_ids.DOMAIN}",
            f"Jobs@{named_ids.DOMAIN.upper()}",
            f"other@sub.{named_ids.DOMAIN}",
            f"jobs+label@{named_ids.DOMAIN}",
            f"jobs@{named_ids.DOMAIN}.",
        ],
    ),
    ("conversations.configuration_set", "email", "configuration_set", ["of-acme"]),
    ("conversations.sms_credentials_id", "sms", "sms_credentials_id", list(SECRETS)),
    (
        "conversations.whatsapp_credentials_id",
        "whatsapp",
        "whatsapp_credentials_id",
        [*SECRETS, A, f"{A}/shop"],
    ),
]
# Elsewhere in a project: setting, and the part of the project that names A's resource.
IN_PARTS: list[tuple[str, dict[str, Any]]] = [
    (
        "conversations.knowledge_base_id",
        {
            "knowledge_config": {
                "enabled": True,
                "retriever": "bedrock",
                "knowledge_base_id": named_ids.BASE,
            }
        },
    ),
    *(
        (
            "conversations.api_key_reference",
            {
                "ai_config": {
                    "provider": "openai",
                    "openai_config": {
                        channel: {"model": "m", "api_key_reference": secret}
                        for channel in B_PROJECT
                    },
                }
            },
        )
        for secret in SECRETS
    ),
    *(
        (
            "conversations.secret_reference",
            {
                "ai_config": {
                    "provider": "scripted",
                    "functions": [
                        {
                            "name": "book",
                            "description": "books",
                            "target": "https://example.com/book",
                            "secret_reference": secret,
                        }
                    ],
                }
            },
        )
        for secret in SECRETS
    ),
]
# Settings that name something within a resource that B has to own: the provider refuses what is not in it.
WITHIN = {
    "conversations.messaging_service_sid": "Twilio refuses a service outside the sending account",
    "conversations.content_sid": "Twilio refuses a template outside the sending account",
    "conversations.email_credentials_id": "no code reads it: the role authorises sends",
}
# Contexts whose settings are attacked here.
CONTEXTS = ("conversations.", "email_threads.", "newsletters.")


def test_every_setting_that_names_a_providers_resource_is_attacked() -> None:
    writable = {
        name
        for name in provider_ids.named() - provider_ids.WITHOUT_OWNER.keys()
        if name.startswith(CONTEXTS)
    }
    attacked = {
        *(one.setting for one in (*named_ids.EMAIL_THREADS, *named_ids.NEWSLETTERS)),
        *(setting for setting, *_ in (*IN_PROJECTS, *IN_PARTS)),
    }

    assert attacked | WITHIN.keys() == writable
    assert not attacked & WITHIN.keys()


@pytest.fixture(scope="module")
def mails() -> Iterator[System]:
    with running(System) as system:
        yield system


@pytest.mark.parametrize(("attack", "text"), named_ids.spelled(named_ids.EMAIL_THREADS))
def test_a_setting_of_mail_names_nothing_of_another_company(
    mails: System, attack: NamedId, text: str
) -> None:
    mails.reset()
    mails.grant(f"@{B}.example", B)
    before, owners = mails.rows(), list(stored.items_of(mails.log))

    answer = named_ids.called(mails, attack, text)

    assert answer == named_ids.called(mails, attack, attack.free)
    named_ids.check_refused(answer, attack)
    assert mails.rows() == before
    assert list(stored.items_of(mails.log)) == owners


# Projects: the operator's command, and each use of an item that other software has written


def project(company_id: str, channels: dict[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    given = {"company_id": company_id, "project_id": "p", "channel_config": channels}
    return given | {
        "allowed_channels": list(channels),
        "ai_config": {"provider": "scripted"},
        **more,
    }


@pytest.fixture
def log(mails: System) -> Table:
    """A conversation log with A's project, domain and knowledge base."""
    mails.reset()
    table = Table(mails.dynamodb, mails.log)
    ownership.claim(table, projects.parse(project(A, A_PROJECT)))
    granted = claims.new(A, Proof.GRANTED)
    claims.claim(table, ids.knowledge_base(named_ids.BASE), granted)
    return table


def refusal(log: Table, item: dict[str, Any]) -> str:
    """The refusal of `operations projects put`."""
    company = projects.parse(item)
    for attribute, rule in foreign_secrets(company):
        return f"{attribute}: {rule}"
    try:
        ownership.claim(log, company)
    except NotOwned as fault:
        return f"{fault.attribute}: {fault.rule}"
    pytest.fail("the project was accepted")


@pytest.mark.parametrize(
    ("channel", "attribute", "value"),
    [(channel, name, one) for _, channel, name, values in IN_PROJECTS for one in values],
)
def test_a_project_names_nothing_of_another_company(
    log: Table, channel: str, attribute: str, value: Any
) -> None:
    before = {name: of for name, of in claims.holders(log, _names(log)).items() if of == B}
    changed = {name: dict(facts) for name, facts in B_PROJECT.items()}
    changed[channel][attribute] = value
    if attribute == "whatsapp_credentials_id":
        changed[channel] |= {"provider": "twilio" if "parley" in value else "meta"}

    said = refusal(log, project(B, changed))

    assert said.startswith(f"channel_config.{channel}.{attribute}")
    assert A not in said
    assert {name: of for name, of in claims.holders(log, _names(log)).items() if of == B} == before


@pytest.mark.parametrize("part", [part for _, part in IN_PARTS])
def test_no_part_of_a_project_names_anything_of_another_company(
    log: Table, part: dict[str, Any]
) -> None:
    said = refusal(log, project(B, B_PROJECT, **part))

    assert A not in said
    assert "must be named" in said or "another company has claimed it" in said


@pytest.mark.parametrize(
    ("channel", "attribute", "value"),
    [
        (channel, name, one)
        for _, channel, name, values in IN_PROJECTS
        for one in values
        if "credentials" not in name and name != "senders"
    ],
)
def test_a_project_that_was_written_without_the_command_uses_nothing_of_another_company(
    log: Table, channel: str, attribute: str, value: Any
) -> None:
    ownership.claim(log, projects.parse(project(B, B_PROJECT)))
    changed = {name: dict(facts) for name, facts in B_PROJECT.items()}
    changed[channel][attribute] = value
    company = projects.parse(project(B, changed))
    method = ChannelMethod(channel)

    with pytest.raises(NotOwned) as refused:
        Claims(log).require(company, method, company.channel(method).address)

    assert refused.value.attribute == f"channel_config.{channel}.{attribute}"
    assert A not in f"{refused.value.attribute} {refused.value.rule}"


def _names(log: Table) -> set[ids.ProviderId]:
    assert log.name == template.properties("ConversationLogTable", Stage="local")["TableName"]
    both = (project(A, A_PROJECT), project(B, B_PROJECT))
    return {name for item in both for name in ownership.names_of(projects.parse(item))}
