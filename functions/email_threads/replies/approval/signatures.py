"""
The signature below a mail: of its author for the mailbox, else the author's general one, else the mailbox's.

    {name}            the author's name
    {mailbox}         the address of the mailbox
    {mailbox_name}    its display name

A line with a variable that has no value is left out. Other braces are text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from email_threads.store.items import Mailbox, Signature

VARIABLES: Final = ("name", "mailbox", "mailbox_name")
_VARIABLE: Final = re.compile(r"\{(name|mailbox|mailbox_name)\}")
_ANY: Final = re.compile(r"\{([a-z_]{1,40})\}")


def text_of(mailbox: Mailbox, author: Signature | None) -> str | None:
    """Return the signature of a mail from a mailbox, None if there is none. A mail without an author is a program's."""
    own = (author.by_mailbox.get(mailbox.address) or author.text) if author is not None else None
    template = own or mailbox.signature
    if template is None:
        return None
    values = {
        "name": author.name if author is not None else None,
        "mailbox": mailbox.address,
        "mailbox_name": mailbox.display_name,
    }
    lines = [
        _VARIABLE.sub(lambda found: values[found[1]] or "", line)
        for line in template.splitlines()
        if all(values[name] for name in _VARIABLE.findall(line))
    ]
    return "\n".join(lines).strip() or None


def has_unknown(template: str) -> bool:
    """Whether a signature has a variable that does not exist."""
    return not set(_ANY.findall(template)) <= set(VARIABLES)
