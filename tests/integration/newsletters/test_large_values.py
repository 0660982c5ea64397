"""Values that are too large for an item: whole when read, shortened in the item, checked against their hash."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsletters.store.bucket.large_values import MOST_BYTES, fitted, item_bytes
from newsletters.store.bucket.objects import Store
from newsletters.store.content.newsletters import get_newsletter_full, get_newsletter_stored
from newsletters.store.items import (
    Citation,
    Draft,
    Export,
    Outline,
    OutlineItem,
    OutlineSection,
    Reference,
    StepItem,
    Topics,
)
from shared.aws.stored_objects import ObjectUnusable
from tests.integration.newsletters.deployment import WIDE, chunk, draft, many_chunks, topics

if TYPE_CHECKING:
    from tests.integration.newsletters.deployment import Deployment

MOST_OF_AN_ITEM = 400 * 1_024  # which DynamoDB accepts
ALL_ATTRIBUTES = 100  # bytes that DynamoDB may count for an item beside its attributes


def size_of(item: dict[str, Any]) -> int:
    """The size of an item in DynamoDB's JSON as DynamoDB counts it."""
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def value_size(value: dict[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return len(content) // 2 + 2
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + value_size(one) for one in content)
        case "M":
            return 3 + sum(
                1 + len(name.encode()) + value_size(one) for name, one in content.items()
            )
    raise AssertionError(kind)


def wide_outline(code: str, *, notes: int = 1_000, references: int = 75) -> Outline:
    """Twelve sections with sixty items, all texts at their limits."""
    cited = [f"chunk-{number:012x}" for number in range(references)]
    sections = [
        OutlineSection(
            id=f"section-{order}",
            name=WIDE * 100,
            order=order,
            items=[
                OutlineItem(
                    id=f"item-{order}-{at}",
                    title=WIDE * 200,
                    description=WIDE * 500,
                    user_notes=WIDE * notes,
                    source="rag_content",
                    rag_reference_ids=cited[:10],
                )
                for at in range(5)
            ],
        )
        for order in range(1, 13)
    ]
    kept = [Reference(id=one, title=WIDE * 300, text=WIDE * 2_000) for one in cited]
    return Outline(
        **Outline.key(code),
        updated_at="",
        sections=sections,
        references=kept,
        removed_items=[item for section in sections for item in section.items],
    )


def wide_draft(code: str) -> Draft:
    """Two texts of 400 KB and one of 200 KB: a model may write more than people may save."""
    text = WIDE * 100_000
    return draft(
        code,
        text,
        user_edits=text,
        has_user_edits=True,
    ).model_copy(update={"sections": {f"section_{at}": WIDE * 4_166 for at in range(12)}})


def spilled(item: dict[str, Any]) -> dict[str, Any]:
    pointers: dict[str, Any] = item["spilled"]["M"]
    return {
        name: {one: next(iter(value.values())) for one, value in pointer["M"].items()}
        for name, pointer in pointers.items()
    }


def test_passages_are_shortened_to_500_characters_and_come_back_whole(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    written = many_chunks(code)

    found = newsletters.write(code, written)

    assert found.topics is not None
    assert found.topics.retrieved_content == written.retrieved_content
    item = newsletters.item(f"NEWSLETTER#{code}", "TOPICS")
    shown = [one["M"]["content"]["S"] for one in item["retrieved_content"]["L"]]
    assert shown == [WIDE * 500] * 75
    assert size_of(item) < MOST_BYTES
    assert item["total_chunks_retrieved"] == {"N": "75"}


def test_an_outline_with_all_texts_at_their_limits_comes_back_whole(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    written = wide_outline(code)

    found = newsletters.write(code, written)

    assert found.outline is not None
    assert found.outline.sections == written.sections
    assert found.outline.references == written.references
    assert found.outline.removed_items == written.removed_items
    item = newsletters.item(f"NEWSLETTER#{code}", "OUTLINE")
    assert size_of(item) < MOST_BYTES
    # Titles and ids stay: another reader of the item still finds the outline in it.
    first = item["sections"]["L"][0]["M"]["items"]["L"][0]["M"]
    assert (first["id"]["S"], first["title"]["S"]) == ("item-1-0", WIDE * 200)
    assert len(first["user_notes"]["S"]) < 1_000


def test_texts_of_a_draft_are_shortened_to_2000_characters_the_largest_first(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    written = wide_draft(code)

    found = newsletters.write(code, written)

    assert found.draft is not None
    assert found.draft.effective_content == written.user_edits
    assert found.draft.generated_content == written.generated_content
    assert found.draft.sections == written.sections
    item = newsletters.item(f"NEWSLETTER#{code}", "DRAFT")
    assert size_of(item) < MOST_BYTES
    shortened = [name for name in ("generated_content", "user_edits") if name in spilled(item)]
    assert shortened
    assert {item[name]["S"] for name in shortened} == {WIDE * 2_000}


def test_one_large_text_of_a_draft_is_shortened_alone(newsletters: Deployment) -> None:
    code = newsletters.create()
    written = draft(code, WIDE * 50_000, user_edits="b" * 150_000, has_user_edits=True)

    newsletters.write(code, written)

    item = newsletters.item(f"NEWSLETTER#{code}", "DRAFT")
    assert set(spilled(item)) == {"generated_content"}
    assert item["user_edits"] == {"S": "b" * 150_000}


def test_each_object_has_a_pointer_with_its_key_size_and_hash(newsletters: Deployment) -> None:
    code = newsletters.create()
    newsletters.write(code, many_chunks(code))

    pointers = spilled(newsletters.item(f"NEWSLETTER#{code}", "TOPICS"))
    objects = newsletters.objects()

    assert set(pointers) == {"retrieved_content"}
    pointer = pointers["retrieved_content"]
    assert pointer["key"].startswith(
        f"newsletters/{code}/steps/retrieval-000001-retrieved_content-"
    )
    assert set(objects) == {pointer["key"]}
    body = objects[pointer["key"]]
    assert (pointer["bytes"], pointer["sha256"]) == (
        str(len(body)),
        hashlib.sha256(body).hexdigest(),
    )
    assert json.loads(body)["value"][74]["content"] == WIDE * 2_000


def test_a_value_that_has_become_small_is_stored_in_the_item_again(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    newsletters.write(code, many_chunks(code))

    found = newsletters.write(code, many_chunks(code, 2))

    assert found.topics is not None
    assert len(found.topics.retrieved_content) == 2
    assert newsletters.item(f"NEWSLETTER#{code}", "TOPICS")["spilled"] == {"M": {}}


@pytest.mark.parametrize("damage", ["other content", "other size", "missing", "foreign key"])
def test_a_damaged_object_is_refused_and_the_stored_items_stay_readable(
    newsletters: Deployment, damage: str
) -> None:
    code = newsletters.create()
    newsletters.write(code, many_chunks(code))
    bucket = newsletters.store.bucket
    ((key, body),) = newsletters.objects().items()
    match damage:
        case "other content":
            bucket.put(key, body[:-1] + b" ")
        case "other size":
            bucket.put(key, body + b" ")
        case "missing":
            bucket.delete(key)
        case _:
            item = newsletters.table.get(Topics.key(code)) or {}
            pointer = item["spilled"]["retrieved_content"]
            elsewhere = pointer | {"key": key.replace(code, "NL-20261102-ZZZZ")}
            newsletters.table.update(
                Topics.key(code), put={"spilled": {"retrieved_content": elsewhere}}
            )

    with pytest.raises(ObjectUnusable):
        get_newsletter_full(newsletters.store, code)

    stored = get_newsletter_stored(newsletters.table, code)
    assert stored is not None
    assert stored.topics is not None
    assert len(stored.topics.retrieved_content) == 75


def test_exports_stay_in_the_item_however_large_the_draft_is(newsletters: Deployment) -> None:
    code = newsletters.create()
    export = Export(s3_key="k" * 1_000, generated_at="", file_size=1, warnings=["w" * 500] * 20)
    written = wide_draft(code).model_copy(update={"exports": {"pdf": export}})

    found = newsletters.write(code, written)

    assert found.draft is not None
    assert found.draft.exports == {"pdf": export}
    assert "exports" not in spilled(newsletters.item(f"NEWSLETTER#{code}", "DRAFT"))


class _Bucket:
    """Takes objects; this property is about items alone."""

    def put(self, key: str, body: bytes, content_type: str = "") -> None:
        assert key
        assert body
        assert not content_type


def _any_step(kind: str, count: int, text: int, title: int) -> StepItem:
    code = "NL-20261102-AAAA"
    words = WIDE * text
    if kind == "topics":
        address = "https://" + "a" * title * 4
        return topics(
            code,
            [chunk(n, words[:2_000], title=WIDE * title, uri=address) for n in range(count)],
        )
    if kind == "outline":
        return wide_outline(code, notes=text, references=8 * count)
    cited = [
        Citation(n=n, chunk_id="chunk-000000000001", title=WIDE * title, url="u" * 4 * title)
        for n in range(8 * count)
    ]
    return draft(code, words * 20, user_edits=words * 20).model_copy(
        update={"citations": cited, "sections": {f"s{n}": words for n in range(count)}}
    )


@pytest.mark.long
@given(
    kind=st.sampled_from(["topics", "outline", "draft"]),
    count=st.integers(0, 75),
    text=st.integers(0, 2_500),
    title=st.integers(1, 500),
)
@settings(max_examples=25)
def test_no_item_reaches_the_limit_of_dynamodb(
    kind: str, count: int, text: int, title: int
) -> None:
    step = _any_step(kind, count, text, title)
    store = Store(None, _Bucket())  # type: ignore[arg-type] # neither is read

    item = fitted(store, "NL-20261102-AAAA", step)

    assert item_bytes(item) + ALL_ATTRIBUTES <= MOST_BYTES + ALL_ATTRIBUTES < MOST_OF_AN_ITEM
    assert type(step).read(item).PK == step.PK
