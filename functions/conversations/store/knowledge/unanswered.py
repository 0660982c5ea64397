"""The questions of a project that its model did not answer: noted once, read, and settled by people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.parts.unanswered import Unanswered
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

MOST_COMPARED: Final = 200  # the newest questions, which suggestions are made from


@dataclass(frozen=True, slots=True)
class UnansweredQuestions:
    """The questions of a project."""

    log: Table
    company_id: str
    project_id: str

    def note(self, question: Unanswered) -> None:
        """Note a question unless it is noted. Repeatable: it keeps its first cause and what people made of it."""
        where = self._key(question.question_id)
        self.log.update(where, put_once=_new(question, where))

    def to_rate(self, question: Unanswered, rated_sk: str) -> Attributes:
        """Return the write, for a transaction, that notes a question whose answer people have rated as bad."""
        where = self._key(question.question_id)
        rated = Unanswered.named(rated_sk=rated_sk)
        return self.log.to_update(where, put=rated, put_once=_new(question, where))

    def newest(self) -> tuple[list[Unanswered], bool]:
        """Return the newest questions, oldest first, and whether there are older ones."""
        of_project = Key(PARTITION_KEY).eq(Unanswered.partition(self.company_id, self.project_id))
        noted = Key(SORT_KEY).begins_with(Unanswered.first_sk)
        items, last = self.log.query(
            None, of_project & noted, limit=MOST_COMPARED, newest_first=True
        )
        return [Unanswered.read(item) for item in reversed(items)], last is not None

    def has(self, question_id: str) -> bool:
        """Return whether a question is noted."""
        try:
            return self.log.get(self._key(question_id)) is not None
        except ValueError:  # no id of a question
            return False

    def settle(self, question_id: str, facts: Attributes) -> bool:
        """Write what a person has made of a question; False if it is not noted any more. Repeatable."""
        try:
            self.log.update(
                self._key(question_id), put=facts, when=Unanswered.attr("up_to").exists()
            )
        except (ConditionFailed, ValueError):
            return False
        return True

    def _key(self, question_id: str) -> Attributes:
        return Unanswered.key_of(self.company_id, self.project_id, question_id)


def _new(question: Unanswered, where: Attributes) -> Attributes:
    attributes = question.attributes(where)
    return {name: value for name, value in attributes.items() if name not in where}
