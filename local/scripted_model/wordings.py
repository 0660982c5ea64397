"""Phrases that the scripted model recognises, and its replies, per language: the tables of wordings.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """
    Phrases and replies of one language. The first group are phrases in the form of `has_phrase`.

    Case and accents are ignored. A phrase that begins with `=` must be the whole message. `yes`, `no` and `unsure`
    match only at the beginning of a message.
    """

    leave_me: str
    yes: str
    no: str
    unsure: str
    thanks: str

    hello: str
    by_both: str  # {rep}, {company}
    by_one: str  # {who}
    ask: str  # {point}
    noted: str
    all_noted: str
    fact: str  # {label}, {value}
    promise: str
    closing: str
    unknown: str
    done: str


_read = resources.files("local.scripted_model").joinpath("wordings.toml").read_text("utf-8")
WORDINGS: Mapping[str, Wording] = {
    language: Wording(**table) for language, table in tomllib.loads(_read).items()
}
