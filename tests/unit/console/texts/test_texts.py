"""The catalogues of the console: every text exists in each language, and takes the same values."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from console.contacts.imports.fields import DETAILS, IDENTIFIERS
from conversations.ai.outcome import Cause
from conversations.api.inputs import RatingReason
from conversations.store.items.log import Delivery
from email_threads.parsing.body.delivery_status import BounceClass
from email_threads.store.items.replies.draft import DraftStatus
from email_threads.store.items.threads.mail import Delivery as DeliveryOfMail
from email_threads.store.items.threads.service_level import TargetName, TargetState
from newsletters.issues.pace.findings import CheckCode
from richpanel.decisions.switches import Switches
from shared.ai.files.spoken_words import FINAL
from shared.ai.spending.bounds import Kind
from shared.ai.trials.items import EndCause, Mode
from shared.identity.contacts.items import What
from shared.inbox.notifications.items import NotificationKind
from shared.inbox.notifications.webhooks.items import EventType
from shared.policy.consent.unreachable import LiftReason
from shared.policy.facts import Reason
from tests.cases import each
from tests.template import ROOT, resources
from whatsapp.actions.accounts.numbers.profiles.business_profile import Vertical
from whatsapp.worker.media.transcripts import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

SOURCES = ROOT / "console" / "src"
LANGUAGES = {
    language: {
        key: text
        for file in sorted(
            (SOURCES / "texts").rglob(f"{language}.json"), key=lambda file: file.parent
        )
        for key, text in json.loads(file.read_text("utf-8")).items()
    }
    for language in sorted({file.stem for file in (SOURCES / "texts").rglob("*.json")})
}
FILES = [
    (file.name, {*file.parents}, file.read_text("utf-8")) for file in sorted(SOURCES.rglob("*.ts*"))
]
CODE = "\n".join(text for _, _, text in FILES)
# Their last words are values of the API.
BY_VALUE = {
    *("limits", "limits.kind"),
    *("ops.audit", "ops.switches.effect", "newsletter.series.effect", "newsletter.series.done"),
    *("people.done", "contact.lift_reason"),
    *("desk.go", "desk.effect", "desk.done", "desk.compared", "desk.key", "desk.field"),
    "desk.check",
    *(
        f"mailbox.{what}.{field}"
        for what in ("mode", "set", "effect")
        for field in ("enabled", "automation", "reply_mode")
    ),
    *(f"project{what}.{name}" for what in ("", ".set", ".effect") for name in ("sends", "answers")),
    "project.new",
    *(f"domains.{name}" for name in ("identity", "purpose", "state")),
    *("knowledge.left_out", "knowledge.cause", "knowledge.into", "knowledge.accept"),
    *(
        "newsletter.looks.layout",
        "newsletter.looks.font",
        "exchange.undo",
        "voice.now",
        "voice.which",
        "newsletter.provider",
        "newsletter.series",
        "newsletter.series.run",
    ),
    "hook.alarm",
    *("catalogs.upload.problem", "ops.numbers.profile.vertical"),
    *("catalogs.availability", "catalogs.settings", "payments.method", "payments.status"),
    *(
        f"forms.{name}"
        for name in ("category", "done", "effect", "health", "status", "step", "step_of")
    ),
    *("exchange.undo", "newsletter.provider", "newsletter.series", "newsletter.series.run"),
    *("trial.ended_for", "trial.mode", "trial.then"),
    *(
        "newsletter.lists",
        "newsletter.series.unit",
        "newsletter.try.step",
        "newsletter.warm_up.reason",
    ),
    *(
        f"ops.numbers.{name}"
        for name in (
            *("automation", "health", "limit", "profile", "provider", "quality"),
            *("set", "set.conversations", "set.off"),
        )
    ),
    *(
        f"campaign.{name}"
        for name in (
            "approval",
            "audience",
            "prices",
            "prices.wrong",
            "trial",
            "trial.verdict",
            "category",
            "quality",
            "reason",
            "result",
            "status",
            "test",
        )
    ),
    *(
        f"newsletter.{name}"
        for name in (
            *("again", "check", "documents.refused", "doing", "failure", "field", "format"),
            *("generate", "issue", "issue.cancel", "issue.consent", "issue.delete", "issue.send"),
            "subjects.decided_by",
            *("issue.state", "level", "of", "option.frequency", "option.length_preference"),
            *("option.selected_types", "option.target_audience", "option.tone_preset", "pause"),
            *("reason", "recipient", "result", "review", "status", "step", "unreadable", "view"),
            *("settings", "settings.effect", "warning"),
        )
    ),
    *(
        "keys.scope",
        "keys.state",
        "webhooks.done",
        "webhooks.effect",
        "webhooks.paused_for",
        "webhooks.problem",
        "webhooks.result",
        "webhooks.state",
        "webhooks.type.contact",
        "webhooks.type.conversation",
        "webhooks.type.message",
        "webhooks.type.webhook",
        "nav",
        "transcript",
        "notifications.ended",
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
        "notifications.digest",
        "notifications.kind",
        "notifications.said",
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
        "playground.by",
        "try_ticket.channel",
        "switch",
        "exchange.consent.state",
        "newsletter.test.outcome",
        "exchange.did",
        "exchange.end",
        "exchange.ended",
        "exchange.field",
        "exchange.format",
        "exchange.stage",
        "exchange.would",
        "findings.check",
        "findings.fix",
        "findings.said",
        "findings.status",
        "people",
        "people.effect",
        "people.role",
        "setup.other",
        "setup.other_text",
        "setup.role",
        "setup.step",
        "rating.reason",
        "report.by",
        "privacy.kind",
        "privacy.name",
        "privacy.stage",
        *(
            "segment.field",
            "segment.field.consent",
            "segment.join",
            "segment.operator",
            "segment.value",
        ),
    ),
}


def test_the_console_speaks_english_german_and_arabic() -> None:
    assert set(LANGUAGES) == {"en", "de", "ar"}


def test_all_languages_have_the_same_texts_in_the_same_order() -> None:
    """But for the plural forms that English does not have."""
    for language, texts in LANGUAGES.items():
        shared = [key for key in texts if key.rpartition(".")[2] not in {"two", "few"}]
        assert shared == list(LANGUAGES["en"]), language


def _loaded_with(pages: str) -> list[str]:
    return list(json.loads((SOURCES / "texts" / pages / "en.json").read_text("utf-8")))


@each(
    ("part", "pages"),
    [
        (
            "operations",
            (
                *("operations", "reports", "campaigns", "newsletters", "contacts/exchange"),
                *("setup", "whatsapp"),
            ),
        ),
        ("setup", ("setup", "whatsapp")),
        ("reports", ("reports",)),
        ("ratings", ("conversations/ai", "reports")),
        ("notifications", ("notifications",)),
        ("segments", ("contacts/segments", "campaigns")),
        ("campaigns", ("campaigns",)),
        ("newsletters", ("newsletters", "operations/projects/knowledge")),
        ("knowledge", ("operations/projects/knowledge",)),
        ("contact", ("contacts",)),
        ("mail", ("conversations/email",)),
        ("whatsapp", ("whatsapp",)),
    ],
)
def test_texts_that_are_loaded_with_some_pages_are_used_there_only(
    part: str, pages: tuple[str, ...]
) -> None:
    homes = {SOURCES / page for page in pages}
    elsewhere = "\n".join(text for _, parents, text in FILES if homes.isdisjoint(parents))

    assert [key for key in _loaded_with(part) if f'"{key}"' in elsewhere] == [], (
        f"used by other pages too: move them from texts/{part}/ to the files in texts/"
    )


def test_each_place_that_the_search_names_is_loaded_first() -> None:
    first = json.loads((SOURCES / "texts" / "en.json").read_text("utf-8"))
    places = [key for key in LANGUAGES["en"] if key.startswith(("nav.", "ops.part."))]

    assert [key for key in places if key not in first] == [], "move them to the files in texts/"


@each("language", sorted(LANGUAGES))
def test_a_text_takes_the_same_values_in_all_languages(language: str) -> None:
    """A plural form for exactly one or two may leave out its count."""

    def values(text: str) -> list[str]:
        return sorted(re.findall(r"{\w+}", text))

    differing = [
        key
        for key, text in LANGUAGES[language].items()
        for english in (re.sub(r"\.(two|few)$", ".other", key),)
        if values(text) != values(LANGUAGES["en"][english])
        and not (key.endswith((".one", ".two")) and values(text) == [])
    ]

    assert differing == []
    assert [key for key, text in LANGUAGES[language].items() if not text.strip()] == []


@pytest.mark.long
def test_no_text_is_unused() -> None:
    def is_used(key: str) -> bool:
        stem = re.sub(r"\.(one|other)$", "", key)
        return f'"{key}"' in CODE or f'"{stem}"' in CODE or key.rpartition(".")[0] in BY_VALUE

    assert [key for key in LANGUAGES["en"] if not is_used(key)] == []


@each(
    ("prefix", "values"),
    [
        ("delivery", Delivery),
        ("delivery", DeliveryOfMail),
        ("bounce", BounceClass),
        ("draft", DraftStatus),
        ("reason", Reason),
        ("transcript", (*FINAL, UNREADABLE)),
        ("target", TargetState),
        ("facts.target", TargetName),
        ("due.in", TargetName),
        ("limits.kind", Kind),
        ("due.over", TargetName),
        ("contact.change", What),
        ("notifications.kind", NotificationKind),
        ("webhooks.type", EventType),
        ("exchange.field", (*IDENTIFIERS, *DETAILS)),
        ("reason", Cause),
        ("rating.reason", RatingReason.__value__.__args__),
        ("contact.lift_reason", LiftReason.__value__.__args__),
        ("newsletter.check", {*CheckCode.__value__.__args__} - {"warm_up"}),  # has facts of its own
        ("trial.ended_for", EndCause),
        ("trial.mode", Mode),
        ("ops.numbers.profile.vertical", Vertical.__value__.__args__),
    ],
)
def test_a_value_of_the_api_has_a_text(prefix: str, values: Iterable[str]) -> None:
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
