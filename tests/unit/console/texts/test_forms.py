"""Each form of the console shows what the API refuses beside the field that it is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.unit.console.typescript import SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator

# A tag with its attributes, in which braces may contain others.
BRACES: Final = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
TAG: Final = r"<{name}\b((?:[^>{{]|{braces})*)>"
# Fields whose value no call sends, or whose refusal the form shows in another way.
PART: Final = "a part of `components`, which the API names as a whole: beside the text"
JSON: Final = "the notice has the places in it, in its own words"
OTHERWISE: Final = {
    "campaigns/CampaignForm.tsx": {"{id}": "required by the form"},
    "campaigns/templates/TemplateForm.tsx": dict.fromkeys(
        ("header", "footer", "{`example ${name}`}", "{`reply ${at}`}"), PART
    ),
    "contacts/person/Identifiers.tsx": {"kind": "a choice"},
    "contacts/exchange/ImportWizard.tsx": {"file": "the table of rows shows what is wrong in it"},
    "conversations/email/SignatureForm.tsx": {
        "{`by_mailbox.${address}`}": "below them, as the API does not name the address"
    },
    "conversations/whatsapp/composer/CannedReplies.tsx": {"{name}": "filled in by the page"},
    "operations/records/Privacy.tsx": {"subject": "a choice; the refusal is of its value"},
    "operations/projects/Playground.tsx": {"files": "a part of `messages`: beside the text"},
    "operations/projects/Projects.tsx": {"project": "a choice", "json": JSON},
    "operations/versions/Sets.tsx": {
        "name": "the form has its rule",
        "scenarios": JSON,
        "version": "a choice",
    },
    "reports/outcomes/Outcomes.tsx": {"{text}": "a choice"},
    "whatsapp/forms/RoutingForm.tsx": {"": "of a row: the notice above the form names it"},
    "setup/steps/TeamStep.tsx": dict.fromkeys(
        ("teams", "email", "roles"), "each refused address has its reason below"
    ),
}


def fields() -> Iterator[tuple[str, str, str]]:
    """File, name and tag of every field."""
    for file in sorted(SOURCES.rglob("*.tsx")):
        for tag in re.findall(TAG.format(name="Field", braces=BRACES), file.read_text("utf-8")):
            name = re.search(rf'\bname=("[^"]*"|{BRACES})', tag)
            if name:
                yield str(file.relative_to(SOURCES)), name[1].strip('"'), tag


def test_every_field_shows_what_the_api_refuses_of_it_unless_the_form_does_so_otherwise() -> None:
    without = {(file, name) for file, name, tag in fields() if "error=" not in tag}

    assert without == {(file, name) for file, names in OTHERWISE.items() for name in names}
    assert len(list(fields())) > 100
