"""The scripted model's outline of a newsletter, in the schema `newsletter_outline_v2`."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

from local.scripted_model.answer import ScriptedAnswer
from local.scripted_model.newsletters.faults import Fault, break_outline, fault_in
from local.scripted_model.newsletters.inputs import FRAME, OutlineInput
from local.scripted_model.newsletters.sentences import one_line, sentences_of, shortened
from local.scripted_model.newsletters.wordings import wording_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from local.scripted_model.newsletters.inputs import PassageInput, PlannedInput
    from local.scripted_model.newsletters.wordings import NewsletterWording

LONGEST_TITLE: Final = 90
_LONGEST_DESCRIPTION: Final = 500
_LONGEST_NAME: Final = 100


def answer(text: str, *, is_first_attempt: bool = True) -> ScriptedAnswer:
    """Return the outline for *text*, the JSON of an `OutlineInput`. Raises ValueError."""
    request = OutlineInput.model_validate_json(text)
    language = request.newsletter.language
    wording = wording_of(language)
    fault = fault_in(request.newsletter.description, is_first_attempt=is_first_attempt)
    taken = {_compared(title) for title in (*request.keep, *request.avoid)}
    sections: dict[str, Any] = {}
    for planned in request.plan:
        passages = [one for one in request.passages if one.section == planned.section]
        items = (
            [_frame_item(planned.section, wording, taken)]
            if planned.section in FRAME
            else _items(passages, planned.items, wording, taken)
        )
        sections[planned.section] = {"name": _name(planned, language, wording), "items": items}
    break_outline(sections, fault)
    return ScriptedAnswer(sections, is_cut=fault is Fault.JSON, is_refused=fault is Fault.REFUSE)


def _name(planned: PlannedInput, language: str, wording: NewsletterWording) -> str:
    is_english = language.split("-", maxsplit=1)[0].casefold() == "en"
    name = planned.name if is_english else wording.names.get(planned.section, planned.name)
    return shortened(name, _LONGEST_NAME)


def _frame_item(kind: str, wording: NewsletterWording, taken: set[str]) -> dict[str, Any]:
    is_introduction = kind == "introduction"
    title = wording.welcome if is_introduction else wording.closing
    about = wording.welcome_about if is_introduction else wording.closing_about
    return {"title": _free([title], taken), "description": about}


def _items(
    passages: Sequence[PassageInput], most: int, wording: NewsletterWording, taken: set[str]
) -> list[dict[str, Any]]:
    """Return an item for each passage with a title that is not taken, and at least one if there are passages."""
    items: list[dict[str, Any]] = []
    for passage in passages:
        title = _title(passage)
        if len(items) < most and title and _compared(title) not in taken:
            items.append(_item(passage, _free([title], taken)))
    if not items and passages:
        titles = (
            shortened(sentence, LONGEST_TITLE)
            for passage in passages[:1]
            for sentence in sentences_of(passage.text)[1:]
        )
        first = _title(passages[0]) or passages[0].label
        more = shortened(wording.more.format(title=first), LONGEST_TITLE)
        items.append(_item(passages[0], _free(chain(titles, [more]), taken)))
    return items


def _item(passage: PassageInput, title: str) -> dict[str, Any]:
    sentences = sentences_of(passage.text)
    further = [one for one in sentences if _compared(one) != _compared(title)]
    following = further[1:] if len(further) == len(sentences) > 1 else further
    description = shortened(following[0], _LONGEST_DESCRIPTION) if following else ""
    return {"title": title, "description": description, "refs": [passage.label]}


def _title(passage: PassageInput) -> str:
    """Return the first sentence if it is short, else the shortened title of the passage; empty if it has no words."""
    sentences = sentences_of(passage.text)
    if sentences and len(sentences[0]) <= LONGEST_TITLE:
        return sentences[0]
    title = one_line(passage.title)
    return shortened(title or (sentences[0] if sentences else ""), LONGEST_TITLE)


def _free(titles: Iterable[str], taken: set[str]) -> str:
    """Return the first title that is not taken, and take it; the last one is numbered if all are."""
    title = next(one for one in _numbered(titles) if _compared(one) not in taken)
    taken.add(_compared(title))
    return title


def _numbered(titles: Iterable[str]) -> Iterator[str]:
    last = ""
    for last in titles:
        yield last
    yield from (f"{last} ({number})" for number in count(2))


def _compared(title: str) -> str:
    return " ".join(title.split()).casefold()
