"""
Recognises the words by which customers ask for no more messages: the evidence that an opt-out of the model needs.

Keywords that opt out without a model are in `shared.policy.consent`.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from conversations.ai.phrases.phrase_list import has_phrase
from shared.ai.texts.languages.function_words import plain_words


class _Words(BaseModel):
    """The content of opt_outs.toml; *kept* are phrases that mean the opposite."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kept: str
    unspaced: str
    languages: dict[str, str]


def wants_no_messages(words: Sequence[str]) -> bool:
    """Return whether the plain *words* ask for no more messages, in any of the languages."""
    listed = _words()
    if has_phrase(listed.kept, words):
        return False
    if any(has_phrase(phrases, words) for phrases in listed.languages.values()):
        return True
    text = "".join(words)
    return not text.isascii() and any(
        "".join(plain_words(part)) in text for part in listed.unspaced.split(",")
    )


@cache
def _words() -> _Words:
    read = resources.files(__package__).joinpath("opt_outs.toml").read_text("utf-8")
    return _Words.model_validate(tomllib.loads(read))
