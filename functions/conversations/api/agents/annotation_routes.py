"""Routes of labels, snoozes, ratings, notes and the memory. The code of their calls is loaded by the first of them."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from conversations.api import inputs
from conversations.api.access import ApiDependencies, opened_for
from conversations.api.agents import annotation_views as views
from shared.api.auth import Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_OF_ONE = "/conversations/{ref}"
_REPLY = Scope.CONVERSATIONS_REPLY


@dataclass(frozen=True, slots=True)
class AnnotationRoutes:
    """The routes over the dependencies of the admin API."""

    deps: ApiDependencies

    @route_methods.changes(f"POST {_OF_ONE}/labels", _REPLY)
    def set_labels(
        self, request: Request[inputs.LabelsInput], ref: str
    ) -> Callable[[], views.AnnotatedView]:
        """Replace all labels of a conversation."""
        from conversations.api.agents import annotations  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        return lambda: annotations.set_labels(self.deps.resources, opened, request)

    @route_methods.changes(f"POST {_OF_ONE}/snooze", _REPLY)
    def snooze(
        self, request: Request[inputs.SnoozeInput], ref: str
    ) -> Callable[[], views.AnnotatedView]:
        """Hide an open conversation until a time, or until the customer writes."""
        from conversations.api.agents import annotations  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        return lambda: annotations.snooze(self.deps.resources, opened, request)

    @route_methods.changes(f"POST {_OF_ONE}/wake", _REPLY)
    def wake(self, request: Request[NoInput], ref: str) -> Callable[[], views.AnnotatedView]:
        """End the snooze of a conversation."""
        from conversations.api.agents import annotations  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        return lambda: annotations.wake(self.deps.resources, opened, request)

    @route_methods.changes(f"POST {_OF_ONE}/ratings", _REPLY)
    def rate_message(
        self, request: Request[inputs.RatingInput], ref: str
    ) -> Callable[[], views.RatedView]:
        """Rate a message of the model for reports, or take the own rating back."""
        from conversations.api.agents import ratings  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        return lambda: ratings.rate(self.deps.resources, opened, request)

    @route_methods.reads(f"GET {_OF_ONE}/notes", Scope.CONVERSATIONS_READ)
    def list_notes(self, request: Request[inputs.NotesQuery], ref: str) -> views.NotesView:
        """List the internal notes of a conversation, newest first."""
        from conversations.api.agents import annotations  # noqa: PLC0415 - see the docstring of the module

        return annotations.list_notes(self.deps, request.caller, ref, request.input)

    @route_methods.changes(f"POST {_OF_ONE}/notes", _REPLY, status=HTTPStatus.CREATED)
    def add_note(
        self, request: Request[inputs.NoteInput], ref: str
    ) -> Callable[[], views.WrittenNoteView]:
        """Write an internal note, which the customer and the model never see."""
        from conversations.api.agents import annotations  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        return lambda: annotations.add_note(self.deps.resources, opened, request)

    @route_methods.reads(f"GET {_OF_ONE}/memory", Scope.CONVERSATIONS_READ)
    def get_memory(self, request: Request[NoInput], ref: str) -> views.MemoryView:
        """Return what the model remembers of a conversation beyond the messages that it reads."""
        from conversations.api.agents import memory  # noqa: PLC0415 - see the docstring of the module

        return memory.shown(self.deps, opened_for(self.deps, request.caller, ref))

    @route_methods.changes(f"POST {_OF_ONE}/memory", _REPLY)
    def set_memory(
        self, request: Request[inputs.MemoryInput], ref: str
    ) -> Callable[[], views.WrittenMemoryView]:
        """Replace what the model remembers of a conversation; empty texts clear it."""
        from conversations.api.agents import memory  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        return lambda: memory.replace(self.deps, opened, request)
