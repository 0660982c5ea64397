"""Every value of a provider's payload is in a stored item or object, or is on a short list of exclusions."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.whatsapp.sample_builder import Sample
from events.whatsapp.sample_data import APP_ID, WORKSHOP
from events.whatsapp.samples import samples
from shared.runtime import clock
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone
from whatsapp import store
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.store.items import Phone

type Json = Any
type Path = tuple[str, ...]  # names of the objects' fields; positions in lists are left out

MOST_EXCLUSIONS = 15
# Values that are stored nowhere, by the end of their path in the body, and why.
EXCLUSIONS = {
    r"^object$": "the same in every webhook",
    r"\.value\.messaging_product$": "the same in every webhook",
    r"^entry\.id$": "the registration of the number names its account",
    r"\.metadata\.display_phone_number$": "the registration of the number has its digits",
    r"\.changes\.field$": "it chooses the type of the item",
    r"\.(messages|message_echoes)\.type$ of edit, revoke, reaction": "the type of the item says it",
    r"\.(image|video|audio|document|sticker)\.url$": "expires after five minutes; the file's id is stored",
    r"\.calls\.session\.": "the description of a call's session (SDP) is secret and expires",
    r"\.history\.metadata\.(phase|chunk_order|progress)$": "the progress of a transfer, not content",
    r"\.groups\.type$": "it chooses the attribute that changes",
    r"\.calls\.event$": "a key of `steps`, or the status",
    r"\.statuses\.type$ of a call": "the type of the item says it",
    r"\.group_(subject|description)\.update_successful$": "a name is stored only if this is true",
}
CHANGES_OF_MESSAGES = {"edit", "revoke", "reaction"}
# Attributes under another name than the provider's, for values that are not unique: flags.
NAMES = {"frequently_forwarded": "forwardedManyTimes"}
MEDIA = {"image", "video", "audio", "document", "sticker"}
TEXTS = {
    "body", "caption", "filename", "name", "title", "description", "text", "details", "message", "payload", "address",
    "formatted_name", "headline", "username", "subject", "response_json",
}  # fmt: skip
# Names under which Parley stores something beside the provider's fields.
TAKEN = ("contact", "sender_contact", "other_fields", "payload", "content")
LISTS = {"contacts", "product_items", "errors", "phones", "added_participants"}
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True)
class Change:
    """A change of a sample: at one of the places where its kind applies."""

    kind: str
    place: int
    size: int


CHANGES = st.lists(
    st.builds(
        Change,
        st.sampled_from(
            ["unknown text", "unknown number", "unknown object", "taken name", "long text", "many"]
        ),
        st.integers(0, 200),
        st.sampled_from([1, 40, 257, 1_100, 4_097, 9_000, 20_000]),
    ),
    min_size=1,
    max_size=4,
)
ACCEPTED = [
    sample
    for sample in samples()
    if sample.entries and sample.expects.accepted and not sample.expects.refused
]


def changed(body: Json, changes: list[Change]) -> Json:
    """A body with unknown fields, long texts and long lists."""
    body = copy.deepcopy(body)
    for number, change in enumerate(changes):
        apply = {"long text": _lengthen, "many": _multiply}.get(change.kind, _add_unknown)
        apply(body, change, f"{change.kind.replace(' ', '-')}-{number}")
    return body


def _add_unknown(body: Json, change: Change, label: str) -> None:
    objects = [part for path, part in _parts(body) if isinstance(part, dict) and "value" in path]
    value: Json = f"{label} {'ü' * change.size}"
    if change.kind == "unknown number":
        value = 77_000_000 + change.place * 1_000 + change.size
    if change.kind == "unknown object":
        value = {"deep": [{"deeper": value, "flag": True}, f"second {label}"]}
    name = TAKEN[change.size % len(TAKEN)] if change.kind == "taken name" else f"new_{label}"
    if objects:
        objects[change.place % len(objects)].setdefault(name, value)


def _lengthen(body: Json, change: Change, label: str) -> None:
    texts = [
        (part, name)
        for path, part in _parts(body)
        if isinstance(part, dict) and "value" in path
        for name, value in part.items()
        if name in TEXTS and isinstance(value, str)
    ]
    if texts:
        part, name = texts[change.place % len(texts)]
        part[name] = f"{label} {part[name]} " + "x" * change.size


def _multiply(body: Json, change: Change, label: str) -> None:
    lists = [
        part
        for path, part in _parts(body)
        if isinstance(part, list)
        and path[-1] in LISTS
        and len(path) > len(("entry", "changes", "value", "x"))
    ]
    if lists:
        entries = lists[change.place % len(lists)]
        entries += [
            {"wa_id": f"4477009{copied:05}", "note": f"{label} {copied}"}
            for copied in range(min(change.size, 120))
        ]


def _parts(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    yield path, value
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from _parts(entry, (*path, name))
    if isinstance(value, list | set):
        for entry in value:
            yield from _parts(entry, path)


def leaves(value: Json) -> Iterator[tuple[Path, Json]]:
    """The values of a body with their paths; a missing value (null, empty text) says nothing."""
    for path, part in _parts(value):
        if not isinstance(part, dict | list | set) and part not in (None, ""):
            yield path, part


def is_excluded(path: Path, value: Json) -> bool:
    """Whether the list of exclusions has the path."""
    where = ".".join(path)
    if re.search(r"\.(messages|message_echoes)\.type$", where):
        return value in CHANGES_OF_MESSAGES
    if where.endswith(".statuses.type"):
        return bool(value == "call")
    return any(re.search(pattern, where) for pattern in EXCLUSIONS)


@dataclass(frozen=True)
class Stored:
    """All values of the items and objects, and the keys of the items."""

    values: frozenset[str]
    flags: frozenset[tuple[str, bool]]
    keys: str

    def has(self, path: Path, value: Json) -> bool:
        """Whether a value is stored: itself, in a key, or as a time in our format."""
        if isinstance(value, bool):
            return bool({(path[-1], value), (NAMES.get(path[-1], path[-1]), value)} & self.flags)
        text = _text(value)
        return (
            text in self.values
            or text in self.keys
            or (
                bool(re.fullmatch(r"\d{10}", text))
                and clock.to_text(int(text) * 1_000)[:19] in self.values
            )
        )


def stored(harness: Harness) -> Stored:
    """Everything in the table and the bucket, except registrations."""
    items = [
        {name: _deserialize(value) for name, value in item.items()}
        for item in harness.dynamodb.scan(TableName=harness.resources.table.name)["Items"]
    ]
    items = [item for item in items if not item["pk"].startswith("PHONE")]
    bucket = harness.resources.bucket
    objects = [json.loads(bucket.get(key)) for key in bucket.all_keys_under("")]
    found = [(path, value) for part in (*items, *objects) for path, value in leaves(part)]
    texts = {_text(value) for _, value in found if not isinstance(value, bool)}
    return Stored(
        frozenset(texts | {text[:19] for text in texts if text.startswith("20")}),
        frozenset((path[-1], value) for path, value in found if isinstance(value, bool)),
        " ".join(item["pk"] for item in items),
    )


def _text(value: Json) -> str:
    return value if isinstance(value, str) else f"{float(value):.12g}"


def _forget(harness: Harness) -> None:
    harness.outbox.entries.clear()
    table = harness.resources.table
    for key in harness.keys():
        if not key.startswith("PHONE"):
            table.delete({"pk": key})
    for key in list(harness.resources.bucket.all_keys_under("")):
        harness.resources.bucket.delete(key)


def deliver(harness: Harness, sample: Sample, body: Json) -> None:
    """Process all events of a body."""
    source = "eum" if sample.is_social else "meta"
    delivery = Delivery(source, "" if sample.is_social else APP_ID, NOW + 86_400_000)
    for event in events_of(body, delivery):
        harness.handle(queue_entry(event).body)


def before(sample: Sample) -> list[Sample]:
    """The samples with the messages that this one names."""
    return [
        earlier
        for earlier in ACCEPTED[: ACCEPTED.index(sample)]
        if any(
            item["id"] in str(sample.entries)
            for item in earlier.items("messages", "message_echoes")
        )
    ]


def missing(harness: Harness, sample: Sample, changes: list[Change]) -> list[Path]:
    """The paths of the values that are not stored after a changed sample."""
    _forget(harness)
    for earlier in before(sample):
        deliver(harness, earlier, {"entry": earlier.entries})
    body = changed({"entry": sample.entries}, changes)
    deliver(harness, sample, body)
    kept = stored(harness)
    return [
        path
        for path, value in leaves(body)
        if not is_excluded(path, value) and not kept.has(path, value)
    ]


@pytest.fixture
def numbers(harness: Harness) -> Harness:
    workshop = a_phone(
        pk=Phone.key(WORKSHOP.phone), phone=WORKSHOP.phone, display_phone=WORKSHOP.display, phone_arn=WORKSHOP.arn,
        provider="eum", aws_phone="phone-number-id-1", aws_waba="waba-1", waba_meta_id=WORKSHOP.waba,
    )  # fmt: skip
    store.phones.register(harness.resources.table, workshop)
    assert PHONE in str(ACCEPTED[0].entries)
    return harness


@pytest.mark.parametrize("sample", ACCEPTED, ids=lambda sample: sample.name)
def test_every_value_of_a_sample_is_stored(numbers: Harness, sample: Sample) -> None:
    assert missing(numbers, sample, []) == []


# A message that is stored already has its own samples: a second one with its id is a duplicate or a conflict.
FIRST_DELIVERIES = [sample for sample in ACCEPTED if not sample.expects.duplicate]


@pytest.mark.long
@settings(max_examples=250, suppress_health_check=list(HealthCheck))
@given(sample=st.sampled_from(FIRST_DELIVERIES), changes=CHANGES)
def test_every_value_of_a_payload_with_unknown_fields_and_long_texts_and_lists_is_stored(
    numbers: Harness, sample: Sample, changes: list[Change]
) -> None:
    assert missing(numbers, sample, changes) == []


def test_there_are_few_exclusions_each_with_its_reason() -> None:
    assert len(EXCLUSIONS) <= MOST_EXCLUSIONS
    assert all(EXCLUSIONS.values())
