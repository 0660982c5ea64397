"""Forms of the counter: built, sent to Ada, routed by the data endpoint, and answered."""

from events.whatsapp.actions.messages import TO_ADA
from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import COUNTER

FLOW = "700000000000000"
TOKEN = "booking-4711-x7f3k2q9w8"  # noqa: S105 - identifies the answers of a sample
FORM: Json = {"metaWabaId": COUNTER.waba, "flowId": FLOW}
LAYOUT: Json = {"type": "SingleColumnLayout", "children": []}
FLOW_JSON: Json = {
    "version": "7.0",
    "data_api_version": "3.0",
    "routing_model": {"SERVICE": ["DATE"], "DATE": []},
    "screens": [
        {"id": "SERVICE", "title": "Service", "layout": LAYOUT},
        {"id": "DATE", "title": "Date", "terminal": True, "layout": LAYOUT},
    ],
}
MESSAGE: Json = TO_ADA | {
    "flowId": FLOW,
    "body": "Book a service for your bike.",
    "flowCta": "Book",
    "flowActionPayload": {"screen": "SERVICE", "data": {"shop": "Mill Lane"}},
}

BODIES: dict[str, Json] = {
    "create_flow": {
        "metaWabaId": COUNTER.waba,
        "name": "Book a service",
        "categories": ["APPOINTMENT_BOOKING"],
        "flowJson": FLOW_JSON,
        "useDataEndpoint": True,
    },
    "update_flow": FORM | {"name": "Book a repair"},
    "update_flow_json": FORM | {"flowJson": FLOW_JSON},
    "publish_flow": FORM,
    "deprecate_flow": FORM,
    "delete_flow": FORM,
    "get_flow": FORM | {"assets": True},
    "list_flows": {"metaWabaId": COUNTER.waba, "limit": 10},
    "get_flow_preview": FORM,
    "flow_health_check": {"flowJson": FLOW_JSON},
    "set_flow_routing": {
        "flowId": FLOW,
        "firstScreen": "SERVICE",
        "routes": {"SERVICE": "DATE", "DATE": "SUCCESS"},
        "screenData": {"DATE": {"days": ["Monday", "Tuesday"]}},
    },
    "set_flow_public_key": {"phone": COUNTER.phone},
    "get_flow_public_key": {"phone": COUNTER.phone},
    "send_flow_message": MESSAGE,
    "send_flow": MESSAGE,
    "send_flow_template": TO_ADA
    | {"templateName": "book_a_service", "flowId": FLOW, "bodyParams": ["Ada"]},
    "flow_data_exchange": {
        "flowToken": TOKEN,
        "screen": "SERVICE",
        "data": {"service": "full"},
    },
    "flow_completion": {
        "flowToken": TOKEN,
        "responseJson": {"service": "full", "day": "Monday"},
        "responseId": "booking-4711",
    },
    "get_flow_responses": {"flowId": FLOW, "metaWabaId": COUNTER.waba},
}
