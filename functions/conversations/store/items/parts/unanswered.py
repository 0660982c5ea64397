"""Questions that the model of a project did not answer: where they stand, never their words."""

from typing import ClassVar

from conversations.store.items.base import LogItem, key, sort_key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Message
from shared.aws.dynamodb import Attributes

_SEPARATOR = "~"  # in ids of questions; sort after all characters of times and ids


class Unanswered(LogItem):
    """
    A question of a customer that the model did not answer, by the message `up_to` which a turn was to answer. `cause`:
    the code of the reason. Its words are those of the conversation `ref`, and are deleted with it.

    `rated_sk` is the message of the model that people have rated as bad. `settled` says what a person has made of the
    question, `dismissed` or `accepted`, the latter into `document` or into the version `made_version` of the settings.
    """

    item_type: ClassVar[str] = "UNANSWERED"
    pk_pattern: ClassVar[str] = "PROJECT#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "UNANSWERED#{time}#{entry_id}#{ref}"
    first_sk: ClassVar[str] = "UNANSWERED#"
    ttl_days: ClassVar[int | None] = 90

    ref: str
    up_to: str
    cause: str
    channel: ChannelMethod
    language: str | None = None
    version: int | None = None
    rated_sk: str | None = None
    settled: str | None = None
    settled_by: str | None = None
    settled_at: str | None = None
    document: str | None = None
    made_version: int | None = None

    @property
    def question_id(self) -> str:
        """The id of the question; text order is time order."""
        return _SEPARATOR.join([*self.up_to.removeprefix(Message.first_sk).split("#"), self.ref])

    @property
    def at(self) -> str:
        """When the customer wrote it."""
        return self.question_id.partition(_SEPARATOR)[0]

    @classmethod
    def key_of(cls, company_id: str, project_id: str, question_id: str) -> Attributes:
        """Return the whole key of a question. Raises ValueError for an id of another form."""
        sk = sort_key(cls.sk_pattern, *question_id.split(_SEPARATOR))
        return key(cls.partition(company_id, project_id), sk)
