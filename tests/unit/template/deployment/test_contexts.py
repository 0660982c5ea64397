"""The parameter Contexts: what a context that is not used leaves out, and what its webhooks do."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from typing import Final

import pytest

from tests.template import ROOT, exists, file, holds, parameters, properties, resources

CONTEXTS: Final = {
    "conversations": "Conversations",
    "email-threads": "EmailThreads",
    "newsletters": "Newsletters",
    "richpanel": "Richpanel",
    "whatsapp": "WhatsApp",
}
# Functions that take what providers and clients send, and put it into a queue of their context.
INGRESS: Final = {
    "conversations": {"ConversationsAwsSms", "ConversationsRouter", "ConversationsTwilio"},
    "email-threads": set(),  # mail comes over a queue, and without its context no rule of SES stores any
    "newsletters": set(),
    "richpanel": {"RichpanelWebhook"},
    "whatsapp": {"WhatsAppPayments", "WhatsAppSocial", "WhatsAppWebhook"},
}
ALARMS_OF_WHATSAPP: Final = {
    "WebhookSlow",
    "WhatsAppCanaryFailing",
    "WhatsAppConservation",
    "WhatsAppWriteCostHigh",
}
ALARMS_OF_EMAIL: Final = {"EmailBouncing", "EmailComplaints"}


def without(*contexts: str) -> str:
    return ",".join(name for name in CONTEXTS if name not in contexts)


def refused(**given: str) -> set[str]:
    return {
        name
        for name in resources("AWS::Serverless::Function")
        if exists(name, **given)
        and properties(name, **given).get("ReservedConcurrentExecutions") == 0
    }


def alarms(**given: str) -> set[str]:
    return {name for name in resources("AWS::CloudWatch::Alarm") if exists(name, **given)}


def test_the_import_rules_hold_for_every_context() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    exhaustive = [one["containers"] for one in rules["contracts"] if one.get("exhaustive")]
    packages = {path.parent.parent.name for path in ROOT.glob("functions/*/handlers/__init__.py")}

    assert packages - set(rules["root_packages"]) == set(), "add it to root_packages"
    # `access` has one level of modules.
    assert packages - {"access", *chain(*exhaustive)} == set(), "add a contract for its layers"


def test_all_contexts_are_used_by_default() -> None:
    assert parameters({})["Contexts"] == ",".join(CONTEXTS)
    assert all(holds(f"Uses{name}") for name in CONTEXTS.values())


@pytest.mark.parametrize("context", CONTEXTS)
def test_each_context_is_left_out_by_its_own_name(context: str) -> None:
    for other, name in CONTEXTS.items():
        assert holds(f"Uses{name}", Contexts=without(context)) == (other != context)
        assert holds(f"Uses{name}", Contexts=context) == (other == context)


@pytest.mark.parametrize(
    "text", ["", "console", "whatsapp,", "whatsapp, richpanel", "WhatsApp", "whatsapp;richpanel"]
)
def test_an_unknown_name_is_refused_with_the_known_ones(text: str) -> None:
    declared = file("template.yaml")["Parameters"]["Contexts"]

    assert not re.fullmatch(declared["AllowedPattern"], text)
    rules = (declared["AllowedPattern"], declared["ConstraintDescription"])
    missing = [name for name in CONTEXTS for rule in rules if name not in rule]
    assert missing == [], "name it in pattern and description of the parameter"


@pytest.mark.parametrize("context", CONTEXTS)
def test_webhooks_of_a_context_that_is_not_used_are_refused_instead_of_being_stored(
    context: str,
) -> None:
    assert refused() == set()
    assert refused(Contexts=without(context)) == INGRESS.get(context, set()), (
        "list the webhooks of the context in INGRESS"
    )


def test_no_mail_is_received_for_a_context_that_is_not_used() -> None:
    given = {"InboundDomain": "support.example.com", "Stage": "prod"}

    assert exists("EmailReceiptRule", **given)
    assert not exists("EmailReceiptRule", Contexts=without("email-threads"), **given)
    assert not exists("EmailReceiptRules", Contexts=without("email-threads"), **given)


def test_alarms_of_a_context_that_is_not_used_do_not_exist() -> None:
    every = alarms()

    assert every - alarms(Contexts=without("whatsapp")) == ALARMS_OF_WHATSAPP
    assert every - alarms(Contexts=without("email-threads")) == set()
    assert every - alarms(Contexts=without("conversations")) == {"AgentsQueueOld"}
    neither = alarms(Contexts=without("email-threads", "conversations"))
    assert every - neither == {*ALARMS_OF_EMAIL, "AgentsQueueOld"}
    assert every - alarms(Contexts="newsletters") == {
        *ALARMS_OF_WHATSAPP,
        *ALARMS_OF_EMAIL,
        "QueuesOld",
        "AgentsQueueOld",
    }


@pytest.mark.parametrize("context", [one for one in CONTEXTS if one != "newsletters"])
def test_the_alarm_of_old_queues_reads_only_queues_that_are_used(context: str) -> None:
    metrics = properties("QueuesOld", Contexts=context)["Metrics"]
    (expression, *read) = metrics

    named = set(re.findall(r"FILL\((\w+), 0\)", expression["Expression"]))
    assert named == {metric["Id"] for metric in read}
    queues = {m["MetricStat"]["Metric"]["Dimensions"][0]["Value"] for m in read}
    assert all(queue.startswith(f"parley-dev-{context}") for queue in queues)


@pytest.mark.parametrize("contexts", [",".join(CONTEXTS), "newsletters", "whatsapp", "richpanel"])
def test_the_dashboard_names_only_alarms_that_exist(contexts: str) -> None:
    body = properties("Dashboard", Contexts=contexts)["DashboardBody"]
    named = set(re.findall(r":alarm:(\w+)", body))

    assert named == alarms(Contexts=contexts)


def test_without_whatsapp_there_is_no_canary() -> None:
    for name in ("WhatsAppCanary", "WhatsAppCanarySecret", "WhatsAppCanaryLogs"):
        assert exists(name)
        assert not exists(name, Contexts=without("whatsapp"))
