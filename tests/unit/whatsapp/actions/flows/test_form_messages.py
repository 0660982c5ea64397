"""Messages with a form, as they are built from any input."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from local.sandbox.providers.whatsapp import rules
from whatsapp.actions.flows.messages import (
    SendFlowMessage,
    SendFlowTemplate,
    message_draft,
    template_draft,
)

TOKEN = "t" * 64
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=30
)
JSON = st.dictionaries(TEXTS, TEXTS | st.integers(-1000, 1000) | st.booleans(), max_size=3)
SENDER = {"phoneNumberId": "106540352242922", "to": "+447700900101"}


@given(
    body=TEXTS,
    cta=TEXTS,
    header=st.none() | TEXTS,
    footer=st.none() | TEXTS,
    screen=TEXTS,
    data=JSON,
    mode=st.sampled_from(["draft", "published"]),
)
def test_a_message_is_accepted_by_the_provider_and_shown_without_its_token(
    *,
    body: str,
    cta: str,
    header: str | None,
    footer: str | None,
    screen: str,
    data: dict[str, Any],
    mode: str,
) -> None:
    asked = SendFlowMessage.model_validate(
        SENDER
        | {"flowId": "70000", "body": body, "flowCta": cta, "header": header, "footer": footer}
        | {"flowActionPayload": {"screen": screen, "data": data}}
    )

    draft = message_draft(asked, TOKEN, mode)

    message = {"messaging_product": "whatsapp", "to": "+447700900101", "type": draft.type}
    assert rules.check_message(message | {draft.type: draft.content}, ())
    parameters = draft.content["action"]["parameters"]
    assert parameters["flow_action_payload"] == {"screen": screen, "data": data}
    assert parameters["flow_token"] == TOKEN
    assert (parameters.get("mode") == "draft") is (mode == "draft")
    assert TOKEN not in json.dumps(draft.shown)
    assert draft.shown["content"]["action"]["parameters"]["flow_id"] == "70000"


@given(
    params=st.lists(TEXTS, max_size=5),
    index=st.integers(0, 9),
    payload=st.none() | JSON | st.fixed_dictionaries({"screen": TEXTS, "data": JSON}),
)
def test_a_template_has_one_button_with_the_token_and_is_shown_without_it(
    params: list[str], index: int, payload: dict[str, Any] | None
) -> None:
    asked = SendFlowTemplate.model_validate(
        SENDER
        | {"templateName": "form", "flowId": "70000", "bodyParams": params}
        | {"buttonIndex": index, "flowActionPayload": payload}
    )

    buttons = [{"type": "PHONE_NUMBER"}] * index + [{"type": "FLOW"}]
    text = " ".join(f"{{{{{number + 1}}}}}" for number in range(len(params)))
    definition: list[dict[str, Any]] = [
        {"type": "BODY", "text": text},
        {"type": "BUTTONS", "buttons": buttons},
    ]

    draft = template_draft(asked, definition, TOKEN)

    components = draft.content["components"]
    button = components[-1]
    assert [one["type"] for one in components] == ["body"] * bool(params) + ["button"]
    assert (button["sub_type"], button["index"]) == ("flow", str(index))
    action = button["parameters"][0]["action"]
    assert action["flow_token"] == TOKEN
    data = payload["data"] if payload and "screen" in payload and "data" in payload else payload
    assert action.get("flow_action_data", {}) == (data or {})
    assert TOKEN not in json.dumps(draft.shown)
    assert draft.template is not None
