"""
Templates: applies webhook reports of status, category, quality and components to both providers' cached templates.

Each of these moves forward in the provider's time, independently of the others, so any order and repetition of events
gives the same items. (Meta, "Webhooks reference": message_template_status_update and three related fields.)
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from whatsapp.configuration.resources import Resources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import Account
from whatsapp.recovery import parking
from whatsapp.worker.updates.moments import Moment, moment_of
from whatsapp.worker.updates.templates import caches, words
from whatsapp.worker.updates.templates.caches import LARGEST_COMPONENTS_BYTES, Report
from whatsapp.worker.updates.templates.words import LONGEST_WORD, Groups

# Both become parts of keys.
_NAME = re.compile(r"[a-z0-9_]{1,512}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,2}")
_TEXTS = {
    "HEADER": "message_template_title",
    "BODY": "message_template_element",
    "FOOTER": "message_template_footer",
}
_BUTTON = "message_template_button_"


def update(resources: Resources, event: Event, account: Account) -> Outcome:
    """Update the template in every cache, then store the event. Events of another shape are only stored."""
    report = _parse(event)
    if report is not None and report.groups:
        caches.update_meta(resources, report, account)
        for aws_waba in sorted({phone.aws_waba for phone in account.phones if phone.aws_waba}):
            caches.update_eum(resources, report, account, aws_waba)
    return parking.keep(resources, event, account)


def _parse(event: Event) -> Report | None:
    """Parse an event; None if it does not identify a template."""
    payload = event.payload or {}
    name, language = (payload.get(f"message_template_{part}") for part in ("name", "language"))
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        return None
    if not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
        return None
    template_id = payload.get("message_template_id")
    moment = moment_of(event)
    read = _READERS.get(event.field)
    return Report(
        name,
        language,
        str(template_id)[:LONGEST_WORD] if isinstance(template_id, int | str) else None,
        moment,
        read(payload, moment) if read else {},
    )


def _components(payload: Mapping[str, Any], moment: Moment) -> Groups:
    """Return the components in the shape that both providers list and accept."""
    components: list[dict[str, Any]] = []
    for kind, field in _TEXTS.items():
        if isinstance(text := payload.get(field), str) and text:
            header_format = {"format": "TEXT"} if kind == "HEADER" else {}
            components.append({"type": kind, **header_format, "text": text})
    reported_buttons = payload.get("message_template_buttons")
    buttons = [
        {
            part: button[_BUTTON + part]
            for part in ("type", "text", "url", "phone_number")
            if isinstance(button.get(_BUTTON + part), str)
        }
        for button in (reported_buttons if isinstance(reported_buttons, list) else [])
        if isinstance(button, dict)
    ]
    if buttons:
        components.append({"type": "BUTTONS", "buttons": buttons})
    if not components or len(json.dumps(components).encode()) > LARGEST_COMPONENTS_BYTES:
        return {}
    return {
        "components": {
            "components": components,
            "components_object": None,
            "components_at": moment.at,
        }
    }


_READERS = {
    "message_template_status_update": words.of_status,
    "message_template_quality_update": words.of_quality,
    "message_template_components_update": _components,
    "template_category_update": words.of_category,
}
