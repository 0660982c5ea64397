"""The tests that run for every table of attacks on routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.isolation.attacks import (
    FROM_OUTSIDE,
    TURNED_AWAY,
    Attack,
    Attacker,
    System,
    attacked,
    reaches_its_owner,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def cases(attacks: Iterable[Attack], attackers: Iterable[Attacker]) -> list[Any]:
    """Each attack by each attacker."""
    return [
        pytest.param(attack, attacker, id=f"{attack} [{attacker}]")
        for attack in attacks
        for attacker in attackers
    ]


def one_of_each_route(attacks: Iterable[Attack]) -> Iterable[Attack]:
    """The first attack on each route: keys are checked before parameters are read."""
    return {attack.line: attack for attack in reversed(list(attacks))}.values()


def suite_of(attacks: list[Attack]) -> type:
    """The tests of one context's attacks; the module's fixture `companies` returns the system."""

    class Routes:
        @pytest.mark.parametrize(("attack", "attacker"), cases(attacks, FROM_OUTSIDE))
        def test_a_key_without_access_gets_the_same_answer_as_if_the_item_did_not_exist(
            self, companies: System, attack: Attack, attacker: Attacker
        ) -> None:
            attacked(companies, attack, attacker)

        @pytest.mark.parametrize(
            ("attack", "attacker"), cases(one_of_each_route(attacks), TURNED_AWAY)
        )
        def test_a_call_without_key_or_scope_is_refused_without_a_read(
            self, companies: System, attack: Attack, attacker: Attacker
        ) -> None:
            attacked(companies, attack, attacker)

        @pytest.mark.parametrize(
            "attack", [attack for attack in attacks if not attack.is_blind], ids=str
        )
        def test_the_owner_gets_a_different_answer_if_the_attacked_item_exists(
            self, companies: System, attack: Attack
        ) -> None:
            assert reaches_its_owner(companies, attack), (
                f"{attack}: the owner gets the same answer whether or not it exists"
            )

    return Routes
