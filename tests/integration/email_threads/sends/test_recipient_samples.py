"""Samples of mails with Reply-To, copies and contact forms of many programs, and where the answer to each goes."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.integration.email_threads.api.thread_calls import refused, thread_of
from tests.integration.email_threads.drafting import composed, shown
from tests.simulation.email_threads.system import ANN, AUTOMATED, BOB, MAILBOX, System, mail

HOME: Final = "ann.home@home.example"
ZOE: Final = "zoe@quarry.example"
FORM: Final = {"sender": MAILBOX}

type Row = tuple[dict[str, Any], list[str], list[str]]

# Fields of the mail; To and Cc of the draft of its answer.
ANSWERS: Final[dict[str, Row]] = {
    "a name": ({"more": f"Reply-To: Ann Orchard <{HOME}>"}, [HOME], []),
    "an encoded name": ({"more": f"Reply-To: =?utf-8?q?J=C3=BCrgen?= <{HOME}>"}, [HOME], []),
    "a comma in the name": ({"more": f'Reply-To: "Orchard, Ann" <{HOME}>'}, [HOME], []),
    "capital letters": ({"more": f"REPLY-TO: {HOME.upper()}"}, [HOME], []),
    "a folded field": ({"more": f"Reply-To: Ann\n <{HOME}>"}, [HOME], []),
    "two addresses": ({"more": f"Reply-To: {HOME}, {ZOE}"}, [HOME], []),
    "two fields": ({"more": f"Reply-To: {HOME}\nReply-To: {ZOE}"}, [HOME], []),
    "another script": (
        {"more": "Reply-To: a@b\u00fccher.example"},
        ["a@xn--bcher-kva.example"],
        [],
    ),
    "the sender": ({"more": f"Reply-To: {ANN}"}, [ANN], []),
    "no address": ({"more": "Reply-To: please call me"}, [ANN], []),
    "an empty field": ({"more": "Reply-To:"}, [ANN], []),
    "our mailbox": ({"more": f"Reply-To: {MAILBOX}"}, [ANN], []),
    "our mailbox with a label": ({"more": "Reply-To: support+x@shop.example"}, [ANN], []),
    "a robot": ({"more": "Reply-To: do-not-reply@home.example"}, [ANN], []),
    "a shop system": (
        {"sender": "Shop <mailer@shopsystem.example>", "more": f"Reply-To: Ann <{ANN}>"},
        [ANN],
        [],
    ),
    "a robot that writes for a person": (
        {"sender": "noreply@forms.example", "more": f"Reply-To: {ANN}"},
        [ANN],
        [],
    ),
    "copies by name": (
        {"more": f"Cc: Bob Mill <{BOB.upper()}>,\n =?utf-8?q?Z=C3=B6e?= <{ZOE}>"},
        [ANN],
        [BOB, ZOE],
    ),
    "copies twice": ({"more": f"Cc: {BOB}, {BOB.upper()}, {ANN}"}, [ANN], [BOB]),
    "copies to us": (
        {"more": f"Cc: {MAILBOX}, support+a@shop.example, {AUTOMATED}, {BOB}"},
        [ANN],
        [BOB],
    ),
    "copies to lists": (
        {
            "more": "Cc: a@lists.orchard.example, users-list@x.example, b@groups.io, owner-dev@x.example"
        },
        [ANN],
        [],
    ),
    "copies to programs": (
        {"more": f"Cc: all-bounces@x.example, noreply@x.example, {BOB}"},
        [ANN],
        [BOB],
    ),
    "undisclosed recipients": ({"more": "Cc: undisclosed-recipients:;"}, [ANN], []),
    "copies that are none": ({"more": f"Cc: no address, @x, <>, {BOB}"}, [ANN], [BOB]),
    "copies that no provider takes": (
        {"more": f"Cc: j\u00fcrgen@x.example, {'a' * 65}@x.example, {BOB}"},
        [ANN],
        [BOB],
    ),
    "a copy to the Reply-To": ({"more": f"Cc: {BOB}, {HOME}\nReply-To: {HOME}"}, [HOME], [BOB]),
    "a form": ({"sender": f"Shop <{MAILBOX}>", "more": f"Reply-To: Ann <{ANN}>"}, [ANN], []),
    "a form with a label": (
        {"sender": "support+form@shop.example", "more": f"Reply-To: {ANN}"},
        [ANN],
        [],
    ),
    "a form of another mailbox": ({"sender": AUTOMATED, "more": f"Reply-To: {ANN}"}, [ANN], []),
    "a form that names us first": (FORM | {"more": f"Reply-To: {MAILBOX}, {ANN}"}, [ANN], []),
    "a form to the owner as well": (
        FORM | {"to": f"{MAILBOX}, owner@home.example", "more": f"Reply-To: {ANN}"},
        [ANN],
        [],
    ),
    "a form with a copy": (FORM | {"more": f"Reply-To: {ANN}\nCc: {BOB}"}, [ANN], [BOB]),
    "a form marked as automatic": (
        FORM | {"more": f"Reply-To: {ANN}\nAuto-Submitted: auto-generated"},
        [ANN],
        [],
    ),
    "a form of the web server": (
        {"sender": "wordpress@shop.example", "more": f"Reply-To: {ANN}"},
        [ANN],
        [],
    ),
    "a form of our robot": (
        {"sender": "noreply@shop.example", "more": f"Reply-To: {ANN}"},
        [ANN],
        [],
    ),
}
AUTOMATIC: Final = {"the sender", "no address", "an empty field", "a robot"} | {
    name for name in ANSWERS if name.startswith(("copies", "undisclosed"))
}
# Mails of colleagues, which are our answers.
COLLEAGUES: Final[dict[str, dict[str, Any]]] = {
    "an answer with a private Reply-To": {
        "to": f"{ANN}, {MAILBOX}",
        "more": f"Reply-To: {BOB}",
        "in_reply_to": "z@x",
    },
    "an answer with a copy to us": {"to": ANN, "more": f"Cc: {MAILBOX}\nReply-To: {BOB}"},
    "an answer to the Reply-To of a colleague": {"to": ANN, "more": "Reply-To: zoe@shop.example"},
}


@pytest.mark.long
def test_an_answer_goes_to_the_person_who_asked_and_their_copies(system: System) -> None:
    start = system.snapshot()
    for name, (fields, to, cc) in ANSWERS.items():
        system.restore(start)
        path = thread_of(system, mail("a@x", "Is it red?", **fields))
        draft = shown(system, composed(system, path))
        (stored,) = system.mails()

        assert (stored["direction"], draft["to"], draft["cc"]) == ("inbound", to, cc), name
        assert system.threads()[0]["status"] == "active", name
        # Without a person only the proven sender is answered.
        is_automatic = stored.get("automatic_refusal") is None
        assert is_automatic is (name in AUTOMATIC), name
        assert set(draft["unknown_recipients"]) == {*to, *cc} - set(
            system.threads()[0]["participants"]
        ), name


def test_what_a_colleague_writes_stays_our_answer(system: System) -> None:
    start = system.snapshot()
    for name, fields in COLLEAGUES.items():
        system.restore(start)
        thread_of(system, mail("a@x", "It is red.", sender=MAILBOX, **fields))
        (stored,) = system.mails()

        assert stored["direction"] == "outbound", name


def test_an_address_that_no_provider_takes_gets_no_draft_until_a_person_names_another(
    system: System,
) -> None:
    path = thread_of(system, mail("a@x", "Is it red?", sender="j\u00fcrgen@orchard.example"))

    refusal = refused(system.call("POST", f"{path}/replies", {"body_text": "Yes."}))

    assert refusal == (422, "invalid_input", ["to"])
    assert system.drafts() == []
    assert shown(system, composed(system, path, to=[ANN]))["to"] == [ANN]
