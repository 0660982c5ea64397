"""The scripted model's text of a section, in the schema `newsletter_section_v2`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from local.scripted_model.answer import ScriptedAnswer
from local.scripted_model.newsletters.faults import Fault, break_section, fault_in
from local.scripted_model.newsletters.inputs import FRAME, TextInput
from local.scripted_model.newsletters.sentences import (
    one_line,
    sentences_of,
    shortened,
    word_count,
)
from local.scripted_model.newsletters.wordings import wording_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from local.scripted_model.newsletters.inputs import ItemInput, PassageInput

    type Block = dict[str, Any]

_QUOTE: Final = "quote:"
_LISTED_ITEMS: Final = 3  # from this number on, the section begins with a list of its items
_NAMED_TITLES: Final = 8
_LONGEST_TITLE: Final = 90
_LONGEST_PARAGRAPH: Final = 1_200
_LONGEST_BLOCK: Final = 4_000
_MOST_BLOCKS: Final = 79  # one less than allowed: a fault may add one


def answer(text: str, *, is_first_attempt: bool = True) -> ScriptedAnswer:
    """Return the blocks of the section for *text*, the JSON of a `TextInput`. Raises ValueError."""
    request = TextInput.model_validate_json(text)
    fault = fault_in(request.newsletter.description, is_first_attempt=is_first_attempt)
    blocks = _frame(request) if request.section.kind in FRAME else _content(request)
    blocks = blocks[:_MOST_BLOCKS]
    break_section(blocks, fault, request)
    return ScriptedAnswer(
        {"blocks": blocks}, is_cut=fault is Fault.JSON, is_refused=fault is Fault.REFUSE
    )


def _frame(request: TextInput) -> list[Block]:
    wording = wording_of(request.newsletter.language)
    if request.section.kind != "introduction":
        return [_block("paragraph", wording.thanks, [], request)]
    blocks = [_block("paragraph", wording.greeting, [], request)]
    titled: dict[str, str] = {}
    for passage in request.passages:
        if title := _title(passage):
            titled.setdefault(title, passage.label)
    named = list(titled.items())[:_NAMED_TITLES]
    if named:
        text = wording.issue.format(titles="; ".join(title for title, _ in named))
        blocks.append(_block("paragraph", text, [label for _, label in named], request))
    return blocks


def _title(passage: PassageInput) -> str:
    sentences = sentences_of(passage.text)
    title = one_line(passage.title) or (sentences[0] if sentences else "")
    return shortened(title, _LONGEST_TITLE).rstrip(".")


def _content(request: TextInput) -> list[Block]:
    """Return the blocks of all items. The words are shared equally."""
    blocks: list[Block] = []
    if len(request.items) >= _LISTED_ITEMS:
        blocks += [
            _block("bullet", one_line(item.title) or item.title, item.refs, request)
            for item in request.items
            if item.refs
        ]
    words = request.section.words // max(1, len(request.items))
    for item in request.items:
        blocks += _item_blocks(item, words, request)
    return blocks


def _item_blocks(item: ItemInput, words: int, request: TextInput) -> list[Block]:
    blocks = [_block("subheading", one_line(item.title) or item.title, [], request)]
    passages = [one for one in request.passages if one.label in item.refs]
    left = words
    for passage in passages:
        chosen: list[str] = []
        for sentence in _without_title(sentences_of(passage.text), item.title):
            # The first sentence of the item is written in any case.
            if left < word_count(sentence) and (chosen or left < words):
                break
            chosen.append(sentence)
            left -= word_count(sentence)
        blocks += [
            _block("paragraph", text, [passage.label], request) for text in _paragraphs(chosen)
        ]
    if not passages and item.description.strip():
        blocks.append(_block("paragraph", one_line(item.description), [], request))
    return [*blocks, *_quote(item, passages, request)]


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    """Return sentences joined to paragraphs, which are longer than usual only if one sentence is."""
    paragraphs: list[str] = []
    for sentence in sentences:
        if paragraphs and len(paragraphs[-1]) + len(sentence) < _LONGEST_PARAGRAPH:
            paragraphs[-1] += f" {sentence}"
        else:
            paragraphs.append(sentence)
    return paragraphs


def _quote(item: ItemInput, passages: Sequence[PassageInput], request: TextInput) -> list[Block]:
    """Return a quote of the sentence that the notes ask for, else of the first one; none without such notes."""
    notes = item.notes.strip()
    if not notes.casefold().startswith(_QUOTE):
        return []
    wanted = " ".join(notes[len(_QUOTE) :].split()).casefold()
    sentences = [(one, passage.label) for passage in passages for one in sentences_of(passage.text)]
    found = [one for one in sentences if wanted in one[0].casefold()] or sentences
    return [_block("quote", text, [label], request) for text, label in found[:1]]


def _without_title(sentences: list[str], title: str) -> list[str]:
    """Return the sentences without the first one if it is the title of the item and others follow."""
    is_title = len(sentences) > 1 and sentences[0].casefold() == title.strip().casefold()
    return sentences[1:] if is_title else sentences


def _block(kind: str, text: str, labels: Sequence[str], request: TextInput) -> Block:
    """Return a block. The schema has no labels if the request has no passages."""
    block: Block = {"kind": kind, "text": shortened(text, _LONGEST_BLOCK)}
    return block | {"refs": list(labels)} if request.passages else block
