"""Response models of labels, snoozes, ratings, notes and the memory."""

from shared.api.models.views import View


class AnnotatedView(View):
    """The annotations of a conversation after a change. Without labels: they are texts, and answers are stored."""

    ref: str
    revision: int
    snoozed_until: str | None


class RatedView(View):
    """The rating of the caller after the change; absent if there is none."""

    ref: str
    entry_id: str
    rating: str | None


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


class MemoryView(View):
    """
    What the model remembers of a conversation beyond the messages that it reads. `revision` is 0 if there is nothing.

    `by`: `ai`, or the person or API key that changed it. `up_to`: the time of the newest message in it.
    """

    summary: str
    facts: list[str]
    revision: int
    by: str | None
    at: str | None
    up_to: str | None


class WrittenMemoryView(View):
    """A memory that was changed. Without its texts: answers are stored."""

    ref: str
    revision: int
