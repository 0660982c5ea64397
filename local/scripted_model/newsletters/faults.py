"""
Rules that the scripted model breaks on request: a marker `[[break:{rule}]]` in the description of the newsletter.

    json     the answer ends in its middle
    label    an item or a block names an unknown label
    link     a block has an invented link and a bare address
    number   a block has a number that no source has
    uncited  a block of a section with sources has no label
    refuse   the model refuses

`[[break:once:{rule}]]` breaks the rule in the first attempt only. The first marker applies.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from local.scripted_model.newsletters.inputs import FRAME

if TYPE_CHECKING:
    from local.scripted_model.newsletters.inputs import TextInput

UNKNOWN_LABEL: Final = "c99999"
INVENTED_ADDRESS: Final = "https://invented.example/x"
_FIRST_NUMBER: Final = 7_654_321


class Fault(StrEnum):
    """A rule that the answer breaks."""

    JSON = "json"
    LABEL = "label"
    LINK = "link"
    NUMBER = "number"
    UNCITED = "uncited"
    REFUSE = "refuse"


_MARKER: Final = re.compile(rf"\[\[break:(?P<once>once:)?(?P<rule>{'|'.join(Fault)})\]\]")


def fault_in(description: str, *, is_first_attempt: bool) -> Fault | None:
    """Return the rule that the newsletter's description asks to break in this attempt."""
    marker = _MARKER.search(description)
    if marker is None or (marker["once"] and not is_first_attempt):
        return None
    return Fault(marker["rule"])


def break_outline(sections: dict[str, Any], fault: Fault | None) -> None:
    """Break the rule in an outline; only an unknown label is possible."""
    if fault is Fault.LABEL:
        items = [item for section in sections.values() for item in section["items"]]
        cited = [item for item in items if item.get("refs")]
        for item in cited[:1]:
            item["refs"].append(UNKNOWN_LABEL)


def break_section(blocks: list[dict[str, Any]], fault: Fault | None, request: TextInput) -> None:
    """Break the rule in the blocks of a section."""
    labels = [passage.label for passage in request.passages[:1]]
    match fault:
        case Fault.LABEL:
            blocks[-1].setdefault("refs", []).append(UNKNOWN_LABEL)
        case Fault.LINK:
            text = f"Read [the report]({INVENTED_ADDRESS}) or see {INVENTED_ADDRESS} for more."
            blocks.append(_paragraph(text, labels, request))
        case Fault.NUMBER:
            text = f"The total is {_unknown_number(request)}."
            blocks.append(_paragraph(text, labels, request))
        case Fault.UNCITED if request.section.kind not in FRAME:
            blocks.append(_paragraph("This statement has no source.", [], request))
        case _:
            return


def _paragraph(text: str, labels: list[str], request: TextInput) -> dict[str, Any]:
    block: dict[str, Any] = {"kind": "paragraph", "text": text}
    return block | {"refs": labels} if request.passages else block


def _unknown_number(request: TextInput) -> int:
    sources = " ".join(
        [part for one in request.passages for part in (one.title, one.text)]
        + [part for item in request.items for part in (item.title, item.description, item.notes)]
    )
    digits = "".join(sign for sign in sources if sign.isdecimal())
    return next(number for number in count(_FIRST_NUMBER) if str(number) not in digits)
