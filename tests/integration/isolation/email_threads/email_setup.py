"""Mailboxes of two companies, with threads, files, notes and parked events of company A."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from email_threads.store.configuration.mailbox_trials import MailboxTrials
from email_threads.store.items import Mail, PrivacyJob, ShadowDraft
from shared.api.auth import Scope
from shared.aws.dynamodb import Table
from tests.integration.isolation.deployed_companies import WITH_A, WITHOUT_A, QueuedCompanies
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import BOB, COMPANY, MAILBOX, MODEL, System, mail
from tests.simulation.kernel import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


COMPANY_B = "globex"
MAILBOX_B = "info@globex.example"
MAX = "max@quarry.example"  # wants to join a thread of A
ZOE = "zoe@field.example"  # writes to both companies
MACRO = "closing"
SET = "made-up"
EXPORTED = "exported@field.example"  # A has exported what it has of them


@dataclass
class TwoCompanies(QueuedCompanies[System]):
    """The simulated mail system with mailboxes of A and B."""

    words: tuple[str, ...] = ("canary-words", MAILBOX)

    def __post_init__(self) -> None:
        """A's threads and parked events, with a snapshot before and after them. B has a thread with Zoe."""
        system = self.system.reset()
        system.grant("@globex.example", COMPANY_B)
        system.register(MAILBOX_B, company=COMPANY_B)
        system.deliver(mail("of-b@x", sender=ZOE, to=MAILBOX_B), name="b", address=MAILBOX_B)
        system.drain()
        without = system.snapshot()
        for name, raw in {
            "a1": verified(with_files("a1@x")),
            "a2": mail("a2@x", "canary-words", sender=ZOE, subject="canary-words"),
            "a3": mail("a3@x", "canary-words", sender=BOB),
            "a6": mail("a6@x", "canary-words", sender=MAX, in_reply_to="a1@x"),
            "a4": b"no mail",
            "a5": b"no mail either",
        }.items():
            system.clock.ms += 1_000
            system.deliver(raw, name=name, address=MAILBOX)
            system.drain()
        threads = {one["email_id"]: one["conversation_id"] for one in system.mails()}
        by_sender = {one["from"]: one["conversation_id"][:16] for one in system.mails()}
        assert len(threads) == 5
        first = next(one for one in system.mails() if one["message_id"] == "a1@x")
        thread = str(first["conversation_id"])[:16]
        for text in ("canary-words one", "canary-words two"):
            system.call("POST", f"/email-threads/{thread}/notes", {"text": text})
        for tagged in (thread, by_sender[BOB]):
            system.call("PATCH", f"/email-threads/{tagged}", {"add_tags": ["canary-words"]})
        for text in ("canary-words one", "canary-words two"):
            system.call("POST", f"/email-threads/{thread}/replies", {"body_text": text})
            system.clock.ms += 1_000
        for fact in ("canary-words one", "canary-words two"):
            given = {"facts": [fact], "ai": MODEL, "automation": "email_threads"}
            system.call("PUT", f"/email-mailboxes/{MAILBOX}", given)
        made_up = {"kind": "mail", "name": "canary-words", "mails": [{"text": "canary-words"}]}
        recorded = {"answer": {"reply": "canary-words"}, "expect": {}}
        of_set = f"/email-mailboxes/{MAILBOX}/sets/{SET}"
        system.call("POST", of_set, {"scenarios": [made_up | recorded]})
        run = system.call("POST", f"{of_set}/runs", {"recorded": True})[1]["result"]["run_id"]
        trial = self._tried(first)
        macro = {"name": MACRO, "add_tags": ["canary-words"]}
        system.call("POST", "/email-threads/macros", macro)
        path, body = "/email-threads/contacts/export", {"address": EXPORTED}
        system.call("POST", path, body, scopes=Scope.EMAIL_PRIVACY)
        system.drain()
        system.deliver(mail("dead@x"), name="dead", address=MAILBOX)
        system.interceptor.fails_if = lambda call: call.startswith("dynamodb.Transact")
        system.drain()
        system.interceptor.rewind()
        self.keep({WITH_A: system.snapshot(), WITHOUT_A: without})
        parked = self.shown("GET /email-threads/parked")["result"]["events"]
        letters = self.shown("GET /email-threads/dead-letters")["result"]["letters"]
        self.with_a()
        self.names = {
            "thread": thread,
            "other_thread": by_sender[BOB],
            "joining": by_sender[MAX],
            "thread_of_b": next(
                one["conversation_id"][:16]
                for one in system.mails()
                if one["company_id"] == COMPANY_B
            ),
            "mailbox": quote(MAILBOX, safe=""),
            "person": ZOE,
            "company": COMPANY,
            "macro": MACRO,
            "run": run,
            "trial": trial,
            "reply": self.shown("GET /email-threads/drafts")["result"]["drafts"][0]["reply_id"],
            "parked_id": parked[0]["eventId"],
            "letter": letters[0]["id"],
            "job": PrivacyJob.ids_of("export", COMPANY, EXPORTED)[0],
        }
        self.ids = (thread,)

    def _tried(self, mail: dict[str, Any]) -> str:
        """A trial of A that is over, with a draft in shadow to a mail."""
        of_trials = f"/email-mailboxes/{MAILBOX}/trials"
        given = {"mode": "shadow", "version": 1, "most_answers": 5}
        trial_id = str(self.system.call("POST", of_trials, given)[1]["result"]["trial_id"])
        trials = MailboxTrials(Table(self.system.dynamodb, self.system.table), COMPANY, MAILBOX)
        trial = trials.read(trial_id)
        assert trial is not None
        at = "2026-01-01T12:00:00.000Z"
        draft = ShadowDraft(trial_id=trial_id, version=1, at=at, text="canary-words")
        item = trials.table.get({"conversation_id": mail["conversation_id"]})
        assert item is not None
        assert trials.begin_shadow(trial, Mail.read(item), draft)
        self.system.call("POST", f"{of_trials}/{trial_id}/stop", {})
        return trial_id

    def module_of(self, line: str) -> ModuleType:
        return self.system.api


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """The system, created once per module."""
    with running(System) as system:
        yield TwoCompanies(system)
