"""Questions with which a company tries what a project's answers find in its documents."""

from typing import ClassVar

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from shared.aws.dynamodb import Attributes


class KnowledgeQuestion(LogItem):
    """A question, and the name of the document that should answer it; without one any may."""

    item_type: ClassVar[str] = "KNOWLEDGE_QUESTION"
    pk_pattern: ClassVar[str] = "PROJECT#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "QUESTION#{question_id}"
    first_sk: ClassVar[str] = "QUESTION#"
    ttl_note: ClassVar[str] = "none; the test data of a company, without data of persons"

    question_id: str
    question: str = Field(repr=False)
    document: str | None = Field(default=None, repr=False)
    by: str
    at: str

    @classmethod
    def key_of(cls, company_id: str, project_id: str, question_id: str) -> Attributes:
        """Return the whole key of a question."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, question_id))
