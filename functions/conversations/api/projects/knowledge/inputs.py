"""Input models of searches in a project's documents, and of its questions."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from conversations.ai.knowledge.settings import MOST_TOPICS, Topic
from conversations.api.projects.inputs import ProjectsQuery, TriedSettings
from shared.api.models.inputs import Input

LONGEST_QUESTION = 300  # as the function `search_documents` has it
LONGEST_DOCUMENT = 500
MOST_SETTLED = 200
LONGEST_TITLE = 300
LONGEST_TEXT = 20_000
MOST_RESULTS = 20  # of one call: a knowledge base needs up to a second for each

type Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION, pattern=r"\S")]


class DocumentSearchInput(TriedSettings):
    """A question, searched as the model's function `search_documents` searches it."""

    query: Question


class QuestionsQuery(ProjectsQuery):
    """Position in the list of a project's questions."""


class QuestionInput(Input):
    """A question to keep. *document*: the one that answers it, as results name it; absent: any document may."""

    question: Question
    document: Annotated[str, Field(min_length=1, max_length=LONGEST_DOCUMENT)] | None = None


class ResultsInput(TriedSettings):
    """Position in the list of a project's questions, which are searched."""

    limit: int = Field(default=MOST_RESULTS, ge=1, le=MOST_RESULTS)
    cursor: str | None = None


class DismissalInput(Input):
    """Questions to keep away until others join their group, by their ids."""

    questions: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        min_length=1, max_length=MOST_SETTLED
    )


class AcceptanceInput(DismissalInput):
    """
    The answer of questions, by their ids. *kind* `document`: a document of the company with this title and topics;
    `fact`: a sentence for the model, in a new version of the project's settings, which has *title* as its note.
    """

    kind: Literal["document", "fact"]
    title: Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE, pattern=r"\S")]
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S", repr=False)]
    topics: list[Topic] = Field(default_factory=list, max_length=MOST_TOPICS)

    @model_validator(mode="after")
    def _has_topics_of_a_document(self) -> "AcceptanceInput":
        if self.topics and self.kind == "fact":
            raise ValueError("topics are of a document only")
        return self
