"""The form of a list, and the states of its sign-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.newsletters.steps.readers import rows_of_readers
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System


def path_of(list_id: str, company: str = COMPANY) -> str:
    return f"/n/{company}/{list_id}/subscribe"


def states(system: System) -> list[str]:
    return [row["state"] for row in rows_of_readers(system, "SIGNUP")]
