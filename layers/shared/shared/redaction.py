"""Personal data and secrets taken out of texts and payloads, by one set of rules for all sinks."""

import re
from collections.abc import Mapping
from typing import Any

_RULES = (
    ("[email]", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")),
    (
        "[token]",
        re.compile(
            r"\b(?:Bearer\s+\S+|EAA\w{16,}|sk-[\w-]{16,}|AKIA\w{12,}|pk_[0-9a-zA-Z]+_[\w-]{16,})"
        ),
    ),
    ("[signature]", re.compile(r"\bsha256=[0-9a-fA-F]{16,}")),
    # A phone number: 8 to 15 digits, with the separators people write, and not inside a longer word or id.
    ("[phone]", re.compile(r"(?<![\w.:-])\+?\d(?:[ ().-]{0,2}\d){7,14}(?![\w:-])")),
)

# Fields of provider payloads whose values are words of the provider, never of a person.
_PROVIDER_WORDS = frozenset(
    {"type", "status", "event", "field", "kind", "code", "object", "mime_type"}
)
_WORD = re.compile(r"[A-Za-z0-9_/+.-]{1,64}", re.ASCII)
_MAX_ENTRIES = 20


def redact(text: str) -> str:
    """*text* with e-mail addresses, phone numbers, tokens and signatures replaced by a mark that names the kind."""
    for mark, pattern in _RULES:
        text = pattern.sub(mark, text)
    return text


def outline(value: Any, key: str = "") -> Any:  # noqa: ANN401 - any JSON value
    """
    The shape of a provider's payload without its content: keys, types and lengths.

    Only the words of the provider itself (`type`, `status`, error codes ...) keep their values. For parked events:
    enough to see what came, nothing of what was said or who said it.
    """
    if isinstance(value, Mapping):
        entries = list(value.items())[:_MAX_ENTRIES]
        return {redact(str(name))[:64]: outline(entry, str(name)) for name, entry in entries}
    if isinstance(value, list):
        return [outline(entry, key) for entry in value[:_MAX_ENTRIES]]
    if isinstance(value, str):
        if key in _PROVIDER_WORDS and _WORD.fullmatch(value) and redact(value) == value:
            return value
        return f"<text of {len(value)}>"
    if key == "code" and isinstance(value, int):
        return value
    return value if isinstance(value, bool) or value is None else "<number>"
