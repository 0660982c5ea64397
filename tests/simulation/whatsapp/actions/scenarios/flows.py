"""Forms: each change at the provider, and each message with a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.whatsapp.actions.flows import BODIES, FLOW, MESSAGE
from events.whatsapp.sample_data import COUNTER
from tests.simulation.whatsapp.actions.scenario import Body, Scenario

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]
CREATED: tuple[tuple[str, Body], ...] = (("create_flow", BODIES["create_flow"]),)


def of_created(**more: Any) -> Body:
    """The parameters of a change of the form that was created before."""
    return lambda results: {
        "metaWabaId": COUNTER.waba,
        "flowId": results[0]["flowId"],
        **more,
    }


def with_template(system: System) -> None:
    """Let the provider have a template with a form's button."""
    button = {"type": "FLOW", "text": "Book", "flow_id": 700000000000000}
    system.sandbox.templates.append(
        {
            "name": "book_a_service", "language": "en_US", "status": "APPROVED", "category": "UTILITY", "id": "1",
            "waba": COUNTER.waba,
            "components": [
                {"type": "BODY", "text": "Hello {{1}}, book your service."},
                {"type": "BUTTONS", "buttons": [button]},
            ],
        }
    )  # fmt: skip


def with_a_form(system: System) -> None:
    """Let the provider have a form that this deployment did not create."""
    system.sandbox.objects["flows"][FLOW] = {
        "id": FLOW, "account": COUNTER.waba, "name": "Book a service", "status": "DRAFT",
        "categories": ["APPOINTMENT_BOOKING"], "document": None, "errors": [], "endpoint": None,
    }  # fmt: skip


SCENARIOS = (
    Scenario(action="create_flow", body=BODIES["create_flow"], effect=("create_flow",)),
    Scenario(
        action="update_flow",
        before=CREATED,
        body=of_created(name="Book a repair"),
        effect=("update_flow",),
    ),
    Scenario(
        action="update_flow_json",
        before=CREATED,
        body=of_created(flowJson=BODIES["update_flow_json"]["flowJson"]),
        effect=("update_flow_json",),
    ),
    Scenario(action="publish_flow", before=CREATED, body=of_created(), effect=("publish_flow",)),
    Scenario(
        action="deprecate_flow",
        before=(*CREATED, ("publish_flow", of_created())),
        body=of_created(),
        effect=("deprecate_flow",),
    ),
    Scenario(action="delete_flow", before=CREATED, body=of_created(), effect=("delete_flow",)),
    Scenario(action="send_flow_message", body=MESSAGE, effect=("send_message",)),
    Scenario(action="send_flow", body=MESSAGE, effect=("send_message",)),
    Scenario(
        action="send_flow_template",
        prepare=with_template,
        before=(("sync_templates_meta", {"metaWabaId": COUNTER.waba}),),
        body=BODIES["send_flow_template"],
        effect=("send_message",),
    ),
    Scenario(action="set_flow_routing", prepare=with_a_form, body=BODIES["set_flow_routing"]),
    Scenario(
        action="set_flow_public_key",
        body=BODIES["set_flow_public_key"],
        effect=("set_public_key",),
    ),
)
