"""Catalogs and commerce settings: each change at the provider."""

from typing import Any

from events.whatsapp.actions.catalogs import BODIES
from events.whatsapp.sample_data import COUNTER
from tests.simulation.whatsapp.actions.scenario import Scenario

type Json = dict[str, Any]


def of_uploaded(results: list[Json]) -> Json:
    """The catalog that was uploaded before."""
    return {"metaWabaId": COUNTER.waba, "catalogId": results[0]["catalogId"]}


SCENARIOS = (
    Scenario(
        action="upload_catalog",
        body=BODIES["upload_catalog"],
        effect=("create_catalog", "connect_catalog", "upload_products"),
    ),
    Scenario(
        action="disconnect_catalog",
        before=(("upload_catalog", BODIES["upload_catalog"]),),
        body=of_uploaded,
        effect=("disconnect_catalog",),
    ),
    Scenario(
        action="connect_catalog",
        before=(("upload_catalog", BODIES["upload_catalog"]), ("disconnect_catalog", of_uploaded)),
        body=of_uploaded,
        effect=("connect_catalog",),
    ),
    Scenario(
        action="update_commerce_settings",
        body=BODIES["update_commerce_settings"],
        effect=("set_commerce_settings",),
    ),
)
