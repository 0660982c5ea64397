"""A day with everything that the inbox stores about one customer, and the jobs that erase or export her."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from events.whatsapp.payloads import content, media, message, text
from events.whatsapp.sample_data import ADA, COMPANY, JUERGEN
from events.whatsapp.samples import samples
from local.sandbox.accounts.media import MP4_VIDEO
from shared.privacy.jobs import get
from tests.simulation.whatsapp.event_builders import (
    EVENT_MINUTE,
    TIMELINE,
    ada_edit,
    ada_form,
    ada_message,
    ada_reaction,
    ada_revoke,
    addresses_webhook,
    call_webhook,
    echo_webhook,
    saved_contact_webhook,
    status_webhook,
    wamid,
    webhook_of,
)
from whatsapp.store.items.contacts.privacy import PrivacyJob

if TYPE_CHECKING:
    from shared.privacy.jobs import Kind
    from tests.simulation.whatsapp.system import System
    from whatsapp.store.items.contacts.privacy import PrivacyJob

WORDS = "canary-words of Ada"
LONG = f"{WORDS} " * 2_000
CAMPAIGN_PAGE = f"campaigns/{COMPANY}/c1/pages/1.json"


def day() -> list[dict[str, Any]]:
    """Ada's messages of all kinds, and changes to them."""
    photo = next(sample for sample in samples() if sample.name == "image")
    (sent,) = photo.items("messages")
    return [
        webhook_of(ada_message("first", text(WORDS))),
        webhook_of(ada_message("long", text(LONG))),
        photo.event,
        webhook_of(ada_edit("edit", "first", f"{WORDS}, corrected")),
        *_versions(sent["id"]),
        webhook_of(ada_reaction("reaction", "first", "👍")),
        webhook_of(
            ada_message(
                "sticky",
                content("reaction", {"message_id": wamid("long"), "emoji": "👍"}),
                note=LONG,
            )
        ),
        echo_webhook("reminder"),
        status_webhook(wamid("reminder"), "sent", note=LONG),
        status_webhook(wamid("reminder"), "sent", note="another report"),
        status_webhook(wamid("reminder"), "delivered", "read"),
        call_webhook("connect", "terminate"),
        addresses_webhook(1, 2),
        webhook_of(ada_form("form", "flow", {"flow_token": "t", "note": "canary-note"})),
        webhook_of(ada_message("first", text(f"{WORDS} with other content"))),  # parked: conflict
        saved_contact_webhook("add", name=WORDS),
        webhook_of(ada_message("revoked", text(WORDS))),
        webhook_of(ada_revoke("revocation", "revoked")),
        webhook_of(message(ADA, sent["id"], TIMELINE.at(EVENT_MINUTE), text(WORDS))),
    ]


def _versions(photo_id: str) -> list[dict[str, Any]]:
    """Long versions, another file, and more edits than an item holds."""
    change = {
        "original_message_id": photo_id,
        "message": media("video", MP4_VIDEO, caption=LONG),
    }
    edits = [
        ada_edit(f"e{n}", "edited", f"{WORDS}, version {n}", EVENT_MINUTE + n) for n in range(12)
    ]
    return [
        webhook_of(ada_edit("longer", "long", LONG)),
        webhook_of(ada_message("video", content("edit", change))),
        webhook_of(ada_message("edited", text(WORDS), EVENT_MINUTE - 1)),
        *(webhook_of(*edits[first : first + 6]) for first in (0, 6)),
    ]


def list_in_campaign(system: System) -> None:
    """A campaign still has to send to Ada and Jürgen."""
    people = enumerate((ADA, JUERGEN), start=1)
    rows = [{"to": f"+{one.wa_id}", "bodyParams": [one.name], "line": line} for line, one in people]
    system.s3.put_object(Bucket=system.bucket, Key=CAMPAIGN_PAGE, Body=json.dumps(rows).encode())


def start(system: System, kind: Kind) -> PrivacyJob:
    job: PrivacyJob = system.admin.privacy_jobs.start(kind, COMPANY, ADA.wa_id, by="an agent")
    return job


def finished(system: System, kind: Kind) -> PrivacyJob:
    """Run the job of this kind, and return it."""
    job_id = start(system, kind).job_id
    system.drain()
    job = get(system.table, PrivacyJob, job_id)
    assert job is not None
    assert job.state == "done"
    return job
