"""
A sample call of every action, at the demo company: `<action>.json` is an API Gateway event for `WhatsAppActions`.

The modules have the parameters, by package of the actions; ids of earlier calls (campaigns, refunds ...) are made up.
"""

import importlib
import pkgutil

from events.whatsapp.payloads import Json


def bodies() -> dict[str, Json]:
    """Return the parameters of each action's sample. Raises ValueError if an action has two."""
    found: dict[str, Json] = {}
    for module in pkgutil.iter_modules(__path__):
        declared = importlib.import_module(f"{__name__}.{module.name}").BODIES
        if twice := found.keys() & declared.keys():
            raise ValueError(f"two samples of {sorted(twice)}")
        found |= declared
    return found
