"""
The ticket trick, and its relatives: a third party's mail joins a customer's thread, and its text must reach neither the
model nor the customer.
"""

from __future__ import annotations

import json
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any

import pytest

from email_threads.configuration.resources import token_secrets
from email_threads.store.items import ReplyMode
from email_threads.threading.evidence import reply_tokens
from tests.integration.email_threads import desk
from tests.integration.email_threads.drafting import text_of
from tests.simulation.email_threads.mails import verified
from tests.simulation.email_threads.system import ANN, ASSISTED, AUTOMATED, BOB, COMPANY, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

CODE = "481516"
SERVICE = "tickets@service.example"
ZOE = "zoe@orchard.example"  # a colleague of Ann by her domain
CODE_MAIL = f"Hello,\n\nto open the ticket at Service type these digits:\n\n{CODE}\n\nThe team"
# A third party's text that is no verification mail by its form.
NOTE = f"The door of the store room opens with {CODE} on weekdays, says our janitor."


@pytest.fixture(autouse=True)
def _sends_safe_answers(system: System) -> None:
    desk.set_up(system, reply_mode=ReplyMode.AUTO, link_hosts=["shop.example"])


def token_of(system: System, mailbox: str = ASSISTED) -> str:
    """The address to which answers of the only thread go."""
    thread = desk.thread(system)["conversation_id"]
    return reply_tokens.address(mailbox, COMPANY, thread, token_secrets()[0])


def deliver(system: System, raw: bytes, name: str, address: str = ASSISTED) -> None:
    system.clock.ms += 1_000
    system.deliver(raw, name=name, address=address)
    system.drain()


def third_party(
    system: System, body: str = NOTE, *, name: str = "t@x", to: str | None = None, **more: Any
) -> None:
    """A mail of the third party arrives, by default to the reply address of the thread."""
    given = {"sender": SERVICE, "subject": "Your ticket", **more}
    deliver(system, mail(name, body, to=to or token_of(system), **given), name)


def customer_asks(system: System, name: str = "c@x", **more: Any) -> None:
    """Ann asks for the code; the model says it, as if it knew."""
    desk.answers(system, desk.answer(f"The code is {CODE}."))
    desk.receive(system, name, "Which code did you get for me?", in_reply_to="a@x", **more)


def prompts(system: System) -> str:
    """All that the model has read."""
    return "\n".join(
        json.dumps(one.body, ensure_ascii=False)
        for one in system.sandbox.sent
        if one.provider == "openai"
    )


def third_partys(system: System, name: str = "t@x") -> dict[str, Any]:
    (found,) = [one for one in system.mails() if one["message_id"] == name]
    return found


def assert_kept_back(system: System, *, secret: str = CODE) -> None:
    """Neither the model nor a mail of ours, nor anything derived has the code."""
    assert secret not in prompts(system)
    assert not [one for one in system.sent() if secret in json.dumps(one)]
    thread = next(one for one in system.threads() if one["email_count"] > 1)
    assert secret not in json.dumps(thread.get("ai_analysis", {}), default=str)
    assert secret not in json.dumps(thread.get("requirements", {}), default=str)


@pytest.mark.parametrize("body", [CODE_MAIL, NOTE, f"Your code is {CODE}"])
def test_a_code_that_joins_by_the_token_is_neither_read_nor_sent_on(
    system: System, body: str
) -> None:
    desk.receive(system, "a@x")
    third_party(system, body)
    customer_asks(system)

    assert_kept_back(system)
    assert desk.states(system)[-1] == ("pending", "withheld_text")
    stored = third_partys(system)
    assert (stored["joined_by"], stored["evidence"]) == ("token", "weak")
    assert (stored["evidence_reason"], stored["is_by_participant"]) == ("not_a_participant", False)


def test_an_answer_without_the_code_is_sent_as_before(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system)
    desk.receive(system, "c@x", "How long does it take?", in_reply_to="a@x")

    assert len(system.sent()) == 2


