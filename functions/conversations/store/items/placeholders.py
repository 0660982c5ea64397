"""The stored text of a message that has none: its kind, or the kinds of its files, in square brackets."""

from collections.abc import Iterable

from conversations.store.items.log import Message


def placeholder(kind: str, mime_types: Iterable[str | None]) -> str:
    """Return the text of a message of this kind whose files have these types."""
    names = [f"[{(mime_type or 'file').partition('/')[0]}]" for mime_type in mime_types]
    return " ".join(names) or f"[{kind}]"


def own_text(message: Message) -> str:
    """Return what the author of a stored message has written: empty for a placeholder and for a reaction."""
    if message.kind == "reaction":
        return ""
    stands_for_files = placeholder(message.kind, (file.get("mime_type") for file in message.media))
    return "" if message.content == stands_for_files else message.content
