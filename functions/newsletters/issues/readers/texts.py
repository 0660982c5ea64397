"""Texts of the pages and mails by which people sign up, choose, and read earlier issues, by language."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import Final

from newsletters.issues.reader_texts import DEFAULT


@dataclass(frozen=True, slots=True)
class PageTexts:
    """*{title}* is the title of a list, *{sender}* the name of the sender of its mails."""

    name: str  # of the language, in itself
    subscribe_to: str
    email: str
    first_name: str
    consent: str
    subscribe: str
    look_in_inbox: str
    mail_comes: str
    email_invalid: str
    too_many: str
    confirm: str
    confirmed: str
    expired: str
    mail_subject: str
    mail_request: str
    mail_ignore: str
    choices: str
    lists: str
    topics: str
    topics_hint: str
    language: str
    how_often: str
    every_issue: str
    weekly: str
    monthly: str
    save: str
    saved: str
    changed_meanwhile: str
    leave_all: str
    my_data: str
    test_mail: str
    archive: str
    no_issues: str
    older: str
    ask_link: str
    ask_link_hint: str
    send_link: str
    link_comes: str
    link_subject: str
    link_request: str
    link_ignore: str
    link_expired: str
    erase: str
    erase_comes: str
    erase_subject: str
    erase_request: str
    erase_explained: str
    erase_confirm: str
    erased: str


_TEXTS: Final[dict[str, dict[str, str]]] = json.loads(
    resources.files(__package__).joinpath("texts.json").read_text("utf-8")
)
LANGUAGES: Final = tuple(_TEXTS)


def language_of(*tags: str | None) -> str:
    """Return the first language of some tags (BCP 47) that has texts, English if none has."""
    primary = ((tag or "").partition("-")[0].lower() for tag in tags)
    return next((one for one in primary if one in _TEXTS), DEFAULT)


def page_texts(language: str) -> PageTexts:
    """Return the texts of a language, as `language_of` returns it."""
    return PageTexts(**_TEXTS[language])