def test_a_mail_with_weak_evidence_changes_nothing_in_its_thread(system: System) -> None:
    desk.receive(system, "a@x")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}"
    assert system.call("PATCH", path, {"status": "completed"})[0] == 200
    before, asked = desk.thread(system), desk.asked(system)
    third_party(system, "STOP")

    after = desk.thread(system)
    same = (
        "status",
        "participants",
        "last_inbound_n",
        "ai_analysis",
        "sentiment_scores",
        "requirements",
    )
    assert {name: after.get(name) for name in same} == {name: before.get(name) for name in same}
    assert after.get("waiting_since") == before.get("waiting_since")
    assert (desk.asked(system), system.consent()) == (asked, [])
    assert [int(n) for n in after["withheld_mails"]] == [3]


def test_its_author_becomes_no_participant_however_often_they_write(system: System) -> None:
    desk.receive(system, "a@x")
    for number in range(3):
        third_party(system, name=f"t{number}@x", in_reply_to="a@x")

    assert SERVICE not in desk.thread(system)["participants"]
    assert {one["evidence"] for one in system.mails() if one["from"] == SERVICE} == {"weak"}


def test_a_redelivery_of_it_changes_nothing_either(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system, references="unknown@x")
    before = system.rows()
    system.notify(third_partys(system)["raw_key"])
    system.drain()

    assert system.rows() == before


def test_people_see_it_with_its_mark(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system)
    path = f"/email-threads/{desk.thread(system)['conversation_id']}"

    shown = system.call("GET", f"{path}/emails/3")[1]["result"]
    assert (shown["body"], shown["evidence"], shown["may_be_admitted"]) == (NOTE, "weak", True)
    assert system.call("GET", path)[1]["result"]["withheld_mails"] == [3]
    listed = system.call("GET", "/email-threads", query={"participant": SERVICE})[1]["result"]
    assert [one["email_count"] for one in listed["threads"]] == [3]


def test_no_answer_and_no_forward_of_it_can_be_written(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system)
    path = f"/email-threads/{desk.thread(system)['conversation_id']}/replies"

    for kind in ("reply", "forward"):
        given = {"body_text": "x", "n": 3, "kind": kind, "to": [ANN]}
        status, body = system.call("POST", path, given)
        assert (status, body["error"]["details"][0]["field"]) == (400, "n")


@pytest.mark.parametrize("sender", [ZOE, "ann@orchard-mail.example", "ann+x@orchard.example"])
def test_the_same_by_in_reply_to_only(system: System, sender: str) -> None:
    desk.receive(system, "a@x")
    third_party(system, to=ASSISTED, sender=sender, in_reply_to="a@x")
    customer_asks(system)

    assert not [one for one in system.sent() if CODE in json.dumps(one)]
    if sender == "ann@orchard-mail.example":  # of another domain: a thread of its own
        assert len(system.threads()) == 2
    else:
        assert CODE not in prompts(system)
        assert third_partys(system)["joined_by"] == "reference"


def test_the_same_in_the_customers_name_without_proof(system: System) -> None:
    desk.receive(system, "a@x")
    deliver(system, mail("t@x", NOTE, to=ASSISTED, in_reply_to="a@x", is_checked=False), "t")
    customer_asks(system)

    assert_kept_back(system)
    assert third_partys(system)["evidence_reason"] == "not_authenticated"


def test_the_same_by_the_subject_of_a_participant(system: System) -> None:
    desk.receive(system, "a@x")
    deliver(system, mail("t@x", NOTE, to=ASSISTED, subject="Re: Chairs", is_checked=False), "t")
    customer_asks(system)

    assert_kept_back(system)
    assert third_partys(system)["joined_by"] == "participant"


def test_the_answer_of_a_third_party_in_copy_is_left_out(system: System) -> None:
    desk.receive(system, "a@x", more=f"Cc: {SERVICE}")
    third_party(system, in_reply_to="a@x", more=f"Cc: {ANN}")
    customer_asks(system)

    assert_kept_back(system)


