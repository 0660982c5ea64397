"""The catalogues of the console: every text exists in each language, and takes the same values."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from enum import StrEnum

from conversations.store.items.log import Delivery
from email_threads.parsing.body.delivery_status import BounceClass
from email_threads.store.items.draft import DraftStatus
from email_threads.store.items.mail import Delivery as DeliveryOfMail
from email_threads.store.items.service_level import TargetName, TargetState
from richpanel.decisions.switches import Switches
from shared.identity.contacts.items import What
from shared.policy.facts import Reason
from tests.cases import each
from tests.template import ROOT, resources

SOURCES = ROOT / "console" / "src"
LANGUAGES = {
    language: {
        key: text
        for file in sorted((SOURCES / "texts").rglob(f"{language}.json"))
        for key, text in json.loads(file.read_text("utf-8")).items()
    }
    for language in sorted({file.stem for file in (SOURCES / "texts").rglob("*.json")})
}
CODE = "\n".join(file.read_text("utf-8") for file in sorted(SOURCES.rglob("*.ts*")))
# Their last words are values of the API.
BY_VALUE = {
    *(
        "nav",
        "inbox.status",
        "channel",
        "media",
        "type",
        "mark",
        "delivery",
        "draft",
        "status",
        "error",
    ),
    *("change.status", "reason", "call.state", "unknown.decision", "unknown.outcome", "verdict"),
    *("author", "review", "mail.held", "mail.evidence", "change_outcome", "draft.field", "bounce"),
    *("ops.part", "ops.period", "ops.actors", "context", "alarm", "parked", "outcome", "variant"),
    *(
        "keys",
        "live",
        "notify",
        "inbox.due",
        "views.preset",
        "bulk.action",
        "bulk.snooze",
        "bulk.outcome",
        "due.in",
        "due.over",
        "facts.target",
        "target",
        "macro.failed",
        "contact.change",
        "contact.example",
        "contact.field",
        "contact.kind",
        "contact.state",
        "priority",
        "parked.advice",
        "switch",
        "privacy.kind",
        "privacy.name",
        "privacy.stage",
    ),
}


def test_the_console_speaks_english_and_german() -> None:
    assert set(LANGUAGES) == {"en", "de"}


def test_both_languages_have_the_same_texts_in_the_same_order() -> None:
    assert list(LANGUAGES["en"]) == list(LANGUAGES["de"])


@each("key", json.loads((SOURCES / "texts" / "operations" / "en.json").read_text("utf-8")))
def test_texts_that_are_loaded_with_the_pages_of_operations_are_used_there_only(key: str) -> None:
    used = [
        file.name
        for file in SOURCES.rglob("*.ts*")
        if SOURCES / "operations" not in file.parents and f'"{key}"' in file.read_text("utf-8")
    ]

    assert used == []


@each("key", LANGUAGES["en"])
def test_a_text_takes_the_same_values_in_both_languages(key: str) -> None:
    english, german = (LANGUAGES[name][key] for name in ("en", "de"))

    assert english.strip()
    assert german.strip()
    assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", german))


@each("key", LANGUAGES["en"])
def test_no_text_is_unused(key: str) -> None:
    stem = re.sub(r"\.(one|other)$", "", key)

    assert f'"{key}"' in CODE or f'"{stem}"' in CODE or key.rpartition(".")[0] in BY_VALUE


@each(
    ("prefix", "values"),
    [
        ("delivery", Delivery),
        ("delivery", DeliveryOfMail),
        ("bounce", BounceClass),
        ("draft", DraftStatus),
        ("reason", Reason),
        ("target", TargetState),
        ("facts.target", TargetName),
        ("due.in", TargetName),
        ("due.over", TargetName),
        ("contact.change", What),
    ],
)
def test_a_value_of_the_api_has_a_text(prefix: str, values: type[StrEnum]) -> None:
    """Else its English name is shown in every language."""
    assert {f"{prefix}.{value}" for value in values} <= LANGUAGES["de"].keys()


def test_each_alarm_of_the_deployment_has_a_text() -> None:
    texts = json.loads((SOURCES / "operations" / "overview" / "alarms.json").read_text("utf-8"))

    alarms = set(resources("AWS::CloudWatch::Alarm"))
    assert {language: set(known) for language, known in texts.items()} == dict.fromkeys(
        LANGUAGES, alarms
    )


def test_no_page_builds_markup_from_text() -> None:
    """A customer's text is shown as text: the pages have no way to turn it into elements, styles or code."""
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function"
        r"|srcdoc|javascript:",
        CODE,
    )


def test_every_switch_of_the_help_desk_says_what_it_does() -> None:
    explained = {
        key.removeprefix("switch.") for key in LANGUAGES["en"] if key.startswith("switch.")
    }

    assert explained == {field.name for field in fields(Switches)}
