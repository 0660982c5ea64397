"""Finds where mail clients mark the quoted mail and the signature in HTML, and the same quote in the plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# Mail clients put these around the mail that is answered, or above it. Other clients add "x_" when they quote them.
_QUOTE_CLASSES: Final = frozenset(
    {
        "gmail_quote",
        "gmail_quote_container",
        "gmail_attr",
        "yahoo_quoted",
        "moz-cite-prefix",
        "protonmail_quote",
    }
    | {"OutlookMessageHeader", "zmail_extra", "zmail_extra_hr", "tutanota_quote"}
    | {"ms-outlook-mobile-reference-message", "moz-forward-container", "cite_prefix"}
)
_QUOTE_IDS: Final = frozenset(
    {
        "divRplyFwdMsg",
        "appendonsend",
        "OLK_SRC_BODY_SECTION",
        "mail-editor-reference-message-container",
    }
    | {"reply-intro", "isReplyContent", "isForwardContent", "oriMsgHtmlSeperator"}
)
_QUOTE_ID_STARTS: Final = ("yahoo_quoted", "zmail_extra")
# Around the signature, in classes, ids and names of elements, in lower case.
_SIGNATURE: Final = re.compile(
    r"signature(?!_?prefix)|^(?:zm-_id_-sgn|canarysig|bloop_sign|mb_sig)"
)
# Outlook's line above the headers of the quoted mail.
_OUTLOOK_RULE: Final = re.compile(
    r"border-top\s*:\s*(?:solid\s+#(?:e1e1e1|b5c4df)|#(?:e1e1e1|b5c4df)\s+(?:1pt|1\.0pt)\s+solid)",
    re.IGNORECASE,
)
_MOST_CHARACTERS: Final = 64 * 1024
_COMPARED: Final = 40  # letters and digits
_FEWEST_COMPARED: Final = 12


def starts_quote(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether a mail client marks an element as the quoted mail, or as the line above it."""
    classes = {name.removeprefix("x_") for name in attributes.get("class", "").split()}
    named = attributes.get("id", "").removeprefix("x_")
    return (
        not _QUOTE_CLASSES.isdisjoint(classes)
        or named in _QUOTE_IDS
        or named.startswith(_QUOTE_ID_STARTS)
        or (tag == "blockquote" and attributes.get("type", "").lower() == "cite")
        or bool(_OUTLOOK_RULE.search(attributes.get("style", "")))
    )


def starts_signature(attributes: Mapping[str, str]) -> bool:
    """Whether a mail client marks an element as the signature of its writer."""
    names = [*attributes.get("class", "").split(), *map(attributes.get, ("id", "name"))]
    return any(_SIGNATURE.search(name.lower()) for name in names if name)


def aligned(above: str, plain: str) -> int | None:
    """
    Return the offset in a plain text at which the quote begins, None if it is not found.

    *above*: the text of the HTML alternative above its mark. Clients wrap and decorate text differently: only letters
    and digits are compared, all of them from the start, else the last 40.
    """
    signs = "".join(filter(str.isalnum, above))
    positions = [at for at, sign in enumerate(plain[:_MOST_CHARACTERS]) if sign.isalnum()]
    searched = "".join(plain[at] for at in positions)
    count = len(signs)
    if not searched.startswith(signs):
        ending = signs[-_COMPARED:]
        found = searched.find(ending) if len(ending) >= _FEWEST_COMPARED else -1
        count = found + len(ending) if found >= 0 else 0
    if not count:
        return None
    end = plain.find("\n", positions[count - 1])
    return len(plain) if end < 0 else end + 1
