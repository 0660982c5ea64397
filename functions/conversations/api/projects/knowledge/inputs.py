"""Input models of searches in a project's documents, and of its questions."""

from typing import Annotated

from pydantic import Field

from conversations.api.projects.inputs import ProjectsQuery, TriedSettings
from shared.api.models.inputs import Input

LONGEST_QUESTION = 300  # as the function `search_documents` has it
LONGEST_DOCUMENT = 500
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
