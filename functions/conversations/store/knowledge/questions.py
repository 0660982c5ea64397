"""The kept questions of a project: stored, read and removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.parts.knowledge_question import KnowledgeQuestion
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

MOST_QUESTIONS: Final = 100  # of a project


@dataclass(frozen=True, slots=True)
class KnowledgeQuestions:
    """The questions of a project."""

    log: Table
    company_id: str
    project_id: str

    def put(self, question: KnowledgeQuestion) -> None:
        """Store a question. Repeatable."""
        self.log.put(question.attributes(self._key(question.question_id)))

    def get(self, question_id: str) -> KnowledgeQuestion | None:
        """Return a question, strongly consistent; None if there is none with this id."""
        item = self.log.get(self._key(question_id))
        return KnowledgeQuestion.read(item) if item else None

    def page(
        self, limit: int, start: Attributes | None = None
    ) -> tuple[list[KnowledgeQuestion], Attributes | None]:
        """Return questions in the order of their ids, and the key of the next page."""
        of_project = Key(PARTITION_KEY).eq(
            KnowledgeQuestion.partition(self.company_id, self.project_id)
        )
        questions = Key(SORT_KEY).begins_with(KnowledgeQuestion.first_sk)
        items, last = self.log.query(None, of_project & questions, limit=limit, start=start)
        return [KnowledgeQuestion.read(item) for item in items], last

    def remove(self, question_id: str) -> bool:
        """Remove a question; False if there is none with this id."""
        try:
            self.log.delete(
                self._key(question_id), when=KnowledgeQuestion.attr("question_id").exists()
            )
        except ConditionFailed:
            return False
        return True

    def _key(self, question_id: str) -> Attributes:
        return KnowledgeQuestion.key_of(self.company_id, self.project_id, question_id)
