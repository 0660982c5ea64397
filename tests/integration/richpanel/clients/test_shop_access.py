"""Access to the shop: static tokens, and tokens of client credentials, which are renewed in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from richpanel.clients.shop_access import SPARE_MS, ShopAccess, TokenCache
from richpanel.clients.shopify import Shopify
from shared.runtime.failures import Permanent, Transient
from tests.integration.richpanel.conftest import NOW, Time

if TYPE_CHECKING:
    from local.sandbox import Sandbox

CREDENTIALS = {"shopify_client_id": "client-1", "shopify_client_secret": "client-secret-1"}
DAY_MS = 86_399_000


@pytest.fixture
def cache() -> TokenCache:
    return TokenCache()


def client(sandbox: Sandbox, time: Time, cache: TokenCache, **keys: str) -> Shopify:
    """A shop's client for one event."""
    access = ShopAccess.of(sandbox.url, keys or CREDENTIALS, cache)
    assert access is not None
    return Shopify(sandbox.url, "2026-01", access, time.ms + 60_000)


def requests_for_tokens(sandbox: Sandbox) -> int:
    return sum(sent.operation == "access_token" for sent in sandbox.sent)


def test_events_of_one_process_share_a_token_until_shortly_before_it_expires(
    sandbox: Sandbox, time: Time, cache: TokenCache
) -> None:
    client(sandbox, time, cache).orders_named("1001")
    time.ms += DAY_MS - SPARE_MS - 1
    client(sandbox, time, cache).orders_named("1001")
    assert requests_for_tokens(sandbox) == 1

    time.ms += 1
    client(sandbox, time, cache).orders_named("1001")

    assert requests_for_tokens(sandbox) == 2


def test_a_revoked_token_is_renewed_once_and_the_request_succeeds(
    sandbox: Sandbox, time: Time, cache: TokenCache
) -> None:
    client(sandbox, time, cache).orders_named("1001")
    sandbox.shop.revoked.add("shpat_1")

    assert client(sandbox, time, cache).orders_named("1001") == []
    assert cache.token == "shpat_2"


def test_a_revoked_static_token_is_not_renewed(
    sandbox: Sandbox, time: Time, cache: TokenCache
) -> None:
    sandbox.shop.revoked.add("a-token")

    with pytest.raises(Transient, match="shopify_401"):
        client(sandbox, time, cache, shopify="a-token").orders_named("1001")
    assert requests_for_tokens(sandbox) == 0


def test_a_new_client_secret_is_used_at_once(
    sandbox: Sandbox, time: Time, cache: TokenCache
) -> None:
    client(sandbox, time, cache).orders_named("1001")
    sandbox.shop.client = ("client-1", "another-secret")
    changed = CREDENTIALS | {"shopify_client_secret": "another-secret"}

    client(sandbox, time, cache, **changed).orders_named("1001")

    assert cache.token == "shpat_2"


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"shopify": "a-token", **CREDENTIALS}, "shopify_static_token_and_client_credentials"),
        ({"shopify_client_id": "client-1"}, "shopify_client_id_or_secret_missing"),
        ({"shopify_client_secret": "client-secret-1"}, "shopify_client_id_or_secret_missing"),
        ({**CREDENTIALS, "shopify_client_secret": "wrong"}, "shopify_invalid_client"),
    ],
)
def test_keys_that_give_no_token_are_refused_with_the_rule(
    sandbox: Sandbox, time: Time, cache: TokenCache, keys: dict[str, str], reason: str
) -> None:
    with pytest.raises(Permanent, match=reason) as refused:
        client(sandbox, time, cache, **keys).orders_named("1001")
    assert "client-secret" not in str(refused.value)


def test_an_app_that_is_not_installed_is_named(
    sandbox: Sandbox, time: Time, cache: TokenCache
) -> None:
    sandbox.shop.is_installed = False

    with pytest.raises(Permanent, match="shopify_app_not_installed"):
        client(sandbox, time, cache).orders_named("1001")


@pytest.mark.parametrize("kind", ["lost_answer", "status"])
def test_a_token_request_that_fails_once_is_repeated(
    sandbox: Sandbox, time: Time, cache: TokenCache, kind: str
) -> None:
    fault = {"status": 500} if kind == "status" else {}
    sandbox.faults.add(provider="shopify", operation="access_token", kind=kind, **fault)

    assert client(sandbox, time, cache).orders_named("1001") == []
    assert cache.renew_at > NOW


def test_without_any_key_there_is_no_shop(sandbox: Sandbox, cache: TokenCache) -> None:
    assert ShopAccess.of(sandbox.url, {}, cache) is None
