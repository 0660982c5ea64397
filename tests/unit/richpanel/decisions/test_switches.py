"""Switches in the parameter store: a missing or unreadable one is closed."""

import json

import pytest

from richpanel.decisions.facts import MatchPath
from richpanel.decisions.switches import (
    OutboundScope,
    Switches,
    SwitchInvalid,
    read_switch,
    read_switches,
)
from richpanel.inbound.channels import Channel
from tests.cases import each


def test_missing_switches_are_off() -> None:
    assert read_switches({}) == Switches(
        safe_mode=True,
        automation_enabled=False,
        automation_enabled_channels=frozenset(),
        template_enabled={},
        tier2_channels=frozenset(),
        tier2_paths=frozenset(),
        auto_close_enabled=False,
        outbound_scope=OutboundScope.NONE,
        dry_run=False,
    )


def test_switches_are_read_by_name_and_other_names_ignored() -> None:
    read = read_switches(
        {
            "safe_mode": "false",
            "automation_enabled": " true ",
            "automation_enabled_channels": "livechat, email",
            "template_enabled": json.dumps({"t_return_request_intake": True}),
            "tier2_channels": "email",
            "tier2_paths": "linked,number",
            "auto_close_enabled": "true",
            "outbound_scope": "allowlist",
            "dry_run": "false",
            "colour": "red",
        }
    )

    assert read == Switches(
        safe_mode=False,
        automation_enabled=True,
        automation_enabled_channels=frozenset({Channel.LIVECHAT, Channel.EMAIL}),
        template_enabled={"t_return_request_intake": True},
        tier2_channels=frozenset({Channel.EMAIL}),
        tier2_paths=frozenset(MatchPath),
        auto_close_enabled=True,
        outbound_scope=OutboundScope.ALLOWLIST,
        dry_run=False,
    )


@each(
    ("name", "text"),
    [
        ("safe_mode", "no"),
        ("safe_mode", "False"),
        ("safe_mode", ""),
        ("automation_enabled", "1"),
        ("automation_enabled_channels", "email, fax"),
        ("template_enabled", "t_return_request_intake"),
        ("template_enabled", '["t_return_request_intake"]'),
        ("template_enabled", '{"t_return_request_intake": "true"}'),
        ("tier2_channels", "*"),
        ("tier2_paths", "linked;number"),
        ("auto_close_enabled", "yes"),
        ("outbound_scope", "everyone"),
    ],
)
def test_an_unreadable_switch_is_off(name: str, text: str) -> None:
    assert read_switches({name: text}) == Switches()
    with pytest.raises(SwitchInvalid, match=name):
        read_switch(name, text)


def test_an_unreadable_dry_run_switch_is_on() -> None:
    assert read_switches({"dry_run": "maybe"}).dry_run
    assert read_switches({"dry_run": "true"}).dry_run


@pytest.mark.parametrize("text", ["", "none", " , "])
def test_the_value_none_is_an_empty_set(text: str) -> None:
    assert read_switches({"automation_enabled_channels": text}) == Switches()


@pytest.mark.parametrize(
    ("allowed", "is_candidate"),
    [
        (Switches(), False),
        (Switches(safe_mode=False, automation_enabled=True), False),
        (
            Switches(
                safe_mode=False,
                automation_enabled=True,
                automation_enabled_channels=frozenset({Channel.EMAIL}),
            ),
            True,
        ),
        (
            Switches(
                automation_enabled=True, automation_enabled_channels=frozenset({Channel.EMAIL})
            ),
            False,
        ),
    ],
)
def test_a_candidate_needs_all_three(allowed: Switches, is_candidate: bool) -> None:
    assert allowed.may_automate(Channel.EMAIL) is is_candidate
