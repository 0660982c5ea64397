"""Settings: read once, complete or not at all."""

from dataclasses import dataclass
from typing import Literal

import pytest

from shared.settings import SettingInvalid, Settings


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
def test_a_field_with_a_default_may_be_left_out_or_empty(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class WithService(Settings):
        service_url: str = "none"

    if value is not None:
        monkeypatch.setenv("SERVICE_URL", value)

    assert WithService.load() == WithService(service_url="none")


@pytest.mark.parametrize(("value", "meant"), [("", None), ("https://a", "https://a")])
def test_what_may_be_empty_is_nothing_then_but_has_to_be_set(
    value: str, meant: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Shop(Settings):
        shop_url: str | None

    with pytest.raises(SettingInvalid, match="SHOP_URL is not set"):
        Shop.load()
    monkeypatch.setenv("SHOP_URL", value)

    assert Shop.load() == Shop(shop_url=meant)
