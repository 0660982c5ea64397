"""Trials of versions: stored, joined by conversations, counted and ended."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, Key

from conversations.store import states
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import of
from conversations.store.items.parts.state import State, state_key
from conversations.store.items.parts.trial import ShadowAnswer, ShadowPlace, Trial, TrialCounts
from shared.ai.trials.items import BEGUN, Arm, count_name, part_of
from shared.ai.trials.stored import SHADOWS, TrialStore
from shared.aws.dynamodb import ConditionFailed, TransactionRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Attributes, Table


@dataclass(frozen=True, slots=True)
class Trials(TrialStore[Trial]):
    """The trials of a project."""

    log: Table
    company_id: str
    project_id: str

    @property
    def table(self) -> Table:
        """See `TrialStore`."""
        return self.log

    def trial_key(self, trial_id: str) -> Attributes:
        """See `TrialStore`."""
        return Trial.key_of(self.company_id, self.project_id, trial_id)

    def counts_key(self, trial_id: str, part: str) -> Attributes:
        """See `TrialStore`."""
        return TrialCounts.key_of(self.company_id, self.project_id, trial_id, part)

    def read_trial(self, item: Attributes) -> Trial:
        """See `TrialStore`."""
        return Trial.read(item)

    def item_of(self, trial: Trial) -> Attributes:
        """See `TrialStore`."""
        return trial.attributes(self.trial_key(trial.trial_id))

    def page(
        self, limit: int, start: Attributes | None = None
    ) -> tuple[list[Trial], Attributes | None]:
        """Return trials, newest first, and the key of the next page."""
        items, last = self._listed(Trial.first_sk, limit, start)
        return [Trial.read(item) for item in items], last

    def counts_of(self, trial_id: str, ref: str) -> Attributes:
        """Return the key of the counts in which a conversation counts."""
        return self.counts_key(trial_id, part_of(ref))

    def join(self, trial: Trial, ref: str, arm: Arm) -> State | None:
        """
        Give a conversation its version, once, and count it. Return its state, None if the conversation is gone.

        A conversation that has joined keeps what it was given first.
        """
        version = trial.version if arm is Arm.TRIAL else None
        put = State.named(trial=trial.trial_id, trial_version=version)
        fresh = State.attr("conversation_id").exists() & State.attr("trial").not_exists()
        # Refused: another delivery of the message was first, or the person is being erased.
        with suppress(TransactionRefused):
            self.log.transact(
                self.log.to_update(
                    state_key(ref),
                    put={name: value for name, value in put.items() if value is not None},
                    when=fresh & State.attr("erased_at").not_exists(),
                ),
                self.log.to_update(
                    self.counts_of(trial.trial_id, ref),
                    put=TrialCounts.typed(),
                    add={count_name(arm, "conversations"): 1},
                ),
            )
        return states.read(self.log, ref)

    def begin_shadow(self, trial: Trial, ref: str, answer: ShadowAnswer) -> bool | None:
        """
        Store that an answer is being made, and count it. False if it was begun before, None beyond the bounds of the
        trial.
        """
        is_new = ShadowAnswer.attr("asked").not_exists()
        limits = {
            BEGUN: trial.most_answers,
            count_name(Arm.TRIAL, "micros"): trial.most_micros,
        }
        below = [
            Attr(name).not_exists() | Attr(name).lt(most)
            for name, most in limits.items()
            if most is not None
        ]
        try:
            self.log.transact(
                self.log.to_put(answer.attributes(self._answer(ref, answer)), when=is_new),
                self.log.to_put(
                    ShadowPlace.of(ref, answer).attributes(ShadowPlace.key_of(ref, answer))
                ),
                self.log.to_update(
                    self.counts_key(trial.trial_id, SHADOWS),
                    put=TrialCounts.typed(),
                    add={BEGUN: 1},
                    when=reduce(and_, below) if below else None,
                ),
            )
        except TransactionRefused as refusal:
            return None if refusal.positions == {2} else False
        return True

    def store_cost(self, ref: str, answer: ShadowAnswer, micros: int) -> None:
        """Store what an answer that is being made has cost so far; nothing if it was settled or erased meanwhile."""
        begun = ShadowAnswer.attr("status").eq("begun")
        put = ShadowAnswer.named(cost_micros=micros)
        with suppress(ConditionFailed):
            self.log.update(self._answer(ref, answer), put=put, when=begun)

    def settle_shadow(self, ref: str, answer: ShadowAnswer, counts: Mapping[str, int]) -> None:
        """Store the end of an answer that was begun, and count it: once, and not if it was erased meanwhile."""
        if states.read(self.log, ref) is None:
            # An erasure that came before the answer was begun has not found it.
            self.forget_shadow(ref, answer)
            return
        begun = ShadowAnswer.attr("status").eq("begun")
        add = {name: n for name, n in counts.items() if n}
        try:
            self.log.transact(
                self.log.to_put(answer.attributes(self._answer(ref, answer)), when=begun),
                self.log.to_update(self.counts_key(answer.trial_id, SHADOWS), add=add),
            )
        except TransactionRefused:
            return

    def forget_shadow(self, ref: str, answer: ShadowAnswer) -> None:
        """Delete an answer and its place in the list. Repeatable."""
        self.log.delete(ShadowPlace.key_of(ref, answer))
        self.log.delete(self._answer(ref, answer))

    def shadow(self, ref: str, trial_id: str, asked: str) -> ShadowAnswer | None:
        """Return the answer of a trial to the messages up to *asked*."""
        item = self.log.get(of(ref, ShadowAnswer.sk(trial_id, asked)))
        return ShadowAnswer.read(item) if item else None

    def shadows(
        self, trial_id: str, limit: int, start: Attributes | None = None
    ) -> tuple[list[tuple[str, ShadowAnswer]], Attributes | None]:
        """Return answers of a trial with their conversations, newest first, and the key of the next page."""
        first = ShadowPlace.sk_pattern.partition("{")[0] + f"{trial_id}#"
        items, last = self._listed(first, limit, start)
        places = [ShadowPlace.read(item) for item in items]
        found = self.log.get_many([of(one.ref, one.shadow_sk) for one in places]) if places else []
        stored = {(str(one[PARTITION_KEY]), str(one[SORT_KEY])): one for one in found}
        shown = []
        for place in places:
            where = of(place.ref, place.shadow_sk)
            item = stored.get((str(where[PARTITION_KEY]), str(where[SORT_KEY])))
            if item is not None:
                shown.append((place.ref, ShadowAnswer.read(item)))
        return shown, last

    def _listed(
        self, first: str, limit: int, start: Attributes | None
    ) -> tuple[list[Attributes], Attributes | None]:
        pk = Trial.partition(self.company_id, self.project_id)
        condition = Key(PARTITION_KEY).eq(pk) & Key(SORT_KEY).begins_with(first)
        return self.log.query(None, condition, limit=limit, start=start, newest_first=True)

    @staticmethod
    def _answer(ref: str, answer: ShadowAnswer) -> Attributes:
        return of(ref, ShadowAnswer.sk(answer.trial_id, answer.asked))
