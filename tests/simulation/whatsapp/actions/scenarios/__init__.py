"""The scenarios of all packages of actions: each module has `SCENARIOS`."""

import importlib
import pkgutil

from tests.simulation.whatsapp.actions.scenario import Scenario


def scenarios() -> list[Scenario]:
    """Return all scenarios. Raises ValueError if two have one name."""
    modules = [
        importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)
    ]
    found: list[Scenario] = [one for module in modules for one in module.SCENARIOS]
    if len({str(one) for one in found}) != len(found):
        raise ValueError("two scenarios have one name")
    return found
