"""Steps of readers without a login: a published list, and what a browser and a mailbox see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from shared.contacts import lists
from shared.identity.contacts import resolution
from shared.identity.identifiers import IdentifierKind, identifier
from tests import keyring
from tests.simulation.newsletters.steps.issues import (
    KEYS,
    SENDER,
    Page,
    contacts_of,
    granted,
    made_list,
    mails,
    sent_by,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.identity.contacts.items import Profile
    from tests.simulation.newsletters.system import System

type Fields = Mapping[str, str | Sequence[str]]

LIST: Final = {
    "title": "Farm News",
    "description": "What is new on the farm.",
    "language": "en",
    "is_open": True,
    "has_archive": True,
    "sender": SENDER,
    "sender_name": "The Shop",
    "postal_address": "1 Mill Lane, Leeds",
}
DORA: Final = "dora@field.example"
MINUTES_20: Final = 20 * 60_000


def published(system: System, name: str = "Readers", **fields: Any) -> str:
    """A list that the public may join."""
    granted(system)
    list_id = made_list(system, name)
    path = f"/newsletters/lists/{list_id}"
    status, found = system.call("GET", path)
    version = found["result"]["version"] if status == 200 else 0
    system.act("PUT", path, {**LIST, "version": version, **fields}, key=f"publish {name} {version}")
    return list_id


def visited(
    system: System,
    path: str,
    fields: Fields | None = None,
    *,
    ip: str = "203.0.113.7",
    query: Mapping[str, str] | None = None,
    body: str | None = None,
    content_type: str = "application/x-www-form-urlencoded",
) -> Page:
    """A page below `/n`, as API Gateway calls the function; with *fields* or *body* its form is sent."""
    proxy = path.removeprefix("/n/")
    is_post = fields is not None or body is not None
    page = "u" if is_post else "n"
    event = {
        "resource": f"/{page}/{{proxy+}}",
        "path": f"/{page}/{proxy}",
        "httpMethod": "POST" if is_post else "GET",
        "pathParameters": {"proxy": proxy},
        "queryStringParameters": dict(query) if query else None,
        "headers": {"content-type": content_type, "User-Agent": "Browser/1.0"},
        "requestContext": {
            "identity": {"sourceIp": ip},
            "domainName": "api.example.org",
            "path": f"/prod/{page}/{proxy}",
        },
        "body": body if body is not None else urlencode(fields or {}, doseq=True),
    }
    answer = sent_by(system, event)
    return Page(answer["statusCode"], answer["body"], answer["headers"])


def signed_up(system: System, list_id: str, email: str = DORA, **more: Any) -> Page:
    """A person fills in the form."""
    fields = {"email": email, "first_name": "Dora", "website": "", **more.pop("fields", {})}
    return visited(system, f"/n/{COMPANY}/{list_id}/subscribe", fields, **more)


def link_in(mail: Mapping[str, Any], kind: str) -> str:
    """The path of a link in the text of a mail: `confirm`, `preferences`."""
    text = mail["Content"]["Simple"]["Body"]["Text"]["Data"]
    (found,) = re.findall(rf"https?://\S+?(/n/{kind}/\S+)", text)
    return str(found)


def confirmed(system: System, mail: Mapping[str, Any]) -> Page:
    """The reader opens the link of a sign-up's mail and presses its button."""
    path = link_in(mail, "confirm")
    assert visited(system, path).status == 200
    return visited(system, path, {"act": "save"})


def joined(system: System, list_id: str, email: str = DORA) -> None:
    """A person signs up and confirms."""
    assert signed_up(system, list_id, email).status == 202
    system.settle()
    assert confirmed(system, mails(system)[-1]).status == 200
    system.settle()


def person(system: System, email: str = DORA) -> Profile | None:
    """The contact of an address."""
    with keyring.held(KEYS):
        ids = resolution.ids_of(COMPANY, identifier(IdentifierKind.EMAIL, email))
    return resolution.current(contacts_of(system), COMPANY, ids[0])


def is_member(system: System, list_id: str, email: str = DORA) -> bool:
    """Whether the contact of an address is in a list."""
    found = person(system, email)
    if found is None:
        return False
    return bool(lists.present(contacts_of(system), COMPANY, list_id, lists.ids_of(found)))


def rows_of_readers(system: System, kind: str) -> list[dict[str, Any]]:
    """The items of readers of one kind, by the beginning of the sort key."""
    found = system.rows().items()
    return [
        row for key, row in found if key.startswith("NLSUB#") and key.split(" ")[1].startswith(kind)
    ]
