"""Routes of what a project's answers find in documents. The code of their calls is loaded by the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from conversations.api.projects.knowledge import inputs, views
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.projects.tries.playground import PlaygroundDependencies
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.aws.s3 import Bucket

_KNOWLEDGE = "/projects/{project_id}/knowledge"
_QUESTIONS = f"{_KNOWLEDGE}/questions"
_ADMIN = Scope.CONVERSATIONS_ADMIN


@dataclass(frozen=True, slots=True)
class KnowledgeRoutes:
    """The routes over the dependencies of the admin API; *playground* creates clients of models when they are used."""

    deps: ApiDependencies
    playground: Callable[[], PlaygroundDependencies]

    def documents(self) -> DocumentSearch:
        """Return the search in documents."""
        return self.playground().documents

    def bucket(self) -> Bucket:
        """Return the bucket of the documents."""
        bucket = self.documents().bucket
        assert bucket is not None  # noqa: S101 - for mypy: `playground_dependencies` gives one
        return bucket

    @route_methods.reads(f"POST {_KNOWLEDGE}/search", _ADMIN)
    def search_documents(
        self, request: Request[inputs.DocumentSearchInput], project_id: str
    ) -> views.SearchView:
        """Search the company's documents as the model of a project does."""
        from conversations.api.projects.knowledge import search  # noqa: PLC0415 - see the docstring of the module

        given = request.input
        searcher = search.searcher_of(
            self.deps, self.documents(), request.caller, project_id, given
        )
        return search.searched(searcher, given.query)

    @route_methods.reads(f"GET {_QUESTIONS}", _ADMIN)
    def list_questions(
        self, request: Request[inputs.QuestionsQuery], project_id: str
    ) -> Page[views.QuestionsView]:
        """List the kept questions of a project."""
        from conversations.api.projects.knowledge import questions  # noqa: PLC0415 - see the docstring of the module

        return questions.listed(self.deps, request.caller, project_id, request.input)

    @route_methods.changes(f"POST {_QUESTIONS}", _ADMIN, status=HTTPStatus.CREATED)
    def keep_question(
        self, request: Request[inputs.QuestionInput], project_id: str
    ) -> Callable[[], views.QuestionView]:
        """Keep a question, with the document that should answer it."""
        from conversations.api.projects.knowledge import questions  # noqa: PLC0415 - see the docstring of the module

        stored = questions.stored_of(self.deps, request.caller, project_id)
        return lambda: questions.keep(stored, request)

    @route_methods.changes(f"DELETE {_QUESTIONS}/{{question_id}}", _ADMIN)
    def remove_question(
        self, request: Request[NoInput], project_id: str, question_id: str
    ) -> Callable[[], views.RemovedView]:
        """Remove a kept question."""
        from conversations.api.projects.knowledge import questions  # noqa: PLC0415 - see the docstring of the module

        stored = questions.stored_of(self.deps, request.caller, project_id)
        return lambda: questions.remove(stored, question_id)

    @route_methods.reads(f"GET {_KNOWLEDGE}/suggestions", _ADMIN)
    def list_suggestions(self, request: Request[NoInput], project_id: str) -> views.SuggestionsView:
        """List the questions that the model of a project did not answer, in groups, with a draft of an answer."""
        from conversations.api.projects.knowledge import suggestions  # noqa: PLC0415 - see the docstring of the module

        return suggestions.listed(self.deps, self.playground(), request.caller, project_id)

    @route_methods.changes(f"POST {_KNOWLEDGE}/dismissals", _ADMIN)
    def dismiss_questions(
        self, request: Request[inputs.DismissalInput], project_id: str
    ) -> Callable[[], views.SettledView]:
        """Keep unanswered questions away until others join them."""
        from conversations.api.projects.knowledge import suggestions  # noqa: PLC0415 - see the docstring of the module

        stored = suggestions.stored_of(self.deps, request.caller, project_id)
        return lambda: suggestions.dismiss(stored, request)

    @route_methods.changes(f"POST {_KNOWLEDGE}/acceptances", _ADMIN)
    def accept_answer(
        self, request: Request[inputs.AcceptanceInput], project_id: str
    ) -> Callable[[], views.SettledView]:
        """Write the answer of unanswered questions into a document, or into a new version of the settings."""
        from conversations.api.projects.knowledge import suggestions  # noqa: PLC0415 - see the docstring of the module

        stored = suggestions.stored_of(self.deps, request.caller, project_id)
        return lambda: suggestions.accept(self.deps, self.bucket(), stored, request)

    @route_methods.reads(f"POST {_KNOWLEDGE}/results", _ADMIN)
    def search_questions(
        self, request: Request[inputs.ResultsInput], project_id: str
    ) -> Page[views.QuestionResultsView]:
        """Search the kept questions of a project, and say which of them find their document."""
        from conversations.api.projects.knowledge import questions, search  # noqa: PLC0415 - see above

        given, caller = request.input, request.caller
        searcher = search.searcher_of(self.deps, self.documents(), caller, project_id, given)
        return questions.results(self.deps, caller, project_id, given, searcher)
