"""
The sandbox's control routes for text messages: messages of customers, and final statuses of messages to them.

`POST /_texts` (a `CustomerText`) stores a customer's message and calls our webhook as Twilio does, or publishes it to
the topic for a number of AWS. `POST /_endings` (an `Ending`) applies to all later messages to that address.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.routing import Route

from local.sandbox.accounts.text_messages import CustomerText, Ending, TextMessage, made_up_sid
from local.sandbox.providers.sms import aws_sms, twilio_webhooks
from local.sandbox.responses import bad_input, json_response
from local.sandbox.seed_routes import seed_route

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.sandbox.state import Sandbox


async def _customer_writes(sandbox: Sandbox, text: CustomerText) -> Response:
    if text.to in sandbox.config.sms_numbers:
        sandbox.texts.apply_keyword(text)
        published = [await aws_sms.publish_inbound(sandbox, text) for _ in range(text.webhooks)]
        return json_response({"published": sum(published)}, 201)
    if text.to not in sandbox.config.twilio_senders:
        return bad_input(("to", "must be a number of the business"), status=404)
    message = TextMessage(
        sid=made_up_sid("MM" if text.media else "SM"),
        account_sid=sandbox.config.twilio_account_sid,
        direction="inbound",
        sender=text.sender,
        to=text.to,
        body=text.body,
        status="received",
        at=sandbox.clock.now(),
        segments=1,
        media=[str(url) for url in text.media],
    )
    sandbox.texts.messages.append(message)
    form = twilio_webhooks.inbound_form(message, text, sandbox.texts.apply_keyword(text))
    url = f"{sandbox.config.public_url or ''}{twilio_webhooks.WEBHOOK}"
    calls = [
        asyncio.to_thread(twilio_webhooks.call, sandbox, url, form) for _ in range(text.webhooks)
    ]
    statuses = await asyncio.gather(*calls)
    return json_response({"message_sid": message.sid, "webhooks": statuses}, 201)


async def _messages_end(sandbox: Sandbox, ending: Ending) -> Response:
    sandbox.texts.endings[ending.to] = ending
    return json_response({"to": ending.to, "status": ending.status}, 201)


ROUTES = [
    Route("/_texts", seed_route(CustomerText, _customer_writes), methods=["POST"]),
    Route("/_endings", seed_route(Ending, _messages_end), methods=["POST"]),
]
