"""What happens to mail in the crash matrix: the system before it, and the deliveries that are disturbed."""

from __future__ import annotations

from dataclasses import dataclass

from tests.simulation.email_threads import people
from tests.simulation.email_threads.mails import SENT, bounce, verified, with_files
from tests.simulation.email_threads.steps import (
    BOUNCED,
    SPLIT,
    THREE,
    Steps,
    admitted,
    after,
    announced,
    approved,
    asked,
    automatic,
    blocking,
    bounced_of_conversations,
    changed,
    closing,
    completed,
    composed,
    composed_with_copies,
    delivered,
    due,
    expired,
    later,
    let_join,
    merged,
    moved,
    replayed,
    reported,
    run_begins,
    scheduled,
    then,
    to_desk,
    undoable,
    undone,
    with_colleague,
    with_set,
    with_targets,
    with_trial,
)
from tests.simulation.email_threads.system import (
    ANN,
    ASSISTED,
    AUTOMATED,
    BOB,
    MAILBOX,
    mail,
)


@dataclass(frozen=True)
class Scenario:
    """*before* is done and settled; the work of *then* is killed at every call."""

    name: str
    then: Steps
    before: Steps = lambda _: None

    def __str__(self) -> str:
        return self.name


SCENARIOS = [
    Scenario("a mail that a model reads", asked(to_desk("a@x"))),
    Scenario("an answer without a person", asked(to_desk("a@x")), automatic),
    Scenario(
        "a second mail of a customer",
        asked(to_desk("b@x", "By next Friday.", in_reply_to="a@x")),
        asked(to_desk("a@x")),
    ),
    Scenario(
        "a mail that a version in shadow reads, too",
        asked(to_desk("a@x")),
        with_trial("shadow", most_answers=5),
    ),
    Scenario(
        "a mail in the share of a trial",
        asked(to_desk("a@x")),
        with_trial("share", share=100),
    ),
    Scenario("an approved draft", approved, asked(to_desk("a@x"))),
    Scenario(
        "an approved draft beside one in shadow",
        approved,
        then(with_trial("shadow", most_answers=5), asked(to_desk("a@x"))),
    ),
    Scenario(
        "an answer with a file",
        approved,
        then(delivered(verified(with_files())), composed),
    ),
    Scenario(
        "a send after the undo time",
        approved,
        then(undoable, delivered(verified(with_files())), composed),
    ),
    Scenario(
        "a send that was undone and approved again",
        undone,
        then(undoable, delivered(verified(with_files())), composed),
    ),
    Scenario(
        "a scheduled send",
        due,
        then(delivered(verified(with_files())), composed, scheduled),
    ),
    Scenario(
        "an answer with copies",
        approved,
        then(
            delivered(mail("a@x", more=f"Cc: {BOB}, {MAILBOX}\nReply-To: orders@field.example")),
            composed_with_copies,
        ),
    ),
    Scenario(
        "a mail after an answer",
        asked(to_desk("b@x", in_reply_to="a@x")),
        then(asked(to_desk("a@x")), approved),
    ),
    Scenario(
        "a permanent bounce",
        reported("Bounce", **BOUNCED),
        then(asked(to_desk("a@x")), approved),
    ),
    Scenario(
        "a complaint",
        reported("Complaint", complainedRecipients=[{"emailAddress": ANN}]),
        then(asked(to_desk("a@x")), approved),
    ),
    Scenario(
        "a mail from an address that had bounced",
        asked(to_desk("b@x", in_reply_to="a@x")),
        then(asked(to_desk("a@x")), approved, reported("Bounce", **BOUNCED), later),
    ),
    Scenario("a bounce of a mail that AI conversations sent", bounced_of_conversations, announced),
    Scenario("a word against further mail", asked(to_desk("a@x", "STOP"))),
    Scenario(
        "a merge of threads with drafts",
        merged,
        asked(to_desk("a@x"), to_desk("b@x", sender=BOB)),
    ),
    Scenario(
        "the undo of a merge",
        moved("unmerge"),
        then(asked(to_desk("a@x"), to_desk("b@x", sender=BOB)), merged),
    ),
    Scenario(
        "a split",
        moved("split", mails=[2]),
        delivered(mail("a@x"), verified(b"In-Reply-To: <a@x>\n" + with_files())),
    ),
    Scenario(
        "a split of a mail whose answer is scheduled",
        moved("split", mails=[1]),
        then(
            delivered(verified(b"Message-ID: <a@x>\n" + with_files())),
            composed,
            scheduled,
            delivered(mail("b@x", in_reply_to="a@x")),
        ),
    ),
    Scenario("the undo of a split", moved("merge"), then(asked(*THREE), SPLIT)),
    Scenario(
        "an alarm before a breach",
        after(95),
        then(with_targets, delivered(mail("a@x"))),
    ),
    Scenario(
        "a breach of a target",
        after(30),
        then(with_targets, delivered(mail("a@x")), after(95)),
    ),
    Scenario(
        "a reminder",
        after(60),
        then(delivered(mail("a@x")), changed(status="pending_info", remind_at=60)),
    ),
    Scenario(
        "the end of an answered thread",
        after(24 * 60),
        then(closing, delivered(mail("a@x"), mail("b@shop", sender=MAILBOX, in_reply_to="a@x"))),
    ),
    Scenario("a question at the end of a thread", after(61), completed),
    Scenario(
        "the send of a question",
        after(4),
        # With a further mail the worker reads the keys again, which it keeps for five minutes.
        then(completed, after(61), delivered(mail("c@x", sender=BOB, subject="Tables"))),
    ),
    Scenario(
        "a mail that continues a closed thread",
        delivered(mail("b@x", in_reply_to="a@x")),
        then(closing, delivered(mail("a@x")), changed(status="completed"), later),
    ),
    Scenario("a mail of a blocked sender", delivered(verified(with_files())), blocking),
    Scenario("a mail with files", delivered(verified(with_files()))),
    Scenario(
        "a reply",
        delivered(mail("b@x", in_reply_to="a@x")),
        delivered(mail("a@x")),
    ),
    Scenario(
        "a reply before its mail",
        delivered(mail("a@x")),
        delivered(mail("b@x", in_reply_to="a@x", references="a@x")),
    ),
    Scenario(
        "a colleague joins",
        delivered(mail("b@x", sender="zoe@orchard.example", in_reply_to="a@x")),
        delivered(mail("a@x")),
    ),
    Scenario("a colleague who is admitted", admitted, with_colleague(MAILBOX)),
    Scenario("a colleague who is admitted and read", admitted, with_colleague(ASSISTED)),
    Scenario("a colleague who is admitted and forwarded", admitted, with_colleague(AUTOMATED)),
    Scenario("a code", asked(to_desk("a@x", "Your verification code is 123456"))),
    Scenario(
        "a stranger who names a thread",
        delivered(mail("b@x", sender=BOB, in_reply_to="a@x")),
        delivered(mail("a@x")),
    ),
    Scenario(
        "a stranger who may join",
        let_join,
        then(delivered(mail("a@x")), delivered(mail("b@x", sender=BOB, in_reply_to="a@x"))),
    ),
    Scenario(
        "a person in copy joins",
        delivered(mail("b@x", sender=BOB, in_reply_to="a@x")),
        delivered(mail("a@x", more=f"Cc: {BOB}")),
    ),
    Scenario(
        "two threads that are one",
        delivered(mail("c@x", references="a@x b@x")),
        delivered(mail("a@x", subject="a"), mail("b@x", subject="b")),
    ),
    Scenario(
        "a forwarded mail with files",
        delivered(
            verified(with_files()).replace(MAILBOX.encode(), AUTOMATED.encode()), address=AUTOMATED
        ),
    ),
    Scenario(
        "a bounce",
        delivered(bounce("b@shop")),
        delivered(mail("b@shop", sender=MAILBOX, to=ANN)),
    ),
    Scenario("a mail without a mailbox", delivered(mail("a@x"), address="sales@shop.example")),
    Scenario(
        "a replay",
        replayed,
        delivered(mail("a@x"), address="sales@shop.example"),
    ),
    Scenario(
        "another mail with a stored id",
        delivered(mail("a@x", "Another one.")),
        delivered(mail("a@x")),
    ),
    Scenario("a mail that AI conversations sent", announced),
    Scenario(
        "an answer to a mail that AI conversations sent",
        delivered(mail("b@x", to=AUTOMATED, in_reply_to=SENT.provider_message_id)),
        announced,
    ),
    Scenario(
        "an expired thread",
        expired,
        delivered(verified(with_files()), mail("b@x", in_reply_to="files@x")),
    ),
    Scenario(
        "an erasure of the only person of a thread", people.requesting("erase", ANN), people.alone
    ),
    Scenario(
        "an erasure of one of several people",
        people.requesting("erase", people.ZOE),
        people.together,
    ),
    Scenario("an erasure of parked mails", people.requesting("erase", ANN), people.parked),
    Scenario(
        "an erasure of a sent draft",
        people.requesting("erase", ANN),
        then(asked(to_desk("a@x")), approved),
    ),
    Scenario(
        "an erasure of a parked mail of no company",
        people.requesting("erase", ANN),
        delivered(mail("a@x"), address="x@unknown.example"),
    ),
    Scenario("an export", people.requesting("export", people.ZOE), people.together),
    Scenario("a run of an evaluation", run_begins, with_set),
]
