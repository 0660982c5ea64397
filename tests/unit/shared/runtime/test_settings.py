"""Settings: read once, complete or not at all."""

from dataclasses import dataclass
from typing import Literal

import pytest

from shared.runtime.settings import Origin, SettingInvalid, Settings, Url
from shared.runtime.validation import web_addresses
from tests.values.web_addresses import LOOPBACK, MALFORMED


@dataclass(frozen=True, kw_only=True)
class Example(Settings):
    queue_url: str
    days: int
    keep: bool
    event_log: Literal["none", "all"]
    origins: tuple[str, ...]


GOOD = {
    "QUEUE_URL": "https://queue",
    "DAYS": "30",
    "KEEP": "false",
    "EVENT_LOG": "all",
    "ORIGINS": "https://a, https://b,",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)


def test_each_field_is_read_from_the_variable_of_its_name() -> None:
    assert Example.load() == Example(
        queue_url="https://queue",
        days=30,
        keep=False,
        event_log="all",
        origins=("https://a", "https://b"),
    )


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_variable_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name)

    with pytest.raises(SettingInvalid, match=f"^{name} is not set$"):
        Example.load()


@pytest.mark.parametrize(
    ("name", "value"),
    [("QUEUE_URL", ""), ("DAYS", "many"), ("DAYS", "-1"), ("KEEP", "yes"), ("EVENT_LOG", "some")],
)
def test_a_value_outside_its_type_is_refused_without_being_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingInvalid, match=f"^{name} is not a") as refusal:
        Example.load()
    assert not value or value not in str(refusal.value).removeprefix(name)


@pytest.mark.parametrize("value", [None, ""])
def test_a_field_with_a_default_may_be_absent_or_empty(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class WithService(Settings):
        service_url: str = "none"

    if value is not None:
        monkeypatch.setenv("SERVICE_URL", value)

    assert WithService.load() == WithService(service_url="none")


@pytest.mark.parametrize(("value", "meant"), [("", None), ("https://a", "https://a")])
def test_an_optional_field_may_be_empty_but_must_be_set(
    value: str, meant: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Shop(Settings):
        shop_url: str | None

    with pytest.raises(SettingInvalid, match="SHOP_URL is not set"):
        Shop.load()
    monkeypatch.setenv("SHOP_URL", value)

    assert Shop.load() == Shop(shop_url=meant)


@dataclass(frozen=True, kw_only=True)
class Addresses(Settings):
    graph_base_url: Origin
    help_desk_url: Url
    shopify_url: Origin | None
    media_origins: tuple[Origin, ...]
    public_base_urls: tuple[Url, ...] = ()


ADDRESSES = {
    "GRAPH_BASE_URL": "https://graph.facebook.com",
    "HELP_DESK_URL": "https://api.richpanel.com/v1",
    "SHOPIFY_URL": "",
    "MEDIA_ORIGINS": "https://a.example,https://b.example",
    "PUBLIC_BASE_URLS": "https://parley.example/prod",
}
BAD = [address for address in MALFORMED if address and "\x00" not in address and address.isascii()]


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ADDRESSES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("STAGE", "prod")


@pytest.mark.usefixtures("addresses")
def test_addresses_of_providers_are_read() -> None:
    assert Addresses.load() == Addresses(
        graph_base_url=Origin("https://graph.facebook.com"),
        help_desk_url=Url("https://api.richpanel.com/v1"),
        shopify_url=None,
        media_origins=(Origin("https://a.example"), Origin("https://b.example")),
        public_base_urls=(Url("https://parley.example/prod"),),
    )


@pytest.mark.usefixtures("addresses")
@pytest.mark.parametrize("variable", ADDRESSES)
@pytest.mark.parametrize("value", [*BAD[::6], *LOOPBACK])
def test_outside_the_local_stack_a_function_does_not_start_with_an_address_that_is_not_public_https(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(SettingInvalid) as refusal:
        Addresses.load()
    assert str(refusal.value) in {
        f"{variable} {web_addresses.RULE}",
        f"{variable} {web_addresses.ORIGIN_RULE}",
    }


@pytest.mark.usefixtures("addresses")
def test_one_bad_origin_among_good_ones_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIA_ORIGINS", "https://a.example,http://127.0.0.1:4600")

    with pytest.raises(SettingInvalid, match=r"^MEDIA_ORIGINS must be "):
        Addresses.load()


@pytest.mark.usefixtures("addresses")
@pytest.mark.parametrize(("stage", "is_taken"), [("local", True), ("dev", False), (None, False)])
def test_the_local_stack_may_call_this_machine(
    monkeypatch: pytest.MonkeyPatch, stage: str | None, *, is_taken: bool
) -> None:
    monkeypatch.setenv("GRAPH_BASE_URL", "http://127.0.0.1:4600")
    if stage is None:
        monkeypatch.delenv("STAGE")
    else:
        monkeypatch.setenv("STAGE", stage)

    if is_taken:
        assert Addresses.load().graph_base_url == "http://127.0.0.1:4600"
        return
    with pytest.raises(SettingInvalid, match=r"^GRAPH_BASE_URL "):
        Addresses.load()
