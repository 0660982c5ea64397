"""
Every attribute that the contract of the table names is written by a webhook, a job or an action, and every index is
read by one, but those whose partitions have the messages of all companies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from events.whatsapp.samples import samples
from tests.simulation.whatsapp.actions.actor import actor_of
from tests.simulation.whatsapp.actions.contract_calls import SEQUENCES, Client
from tests.simulation.whatsapp.actions.scenario import Scenario
from tests.simulation.whatsapp.actions.scenarios import scenarios

if TYPE_CHECKING:
    from tests.simulation.whatsapp.actions.actor import Actor
    from tests.simulation.whatsapp.system import Items, System

pytestmark = pytest.mark.long

CONTRACT = Path(__file__).parents[5] / "shared" / "contracts" / "whatsapp.yaml"
# The contract's names of item types that share one value of `itemType`, by key.
CONFIGS = {"CONFIG#INFRA": "CONFIG", "CONFIG#MEDIA_TYPES": "CONFIG_MEDIA_TYPES"}

# Their partitions have the messages of all companies. Other readers may use them; ours read each number's own index.
UNREAD = {"gsi_status", "gsi_direction"}

NOTHING = Scenario(action="ping", body={})  # Ada has written, nothing else


@dataclass
class Witness:
    """The attributes written between two looks at the table, by item type, and the indexes read."""

    system: System
    written: dict[str, set[str]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    last: Items = field(default_factory=dict)

    def observe(self, operation: str, parameters: dict[str, Any]) -> None:
        """Note the index of a query."""
        if operation == "dynamodb.Query" and "IndexName" in parameters:
            self.read.add(parameters["IndexName"])

    def begin(self) -> None:
        """What the table holds now was put there by the test."""
        self.last = self.system.items()

    def look(self) -> None:
        """Note what was written since the last look."""
        now = self.system.items()
        for key, item in now.items():
            old = self.last.get(key, {})
            name = CONFIGS.get(key, str(item.get("itemType", key)))
            changed = {
                attribute for attribute, value in item.items() if old.get(attribute) != value
            }
            self.written.setdefault(name, set()).update(changed)
        self.last = now


@pytest.fixture(scope="module")
def witness(_system: System) -> Witness:
    """Has seen the day of the samples, the calls after it, and each call of the scenarios."""
    witness = Witness(_system.reset())
    _system.interceptor.observer = witness.observe
    with actor_of(_system) as actor:
        see_the_day(witness)
        for sequence in SEQUENCES:
            actor.begin(NOTHING)
            sequence(Client(actor, witness.begin, witness.look))
        see_the_scenarios(actor, witness)
    return witness


def see_the_day(witness: Witness) -> None:
    witness.begin()
    for sample in samples():
        witness.system.deliver(sample.event)
        witness.system.drain()
        witness.look()


def see_the_scenarios(actor: Actor, witness: Witness) -> None:
    for scenario in scenarios():
        body = actor.begin(scenario)
        witness.begin()
        assert actor.call(scenario.action, body) is not None
        witness.look()
        actor.wait(1)
        witness.look()


@pytest.fixture(scope="module")
def contract() -> dict[str, Any]:
    if not CONTRACT.exists():
        pytest.skip(f"no data contract at {CONTRACT}")
    found: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    return found


def test_every_attribute_of_the_contract_is_written(
    contract: dict[str, Any], witness: Witness
) -> None:
    assert len(contract["items"]) == 25
    missing = {
        name: sorted(item["attributes"].keys() - witness.written.get(name, set()))
        for name, item in contract["items"].items()
    }

    assert {name: attributes for name, attributes in missing.items() if attributes} == {}


def test_every_index_of_the_contract_is_read_but_those_over_all_companies(
    contract: dict[str, Any], witness: Witness
) -> None:
    indexes = {index["name"] for index in contract["indexes"]}

    assert len(indexes) == 16
    assert indexes - witness.read == UNREAD
