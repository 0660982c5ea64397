"""Tenants of SES in the sandbox, as an operator has made them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

NAME: Final = "parley-acme"


def arn(resource: str) -> str:
    return f"arn:aws:ses:us-east-1:123456789012:{resource}"


def set_up(system: System, *resources: str) -> None:
    """The tenant of the company, by default with all that its mails need; repeated, it gets further resources."""
    sets = [system.worker.sending.configuration_set, system.worker.sending.click_configuration_set]
    every = resources or ("identity/shop.example", *(f"configuration-set/{one}" for one in sets))
    empty = {"state": "ENABLED", "resources": [], "suppression": {}, "policy": ""}
    tenant = system.sandbox.objects["ses_tenant"].setdefault(NAME, empty)
    tenant["resources"] += [arn(one) for one in every if arn(one) not in tenant["resources"]]
