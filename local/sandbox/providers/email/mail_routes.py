"""
The sandbox's control routes for e-mails.

`POST /_mail_endings` (a `MailEnding`) applies to all later ones to its address.

`GET /_sent/{id}.eml` returns the mail with this SES id as its recipient gets it. With `?reply=TEXT` it returns the
answer that the recipient's mail client writes, with `?reply=TEXT&auto=1` an out-of-office answer.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from local.sandbox.accounts.mail.mail_endings import MailEnding
from local.sandbox.providers.email.customer_answers import answer, automatic_answer
from local.sandbox.responses import bad_input, json_response
from local.sandbox.seed_routes import seed_route

if TYPE_CHECKING:
    from starlette.requests import Request

    from local.sandbox.state import Sandbox


async def _mails_end(sandbox: Sandbox, ending: MailEnding) -> Response:
    sandbox.mail_endings[ending.to] = ending
    return json_response({"to": ending.to, "event": ending.event}, 201)


async def _get_mail(request: Request) -> Response:
    sandbox: Sandbox = request.app.state.sandbox
    mail = sandbox.mails.get(request.path_params["ses_id"])
    if mail is None:
        return bad_input(("id", "no mail was sent with this SES id"), status=404)
    query = request.query_params
    if unknown := query.keys() - {"reply", "auto"}:
        return bad_input((min(unknown), "is unknown; the parameters are reply and auto"))
    if query.get("auto", "1") != "1" or ("auto" in query and "reply" not in query):
        return bad_input(("auto", "must be 1, and needs reply"))
    raw = mail.raw
    if "reply" in query:
        written_by = automatic_answer if "auto" in query else answer
        raw = written_by(mail, query["reply"], datetime.fromtimestamp(sandbox.clock.now(), UTC))
    return Response(raw, media_type="message/rfc822")


ROUTES = [
    Route("/_mail_endings", seed_route(MailEnding, _mails_end), methods=["POST"]),
    Route("/_sent/{ses_id}.eml", _get_mail, methods=["GET"]),
]
