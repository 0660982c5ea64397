"""A model that answers without files once its provider has refused them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shared.ai.port import Message, Repeat, Unavailable

if TYPE_CHECKING:
    from shared.ai.attachments import Medium
    from shared.ai.port import Model, Reply, Request

REFUSED = "(The files of this message could not be shown to you.)"


@dataclass(slots=True, eq=False)
class ReadsFiles:
    """
    A model that gets the files of *media* only, and none for the rest of its work once its provider has refused them.

    The answer without files counts: a file that cannot be read must not prevent an answer.
    """

    model: Model
    media: frozenset[Medium]

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: Request) -> Reply:
        """See `Model.reply`."""
        readable = _with_media(request, self.media)
        try:
            return self.model.reply(readable)
        except Unavailable as failure:
            if failure.repeat is not Repeat.NEVER or not readable.file_tokens:
                raise
        self.media = frozenset()
        return self.model.reply(_with_media(request, self.media))


def _with_media(request: Request, media: frozenset[Medium]) -> Request:
    """Return the request with the files of these media; its messages say which are left out."""
    history = [
        _reduced(turn, media) if isinstance(turn, Message) and turn.files else turn
        for turn in request.history
    ]
    return replace(request, history=history)


def _reduced(message: Message, media: frozenset[Medium]) -> Message:
    kept = tuple(file for file in message.files if file.medium in media)
    if len(kept) == len(message.files):
        return message
    return replace(message, text=f"{message.text}\n{REFUSED}", files=kept)
