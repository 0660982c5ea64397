"""Changes over the API are made once per idempotency key, in every context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from conversations.store.items.records import Answered
from richpanel.store.items import TTL_ATTRIBUTE, ApiRequest
from shared.api import idempotency
from shared.api.errors import KeyReused, StillRunning
from shared.api.idempotency import Answer, RequestedChange, Requests
from shared.api.opaque_ids import Seal
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.simulation import stored
from tests.template import create_table
from whatsapp.store.items.sending.requests import Idempotency

if TYPE_CHECKING:
    from shared.api.idempotency import RequestItem

NOW = 1_767_268_800_000
LEASE_MS = 29_000
KINDS: list[tuple[str, type[RequestItem], str]] = [
    ("ConversationLogTable", Answered, "ttl"),
    ("RichpanelIdempotencyTable", ApiRequest, TTL_ATTRIBUTE),
    ("WhatsAppTable", Idempotency, "ttl"),
]


class Died(BaseException):
    """The process is killed here."""


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    virtual = Clock()
    monkeypatch.setattr(clock, "now_ms", virtual)
    return virtual


@pytest.fixture(params=KINDS, ids=lambda kind: kind[0])
def requests(time: Clock, request: pytest.FixtureRequest) -> Iterator[Requests]:
    logical_id, kind, ttl = request.param
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Requests(Table(client, create_table(client, logical_id), ttl), kind)


def asked(owner: str = "call-1", content: object = "a") -> RequestedChange:
    return RequestedChange(
        key="of the key",
        fingerprint=idempotency.fingerprint(content),
        owner=owner,
        remaining_ms=LEASE_MS,
    )


def made(answer: str) -> Callable[[], Answer]:
    return lambda: {
        "result": {"made": answer, "count": 2, "share": 0.5, "flag": True, "none": None}
    }


def never() -> Answer:
    raise AssertionError("the change was made before")


def dies() -> Answer:
    raise Died


def rows(requests: Requests) -> list[Any]:
    return list(stored.items_of(requests.table.name))


def test_a_change_is_made_once_and_its_answer_is_returned_to_a_retry(requests: Requests) -> None:
    first = idempotency.once(requests, asked(), made("first"))

    assert idempotency.once(requests, asked("call-2"), never) == first
    (row,) = rows(requests)
    assert not row.keys() & {"owner", "lease_until", "leaseUntil"}


def test_other_content_under_the_same_key_is_refused_while_the_first_runs_and_after(
    requests: Requests,
) -> None:
    def change() -> Answer:
        with pytest.raises(KeyReused):
            idempotency.once(requests, asked("call-2", "b"), never)
        return made("first")()

    idempotency.once(requests, asked(), change)

    with pytest.raises(KeyReused):
        idempotency.once(requests, asked("call-2", "b"), never)


def test_the_same_call_while_the_first_runs_is_refused(requests: Requests) -> None:
    def change() -> Answer:
        with pytest.raises(StillRunning):
            idempotency.once(requests, asked("call-2"), never)
        return made("first")()

    assert idempotency.once(requests, asked(), change)["result"]["made"] == "first"


def test_a_failed_change_releases_its_key_and_raises_its_own_error(requests: Requests) -> None:
    def fail() -> Answer:
        raise LookupError("of the change")

    with pytest.raises(LookupError, match="of the change"):
        idempotency.once(requests, asked(), fail)

    assert rows(requests) == []
    assert idempotency.once(requests, asked("call-2", "b"), made("again"))["result"]


def test_a_failure_to_release_does_not_hide_the_error_of_the_change(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Answer:
        throttled = ClientError({"Error": {"Code": "ThrottlingException"}}, "DeleteItem")
        monkeypatch.setattr(Table, "delete", lambda *_, **__: (_ for _ in ()).throw(throttled))
        raise LookupError("of the change")

    with pytest.raises(LookupError, match="of the change"):
        idempotency.once(requests, asked(), fail)


def test_a_crash_keeps_the_key_until_the_lease_expires(requests: Requests, time: Clock) -> None:
    with pytest.raises(Died):
        idempotency.once(requests, asked(), dies)

    time.now += LEASE_MS - 1
    with pytest.raises(StillRunning):
        idempotency.once(requests, asked("call-2"), never)
    with pytest.raises(KeyReused):
        idempotency.once(requests, asked("call-2", "b"), never)

    time.now += 1
    assert idempotency.once(requests, asked("call-2"), made("second"))["result"]["made"] == "second"


def test_a_call_whose_lease_expired_does_not_overwrite_the_answer_of_the_next(
    requests: Requests, time: Clock
) -> None:
    def change() -> Answer:
        time.now += LEASE_MS
        idempotency.once(requests, asked("call-2"), made("second"))
        return made("first")()

    assert idempotency.once(requests, asked(), change)["result"]["made"] == "first"
    assert idempotency.once(requests, asked("call-3"), never)["result"]["made"] == "second"


def test_a_call_whose_lease_expired_does_not_release_the_claim_of_the_next(
    requests: Requests, time: Clock
) -> None:
    def change() -> Answer:
        time.now += LEASE_MS
        with pytest.raises(Died):
            idempotency.once(requests, asked("call-2"), dies)
        raise LookupError("of the first")

    with pytest.raises(LookupError, match="of the first"):
        idempotency.once(requests, asked(), change)
    with pytest.raises(StillRunning):
        idempotency.once(requests, asked("call-3"), never)


def test_a_claim_whose_response_was_lost_is_recognised_when_the_sdk_repeats_it(
    requests: Requests, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Table.put

    def twice(table: Table, *args: Any, **options: Any) -> None:
        real(table, *args, **options)
        real(table, *args, **options)

    monkeypatch.setattr(Table, "put", twice)

    assert idempotency.once(requests, asked(), made("first"))["result"]["made"] == "first"


def test_an_expired_answer_is_not_returned(requests: Requests, time: Clock) -> None:
    idempotency.once(requests, asked(), made("first"))
    time.now += 36 * 24 * clock.HOUR_MS

    again = idempotency.once(requests, asked("call-2", "b"), made("second"))

    assert again["result"]["made"] == "second"


def test_a_sealed_answer_is_readable_for_a_retry_alone(requests: Requests) -> None:
    sealed = replace(requests, seal=lambda: Seal("the last secret"))
    first = idempotency.once(sealed, asked(), made("to Ann"))

    assert "Ann" not in str(rows(requests))
    for secrets in (("the last secret",), ("the present secret", ("the last secret",))):
        later = replace(requests, seal=lambda secrets=secrets: Seal(*secrets))  # type: ignore[misc]  # of this turn
        assert idempotency.once(later, asked("call-2"), never) == first
    removed = replace(requests, seal=lambda: Seal("another secret"))
    with pytest.raises(KeyReused):
        idempotency.once(removed, asked("call-3"), never)
