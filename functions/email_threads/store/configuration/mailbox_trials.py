"""Trials of the versions of a mailbox's settings: stored, joined by threads, counted and ended."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, Key

from email_threads.store import threads
from email_threads.store.items import (
    Mail,
    Mailbox,
    MailboxTrial,
    MailboxTrialCounts,
    ShadowPlace,
    Thread,
)
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.threads.thread import COMPANY_INDEX
from shared.ai.trials.items import BEGUN, MICROS, PARTS, Arm, count_name, part_of
from shared.ai.trials.stored import TrialStore
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boto3.dynamodb.conditions import ConditionBase

    from email_threads.store.items import ShadowDraft
    from shared.aws.dynamodb import Attributes, Table

_OF_SHADOWS = (
    "shadow"  # the part whose counts have bounds; sent and discarded drafts count in the others
)


@dataclass(frozen=True, slots=True)
class MailboxTrials(TrialStore[MailboxTrial]):
    """The trials of a company's mailbox. Another owner of the address has its own."""

    own: Table
    company_id: str
    address: str

    @property
    def table(self) -> Table:
        """See `TrialStore`."""
        return self.own

    def trial_key(self, trial_id: str) -> Attributes:
        """See `TrialStore`."""
        return MailboxTrial.key(self.company_id, self.address, trial_id)

    def counts_key(self, trial_id: str, part: str) -> Attributes:
        """See `TrialStore`."""
        return MailboxTrialCounts.key(self.company_id, self.address, trial_id, part)

    def read_trial(self, item: Attributes) -> MailboxTrial:
        """See `TrialStore`."""
        return MailboxTrial.read(item)

    def item_of(self, trial: MailboxTrial) -> Attributes:
        """See `TrialStore`."""
        listed = MailboxTrial.list_of(self.company_id, self.address)
        placed = {"company_status": listed, "updated_at": trial.at}
        return trial.model_copy(update=self.trial_key(trial.trial_id) | placed).attributes()

    def parts_of(self, trial: MailboxTrial) -> list[str]:
        """See `TrialStore`."""
        del trial
        return [_OF_SHADOWS, *map(str, range(PARTS))]

    def page(
        self, limit: int, start: Attributes | None = None
    ) -> tuple[list[MailboxTrial], Attributes | None]:
        """Return trials, newest first, and the key of the next page."""
        listed = MailboxTrial.list_of(self.company_id, self.address)
        items, last = self._listed(listed, limit, start)
        return [MailboxTrial.read(item) for item in items], last

    def naming(self, mailbox: Mailbox, before: str | None, trial_id: str) -> Attributes:
        """Return the write with which a mailbox names its newest trial, unless another call was first."""
        named = Mailbox.attr("ai_trial")
        # The trial before may have been put away since the mailbox was read.
        unchanged = named.not_exists() if before is None else named.not_exists() | named.eq(before)
        return self.table.to_update(
            Mailbox.of(mailbox.address),
            put=Mailbox.named(ai_trial=trial_id),
            when=Mailbox.attr("company_id").eq(self.company_id) & unchanged,
        )

    def put_away(self, trial_id: str) -> None:
        """Let a mailbox that names a trial which is over name none. Repeatable."""
        try:
            self.table.update(
                Mailbox.of(self.address),
                drop=[Mailbox.name_of("ai_trial")],
                when=Mailbox.attr("company_id").eq(self.company_id)
                & Mailbox.attr("ai_trial").eq(trial_id),
            )
        except ConditionFailed:
            return

    def join(self, trial: MailboxTrial, thread_id: str, arm: Arm) -> Thread | None:
        """
        Give a thread its version, once, and count it. Return the thread, None if it is gone.

        A thread that has joined keeps what it was given first.
        """
        given: Attributes = {"ai_trial": trial.trial_id}
        if arm is Arm.TRIAL:
            given["ai_trial_version"] = trial.version
        is_fresh = Thread.attr("conversation_id").exists() & Thread.attr("ai_trial").not_exists()
        # Refused: another delivery of the mail was first, or the thread is gone.
        with suppress(TransactionRefused):
            self.table.transact(
                self.table.to_update(
                    Thread.key(thread_id), put=Thread.named(**given), when=is_fresh
                ),
                self.counted(trial.trial_id, thread_id, {count_name(arm, "conversations"): 1}),
            )
        return threads.get(self.table, thread_id)

    def counted(self, trial_id: str, thread_id: str, counts: Mapping[str, int]) -> Attributes:
        """Return the write that adds *counts* of a thread."""
        add = {name: n for name, n in counts.items() if n}
        return self.table.to_update(self.counts_key(trial_id, part_of(thread_id)), add=add)

    def begin_shadow(self, trial: MailboxTrial, mail: Mail, draft: ShadowDraft) -> bool | None:
        """
        Store that a draft in shadow is being made, and count it. False if it was begun before or its mail is gone, None
        beyond the bounds of the trial.
        """
        limits = {
            BEGUN: trial.most_answers,
            count_name(Arm.TRIAL, MICROS): trial.most_micros,
        }
        below = [
            Attr(name).not_exists() | Attr(name).lt(most)
            for name, most in limits.items()
            if most is not None
        ]
        place = ShadowPlace.of(self.company_id, trial.trial_id, mail.email_id, draft.at)
        key = {PARTITION_KEY: mail.conversation_id}
        other = Mail.attr("shadow").not_exists() | _shadow("trial_id").ne(trial.trial_id)
        try:
            self.table.transact(
                self.table.to_update(key, **_with_shadow(mail, draft, other)),
                self.table.to_put(place.attributes()),
                self.table.to_update(
                    self.counts_key(trial.trial_id, _OF_SHADOWS),
                    add={BEGUN: 1},
                    when=reduce(and_, below) if below else None,
                ),
            )
        except TransactionRefused as refusal:
            return None if refusal.positions == {2} else False
        return True

    def store_cost(self, mail: Mail, draft: ShadowDraft, micros: int) -> None:
        """Store what a draft that is being made has cost so far; nothing if it was settled meanwhile."""
        so_far = draft.model_copy(update={"cost_micros": micros})
        key = {PARTITION_KEY: mail.conversation_id}
        with suppress(ConditionFailed):
            self.table.update(key, **_with_shadow(mail, so_far, _is_begun(draft)))

    def settle_shadow(self, mail: Mail, draft: ShadowDraft, counts: Mapping[str, int]) -> None:
        """Store the end of a draft that was begun, and count it: once, and not if its mail is gone."""
        add = {name: n for name, n in counts.items() if n}
        key = {PARTITION_KEY: mail.conversation_id}
        where = self.counts_key(draft.trial_id, _OF_SHADOWS)
        with suppress(TransactionRefused):
            self.table.transact(
                self.table.to_update(key, **_with_shadow(mail, draft, _is_begun(draft))),
                self.table.to_update(where, add=add),
            )

    def shadows(
        self, trial_id: str, limit: int, start: Attributes | None = None
    ) -> tuple[list[Mail], Attributes | None]:
        """Return the mails with drafts of a trial, newest draft first, and the key of the next page."""
        listed = ShadowPlace.list_of(self.company_id, trial_id)
        items, last = self._listed(listed, limit, start)
        places = [ShadowPlace.read(item) for item in items]
        # A mail may have moved to another thread.
        found = threads.aliases(self.table, [one.email_id for one in places]) if places else {}
        keys = [
            Mail.number(found[one.email_id].thread, n)
            for one in places
            if one.email_id in found and (n := found[one.email_id].n)
        ]
        rows = self.table.get_many(keys) if keys else []
        mails = {mail.email_id: mail for mail in map(Mail.read, rows)}
        ordered = [mails[one.email_id] for one in places if one.email_id in mails]
        return [
            one for one in ordered if one.shadow is not None and one.shadow.trial_id == trial_id
        ], last

    def _listed(
        self, partition: str, limit: int, start: Attributes | None
    ) -> tuple[list[Attributes], Attributes | None]:
        """Return the items of a list of CompanyIndex, newest first, and the key of the next page."""
        rows, last = self.table.query(
            COMPANY_INDEX,
            Key("company_status").eq(partition),
            limit=limit,
            start=start,
            newest_first=True,
        )
        items = self.table.get_many([{PARTITION_KEY: row[PARTITION_KEY]} for row in rows])
        found = {str(item[PARTITION_KEY]): item for item in items}
        return [found[key] for row in rows if (key := str(row[PARTITION_KEY])) in found], last


def _with_shadow(mail: Mail, draft: ShadowDraft, when: ConditionBase) -> dict[str, Any]:
    """Return the update of a mail that is still in its place."""
    is_here = Mail.attr("email_id").eq(mail.email_id) & Mail.attr("erased").not_exists()
    is_here &= Mail.attr("moved_to").not_exists()
    return {"put": Mail.named(shadow=stored(draft)), "when": is_here & when}


def _is_begun(draft: ShadowDraft) -> ConditionBase:
    return _shadow("trial_id").eq(draft.trial_id) & _shadow("status").eq("begun")


def _shadow(field: str) -> Attr:
    """Return a field of the draft at a mail, for conditions."""
    return Attr(f"{Mail.name_of('shadow')}.{field}")