@pytest.mark.parametrize(
    "quoted",
    [
        "\n\nOn Mon, 2 Nov 2026 at 12:00, Service <tickets@service.example> wrote:\n"
        + "\n".join(f"> {line}" for line in CODE_MAIL.split("\n")),
        # Without an attribution, and with other line breaks.
        "\n\n> Hello, to open the ticket at\n> Service type these digits: " + CODE + "\n> The team",
        # Between the quotes, so that all of the text counts as new.
        f"\n\n> to open the ticket at Service type these digits:\n\nReally?\n\n> {CODE}\n\nYes.\n",
    ],
    ids=["quoted", "wrapped", "between"],
)
def test_what_a_participant_quotes_of_it_is_not_known_text(system: System, quoted: str) -> None:
    desk.receive(system, "a@x")
    third_party(system, CODE_MAIL)
    desk.receive(system, "b@x", f"What is this?{quoted}", in_reply_to="a@x")
    customer_asks(system)

    assert_kept_back(system)


def test_a_forward_by_a_participant_is_cut_too(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system, CODE_MAIL)
    forwarded = f"---------- Forwarded message ----------\nFrom: Service\n\n{CODE_MAIL}"
    desk.receive(system, "b@x", forwarded, in_reply_to="a@x", subject=f"Fwd: {CODE} is your code")
    customer_asks(system)

    assert_kept_back(system)


def test_the_customers_own_words_stay_known(system: System) -> None:
    desk.receive(system, "a@x", "My order is 778899. I want ten chairs.")
    third_party(system, f"{NOTE}\n\n> My order is 778899. I want ten chairs.")
    desk.answers(system, desk.answer("Your order 778899 is on its way."))
    desk.receive(system, "c@x", "Where is my order?", in_reply_to="a@x")

    assert "778899" in text_of(system.sent()[-1])
    assert "My order is 778899" in prompts(system)


def multipart(html: str, text: str = "Please use a mail program that shows HTML.") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = SERVICE, "Hello", "<t@x>"
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    return message


def test_a_code_in_the_html_only_is_kept_back(system: System) -> None:
    desk.receive(system, "a@x")
    message = multipart(f"<p>Your code for the ticket</p><h1>{CODE}</h1>")
    message["To"] = token_of(system)
    deliver(system, verified_as(bytes(message)), "t")
    desk.receive(system, "b@x", f"So what?\n\n> {CODE}\n\nTell me.", in_reply_to="a@x")
    customer_asks(system)

    assert_kept_back(system)


def test_a_code_in_the_subject_only_is_kept_back(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system, "See above.", subject=f"{CODE} opens the door")
    customer_asks(system, subject=f"Re: {CODE} opens the door")

    assert_kept_back(system)


def test_a_code_in_the_name_of_a_file_only_is_kept_back(system: System) -> None:
    desk.receive(system, "a@x")
    message = multipart("<p>See the file, please read it.</p>")
    message["To"] = token_of(system)
    message.add_attachment(b"%PDF-1.7", "application", "pdf", filename=f"door-{CODE}.pdf")
    deliver(system, verified_as(bytes(message)), "t")
    customer_asks(system)

    assert_kept_back(system)


def verified_as(raw: bytes, sender: str = SERVICE) -> bytes:
    """The mail with SES's block for this sender on top."""
    return verified(raw).replace(b"orchard.example", sender.rpartition("@")[2].encode(), 3)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("\uff14\uff18\uff11\uff15\uff11\uff16", CODE),
        (CODE, "\u0664\u0668\u0661\u0665\u0661\u0666"),
        (CODE, "481 516"),
        ("481-516", CODE),
        (CODE, "4 8 1 5 1 6"),
        ("4\u200b8\u200b1\u200b5\u200b1\u200b6", CODE),
        ("X7K2-9QPL", "x7k29qpl"),
        ("KXWQPL", "KXWQPL"),
    ],
)
def test_a_code_in_other_digits_and_groups_is_the_same(
    system: System, written: str, said: str
) -> None:
    desk.receive(system, "a@x")
    more = "Content-Type: text/plain; charset=utf-8"
    third_party(system, f"The door opens with {written} and 10 more.", more=more)
    desk.answers(system, desk.answer(f"It is {said}."))
    desk.receive(system, "c@x", "Which one is it?", in_reply_to="a@x")

    assert desk.states(system)[-1] == ("pending", "withheld_text")


