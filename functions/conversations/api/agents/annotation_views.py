"""Response models of labels, snoozes and notes."""

from shared.api.models.views import View


class AnnotatedView(View):
    """The annotations of a conversation after a change. Without labels: they are texts, and answers are stored."""

    ref: str
    revision: int
    snoozed_until: str | None


class NoteView(View):
    """An internal note. `by`: the person or the API key that wrote it."""

    id: str
    at: str
    by: str
    text: str


class NotesView(View):
    """Page of notes, newest first. `before` is absent on the last page."""

    notes: list[NoteView]
    before: str | None


class WrittenNoteView(View):
    """A note that was written."""

    id: str
    at: str
