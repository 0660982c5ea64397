"""Someone who signs mails with the address of another contact is suggested to people, and never joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.console.contacts.test_contact_changes import created, send
from tests.integration.console.contacts.test_contact_merges import merged
from tests.integration.console.contacts.test_contacts_api import ACME, WHATSAPP_ONLY
from tests.integration.console.feeds.test_email_feed import fed, inbox, mails, thread_of
from tests.integration.email_threads.inbox import MAILBOX

if TYPE_CHECKING:
    from tests.integration.console.system import Fed, InboxSystem
    from tests.integration.email_threads.inbox import Inbox

__all__ = ["fed", "inbox", "mails"]
HOME, WORK, BEN = "ann@home.example", "a.byrne@orchard.example", "ben@quay.example"
QUOTED = f"\n\nOn Mon, 2 Nov 2026 at 11:00, Ben <{BEN}> wrote:\n> Hello\n> --\n> {BEN}"
SIGNED = f"The chair is broken.\n\n-- \nAnn Byrne | Orchard\nT 0161 496 0000\n{WORK.title()}"


def contact(inbox: InboxSystem, q: str) -> str:
    (found,) = inbox.get(ACME, "/contacts", q=q).result["contacts"]
    return str(found["contactId"])


def suggested(inbox: InboxSystem, q: str) -> list[str]:
    answer = inbox.get(ACME, f"/contacts/{contact(inbox, q)}/suggestions")
    handles = [one["handles"] + one["identifiers"] for one in answer.result["contacts"]]
    return sorted(str(each[0].get("handle") or each[0]["value"]) for each in handles)


def take(mails: Inbox, fed: Fed, **sent: str) -> None:
    """Receive a mail of each person; *sent* are the bodies by name."""
    senders = {"home": HOME, "work": WORK, "ben": BEN}
    for name, body in sent.items():
        mails.receive(f"{name}@x", sender=senders[name], subject=name, body=body)
    fed.take()


@pytest.mark.parametrize("order", [("home", "work"), ("work", "home")])
def test_both_contacts_suggest_each_other_in_any_order_and_stay_two(
    mails: Inbox, inbox: InboxSystem, fed: Fed, order: tuple[str, str]
) -> None:
    bodies = {"home": SIGNED + QUOTED, "work": "Hello.", "ben": "Hello."}
    for name in (*order, "ben"):
        take(mails, fed, **{name: bodies[name]})

    assert suggested(inbox, HOME) == [WORK]
    assert suggested(inbox, WORK) == [HOME]
    assert suggested(inbox, BEN) == []
    assert contact(inbox, HOME) != contact(inbox, WORK)


@pytest.mark.parametrize(
    ("body", "is_signature"),
    [
        (SIGNED, True),
        (f"Broken.\n\nBest regards,\nAnn Byrne\n<mailto:{WORK}>", True),
        (f"Defekt.\n\nMit freundlichen Grüßen\nAnn Byrne\n{WORK}\n", True),
        (f"Please write to {WORK} about it.", False),
        (f"Broken.{QUOTED}\n> {WORK}", False),
        (
            f"---------- Forwarded message ---------\nFrom: Ben <{BEN}>\n\nHello.\n-- \n{WORK}",
            False,
        ),
        (
            f"Broken.\n\nOn Mon, 2 Nov 2026 at 11:00, Ben <{BEN}> wrote:\n\nHello.\n\n-- \n{WORK}",
            False,
        ),
    ],
)
def test_only_what_a_sender_signs_with_is_a_signature(
    mails: Inbox, inbox: InboxSystem, fed: Fed, body: str, *, is_signature: bool
) -> None:
    take(mails, fed, home=body, work="Hello.")

    assert suggested(inbox, WORK) == ([HOME] if is_signature else [])
    assert suggested(inbox, HOME) == ([WORK] if is_signature else [])


def test_a_sender_who_is_not_verified_and_the_address_of_the_company_suggest_nobody_else(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    take(mails, fed, work="Hello.", home=f"Hello.\n\n-- \n{MAILBOX}\n{HOME}")
    mails.receive("forged@x", sender=HOME, subject="F", body=SIGNED, dmarc="fail")
    mails.receive("plain@x", sender=HOME, subject="P", body=SIGNED, verified=False)
    mails.receive("proof@x", sender=HOME, subject="P", body="Hello.", in_reply_to="plain@x")
    fed.take()

    assert suggested(inbox, WORK) == []
    assert not any("signed" in item for item in mails.items())


def test_an_address_that_people_have_named_is_suggested_too(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    created(inbox, "A. Byrne", identifiers=[{"kind": "email", "value": WORK}])
    take(mails, fed, home=SIGNED)

    assert (suggested(inbox, HOME), suggested(inbox, WORK)) == ([WORK], [HOME])


def test_who_may_not_read_the_mails_sees_no_suggestion_of_them(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    created(inbox, "A. Byrne", identifiers=[{"kind": "email", "value": WORK}])
    take(mails, fed, home=SIGNED)
    work = contact(inbox, WORK)

    answer = inbox.get(WHATSAPP_ONLY, f"/contacts/{work}/suggestions")

    assert answer.result["contacts"] == []


def test_people_who_are_merged_or_separated_are_not_suggested_again(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    take(mails, fed, home=SIGNED, work="Hello.")
    home, work = contact(inbox, HOME), contact(inbox, WORK)
    merge = merged(inbox, home, work).result["mergeId"]
    assert suggested(inbox, HOME) == []

    send(inbox, f"POST /contacts/merges/{merge}/undo")

    assert (suggested(inbox, HOME), suggested(inbox, WORK)) == ([], [])


def test_a_signature_is_written_once_as_one_token_and_stores_no_address(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    def stored() -> list[str]:
        table = inbox.tables.contacts
        return [str(item) for item in table._client.scan(TableName=table.name)["Items"]]

    take(mails, fed, home="Hello.")
    before = len(stored())
    mails.receive("b@x", sender=HOME, in_reply_to="home@x", body=SIGNED)
    fed.take()
    assert len(stored()) == before + 1

    inbox.tables.contacts.forget_consumption()
    mails.receive("c@x", sender=HOME, in_reply_to="home@x", body=SIGNED)
    fed.take()

    assert inbox.tables.contacts.consumed_write_units == 0
    assert not any("orchard" in item.casefold() for item in stored())
    assert WORK not in str(inbox.entries())


def test_a_signature_with_many_addresses_keeps_two(
    mails: Inbox, inbox: InboxSystem, fed: Fed
) -> None:
    many = "\n".join(f"desk{n}@orchard.example" for n in range(12))
    take(mails, fed, home=f"Hello.\n\n-- \n{many}")

    (mail,) = mails.mails(thread_of("home@x"))
    assert mail.signed == ["desk0@orchard.example", "desk1@orchard.example"]