def test_a_link_with_a_token_is_not_sent_on(system: System) -> None:
    desk.receive(system, "a@x")
    third_party(system, "Open https://shop.example/login/Zq81mPk2 now.")
    desk.answers(system, desk.answer("Open https://shop.example/login/Zq81mPk2 please."))
    desk.receive(system, "c@x", "What should I open?", in_reply_to="a@x")

    assert desk.states(system)[-1] == ("pending", "withheld_text")


@pytest.mark.parametrize("sender", [ANN, "no-reply@service.example"])
def test_a_verification_mail_is_held_also_of_a_participant(system: System, sender: str) -> None:
    deliver(system, mail("a@x", sender=sender, to=ASSISTED), "a")
    asked, sent = desk.asked(system), len(system.sent())
    deliver(
        system,
        mail("t@x", f"Your verification code is {CODE}", sender=sender, to=ASSISTED, in_reply_to="a@x"),
        "t",
    )  # fmt: skip

    stored = third_partys(system)
    assert (stored["kind"], stored["hold_reason"]) == ("held", "verification")
    assert (desk.asked(system), len(system.sent())) == (asked, sent)


def test_a_verification_mail_of_a_participant_is_no_known_text(system: System) -> None:
    desk.receive(system, "a@x")
    desk.receive(system, "t@x", f"Your verification code is {CODE}", subject="Your code")
    customer_asks(system)

    assert third_partys(system)["hold_reason"] == "verification"
    assert CODE not in prompts(system)
    assert not [one for one in system.sent() if CODE in json.dumps(one)]


def test_a_mail_with_weak_evidence_is_not_forwarded_to_the_ai_conversations(
    system: System,
) -> None:
    deliver(system, mail("a@x", to=AUTOMATED), "a", AUTOMATED)
    to = token_of(system, AUTOMATED)
    deliver(system, mail("t@x", NOTE, sender=SERVICE, to=to), "t", AUTOMATED)
    deliver(system, mail("u@x", NOTE, to=AUTOMATED, in_reply_to="a@x", is_checked=False), "u", AUTOMATED)  # fmt: skip

    assert [one["extra"]["message_id"] for one in system.forwarded()] == ["a@x"]
    assert len(system.mails()) == 3


def test_a_mail_of_a_verified_participant_counts_however_it_joined(system: System) -> None:
    desk.receive(system, "a@x")
    deliver(system, mail("b@x", to=token_of(system)), "b")
    desk.receive(system, "c@x", in_reply_to="a@x")

    joined = [(one["joined_by"], one["is_by_participant"]) for one in system.mails()
              if one["message_id"] in {"b@x", "c@x"}]  # fmt: skip
    assert joined == [("token", True), ("reference", True)]
    assert desk.asked(system) == 3


def test_a_person_to_whom_we_wrote_is_a_participant(system: System) -> None:
    desk.receive(system, "a@x")
    path = f"/email-threads/{desk.thread(system)['conversation_id']}/replies"
    given = {"body_text": "Bob, please help.", "cc": [BOB]}
    assert system.call("POST", path, given)[0] == 201
    draft = next(one for one in system.drafts() if one["origin"] == "key-1")
    desk.approve(system, draft, confirm_stale=True)
    deliver(system, mail("b@x", "I do.", sender=BOB, to=token_of(system)), "b")

    assert third_partys(system, "b@x").get("evidence") is None
