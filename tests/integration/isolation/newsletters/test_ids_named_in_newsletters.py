"""Company B names a provider's resource of company A in the settings of its newsletters, in each spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.isolation.attacks import named_ids
from tests.simulation import stored
from tests.simulation.kernel import running
from tests.simulation.newsletters.system import System

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.isolation.attacks.named_ids import NamedId


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with running(System) as system:
        yield system


@pytest.mark.parametrize(("attack", "text"), named_ids.spelled(named_ids.NEWSLETTERS))
def test_a_setting_of_newsletters_names_nothing_of_another_company(
    system: System, attack: NamedId, text: str
) -> None:
    system.reset()
    system.grant(named_ids.BASE, "acme")
    owners = list(stored.items_of(system.log))

    answer = named_ids.called(system, attack, text)

    assert answer == named_ids.called(system, attack, attack.free)
    named_ids.check_refused(answer, attack)
    assert list(stored.items_of(system.log)) == owners
    assert not [key for key in system.items() if key.startswith("NLCOMPANY#")]
