"""Changes, lists, segments, imports and exports of contacts."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from events.whatsapp.sample_data import COMPANY
from shared.contacts import lists
from tests.simulation.console.permissions.calls import STAGE, caller_of, last_run, watched
from tests.simulation.permissions.permissions import CallObserver
from tests.template import create_table

if TYPE_CHECKING:
    from types import ModuleType


def change_contacts(system: Any, observer: CallObserver, api: ModuleType, contact: str) -> None:
    """A contact is created, extended, merged and separated, loses an identifier, and has notes, values and consent."""
    with suppress(ClientError):  # Another system in the same process may have made it.
        create_table(system.dynamodb, "ConversationLogTable", **STAGE)

    call = caller_of(system, observer, api)
    mail, number = (
        {"kind": "email", "value": "ada@example.org"},
        {"kind": "phone", "value": "+447700900166"},
    )
    other = call("POST /contacts", {"name": "Ada B", "identifiers": [mail]})["contactId"]
    call("PUT /attributes/tier", {"kind": "choice", "title": "Tier", "choices": ["gold"]})
    call(f"PATCH /contacts/{other}", {"attributes": {"tier": "gold"}, "labels": ["vip"]})
    of_other = call(f"POST /contacts/{other}/identifiers", number)["identifiers"]
    (named,) = (one for one in of_other if one["kind"] == "phone")
    merged = call(f"POST /contacts/{contact}/merge", {"contactId": other})["mergeId"]
    call(f"POST /contacts/merges/{merged}/undo")
    call(f"DELETE /contacts/{other}/identifiers/{named['identifierId']}")
    listed = f"/contacts/lists/{call('POST /contacts/lists', {'name': 'Regulars'})['listId']}"
    call(f"PATCH {listed}", {"name": "Friends"})
    call(f"POST {listed}/members", {"contactIds": [other, contact]})
    for path in ("/contacts/lists", f"{listed}/members", f"/contacts/{other}/lists"):
        call(f"GET {path}")
    call(f"DELETE {listed}/members/{other}")
    call(f"DELETE {listed}")
    job = last_run("list", listed.rsplit("/", maxsplit=1)[-1])
    watched(system, observer, "InboxApi", api, job)
    note = call(f"POST /contacts/{other}/notes", {"text": "Likes tea"})["noteId"]
    call(f"PATCH /contacts/{other}/notes/{note}", {"text": "Likes coffee"})
    call(f"DELETE /contacts/{other}/notes/{note}")
    said = {"channel": "sms", "state": "opted_out", "evidence": "said so"}
    call(f"POST /contacts/{contact}/consents", said)
    for part in ("notes", "changes", "consents", "tickets"):
        call(f"GET /contacts/{contact}/{part}")
    call("GET /attributes")
    call("DELETE /attributes/tier")


def select_contacts(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """Segments are made, counted and read; contacts are imported and exported."""
    call = caller_of(system, observer, api)
    vip = {"field": "label", "operator": "is", "value": "vip"}
    vips = call("POST /contacts/segments", {"name": "VIPs", "conditions": vip})["segmentId"]
    call("POST /contacts/segments/count", {"conditions": vip})
    call(f"PATCH /contacts/segments/{vips}", {"name": "Guests"})
    for path in ("", f"/{vips}", f"/{vips}/count", f"/{vips}/members"):
        call(f"GET /contacts/segments{path}")
    call(f"DELETE /contacts/segments/{vips}")
    form = call("POST /contacts/imports")
    rows = b"phone,name\n+447700900167,Cy\n0770,Di\n"
    system.s3.put_object(Bucket=api.exports.name, Key=form["fields"]["key"], Body=rows)
    imported = f"/contacts/imports/{form['importId']}"
    call(f"POST {imported}/preview")
    attested = {"channels": ["sms"], "source": "a form", "given_at": "2026-01-01T00:00:00Z"}
    made = lists.create(api.deps.contacts, COMPANY, "From the fair", by="test", cause="fair")
    list_id = made.sk
    wanted = {"columns": ["phone", "name"], "consent": attested, "list_id": list_id}
    call(f"POST {imported}/start", wanted)
    watched(system, observer, "InboxApi", api, last_run("import", form["importId"]))
    assert call(f"GET {imported}")["created"] == 1
    call(f"GET {imported}/rows")
    call(f"POST {imported}/undo")
    watched(system, observer, "InboxApi", api, last_run("undo", form["importId"]))
    assert call(f"GET {imported}")["undo"]["withdrawn"] == 1
    exported = call("POST /contacts/exports", {"format": "jsonl"})["exportId"]
    watched(system, observer, "InboxApi", api, last_run("export", exported))
    assert call(f"GET /contacts/exports/{exported}")["link"]
