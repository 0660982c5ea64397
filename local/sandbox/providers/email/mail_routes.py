"""The sandbox's control route for e-mails: `POST /_mail_endings` (a `MailEnding`) applies to all later ones to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from local.sandbox.providers.email.ses_events import MailEnding
from local.sandbox.providers.helpdesk.ticket_routes import seed_route
from local.sandbox.providers.interface import json_response

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.sandbox.state import Sandbox


async def _mails_end(sandbox: Sandbox, ending: MailEnding) -> Response:
    sandbox.mail_endings[ending.to] = ending
    return json_response({"to": ending.to, "event": ending.event}, 201)


ROUTES = [Route("/_mail_endings", seed_route(MailEnding, _mails_end), methods=["POST"])]
