"""Runs actions for the two kinds of callers: API Gateway (`over_http`) and direct invocations (`over_invoke`)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shared.api import principals
from shared.api.auth import EVERY_PROJECT, Caller, Forbidden, Scope, Unauthenticated, caller_of
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.api.models import inputs
from shared.api.proxy_event import has_header, header, raw_body
from shared.api.routing.routes import KEY, KEY_HEADER
from shared.aws.sqs_fifo import digest
from shared.runtime import tracing
from shared.runtime.observability import logger, metrics
from whatsapp.actions import ACTIONS
from whatsapp.actions.calls import delivery
from whatsapp.actions.calls.call import ActionResources, Call
from whatsapp.actions.calls.failures import BadEnvelope, SecretGiven
from whatsapp.actions.dispatch import answers, catalogue, kept_answers
from whatsapp.sending.drafts import Draft
from whatsapp.store.items.sending.requests import Idempotency

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.api.audit_log.log import AuditLog
    from shared.api.routing.responses import Result
    from whatsapp.actions.dispatch.registration import Action

LARGEST_BODY_BYTES = 4 << 20
_IN_DOUBT = "in_doubt"
LIST, DESCRIBE = "list_actions", "help"
# Parameters that the audit log shows, the most specific one first: ids without personal data.
OBJECTS = (
    "refund_id",
    "payment_id",
    "order_id",
    "campaign_id",
    "flow_id",
    "catalog_id",
    "meta_template_id",
    "media_id",
    "webhook_event_id",
    "job_id",
    "meta_waba_id",
)
# Parameters that would be secrets; no action takes one.
SECRETS = frozenset(
    {"token", "secret", "appsecret", "verifytoken", "password", "pin", "credentials", "accesstoken"}
)
# Fields of a direct invocation that are not parameters.
_ENVELOPE = frozenset({"action", "company", "scopes", "requestId", "principal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Invocation:
    """The attributes of a request besides its parameters. *key* is the idempotency key, or else the request's id."""

    name: str
    request_id: str
    remaining_ms: Callable[[], int]
    api_url: str | None = None
    read: Callable[[], tuple[Caller, str, Mapping[str, Any]]]  # caller, key and parameters


def over_http(
    resources: ActionResources,
    audit_log: AuditLog,
    event: dict[str, Any],
    context: Any,  # noqa: ANN401 - Lambda's
) -> dict[str, Any]:
    """
    Answer an API Gateway proxy event: `POST /whatsapp/actions/{action}` runs an action, `GET /whatsapp/actions` lists
    them, `GET /whatsapp/actions/{action}` describes one.
    """
    named = str((event.get("pathParameters") or {}).get("action", ""))
    about = event["requestContext"]
    is_get = event["httpMethod"] == "GET"
    name = (DESCRIBE if named else LIST) if is_get else named

    def read() -> tuple[Caller, str, Mapping[str, Any]]:
        caller = caller_of(event)
        fields = _query(event, named) if is_get else _body(event, name)
        key = about["requestId"]
        if has_header(event, KEY_HEADER.lower()):
            key = _key(header(event, KEY_HEADER.lower()), KEY_HEADER)
        return caller, key, fields

    content = _answer(
        resources,
        audit_log,
        _Invocation(
            name=name,
            request_id=about["requestId"],
            remaining_ms=context.get_remaining_time_in_millis,
            api_url=f"https://{about['domainName']}/{about['stage']}"
            if "domainName" in about
            else None,
            read=read,
        ),
    )
    return answers.as_proxy_response(content)


def over_invoke(
    resources: ActionResources,
    audit_log: AuditLog,
    event: dict[str, Any],
    context: Any,  # noqa: ANN401 - Lambda's
) -> dict[str, Any]:
    """
    Answer a direct invocation, `{"action": ..., "company": ..., "scopes": [...], "requestId"?: ..., parameters}`.

    IAM decides who may invoke the function; the event must name the company and the scopes to be used.
    """
    request_id = str(getattr(context, "aws_request_id", "") or "direct")

    def read() -> tuple[Caller, str, Mapping[str, Any]]:
        given = event.get("requestId")
        key = request_id if given is None else _key(given, "requestId")
        return _invoker(event), key, {n: v for n, v in event.items() if n not in _ENVELOPE}

    return _answer(
        resources,
        audit_log,
        _Invocation(
            name=str(event.get("action", "")),
            request_id=request_id,
            remaining_ms=context.get_remaining_time_in_millis,
            read=read,
        ),
    )


def _answer(
    resources: ActionResources, audit_log: AuditLog, invocation: _Invocation
) -> dict[str, Any]:
    """Run the action and return the envelope of its result or failure. Writes one log line."""
    caller: Caller | None = None
    name = invocation.name if invocation.name in ACTIONS else "unknown"
    made: dict[str, str] = {}
    try:
        with tracing.step("action", route=name):
            caller, key, fields = invocation.read()
            action = catalogue.find(invocation.name)
            caller.require(*action.scopes)
            call = Call(
                action=action.name,
                caller=caller,
                input=_parsed(action, fields),
                id=invocation.request_id,
                cause=_cause(action, caller, key),
                remaining_ms=invocation.remaining_ms,
                resources=resources,
                api_url=invocation.api_url,
            )
            content = _run(action, call, audit_log)
            about = {"operation": action.name, "requestId": call.id, "mode": action.mode}
            content = {**about, **content}
            made = {} if _only_reads(action, call) else {"change": action.name}
    except Exception as error:  # noqa: BLE001 - every failure has an answer
        content = answers.refusal(error, name, invocation.request_id)
    finally:
        if metrics.metric_set:  # Powertools warns if it flushes without metrics.
            metrics.flush_metrics()
    logger.info(
        "action answered",
        extra={
            "correlation_id": invocation.request_id,
            "action": name,
            "status": content["statusCode"],
            "company": caller.company if caller else None,
            "principal": caller.principal if caller else None,
            **made,
        },
    )
    return content


def _only_reads(action: Action, call: Call[Any]) -> bool:
    return action.is_read or bool(getattr(call.input, "dry_run", False))


def _run(action: Action, call: Call[Any], audit_log: AuditLog) -> dict[str, Any]:
    """Return the status, the result and the cursor of an action."""
    if _only_reads(action, call):
        return _content(_act(action, call))
    from shared.api import idempotency  # noqa: PLC0415 - reads start faster

    seal = (
        call.resources.seal
    )  # Before the change: an unreadable secret stops the call while nothing has happened.
    made: dict[str, Any] | None = None

    def change() -> dict[str, Any]:
        nonlocal made
        made = audit_log.record(
            lambda: _content(_act(action, call)),
            caller=call.caller,
            change=action.name,
            kind=action.group,
            object_id=_object_id(call.input),
            request_id=call.id,
            given=call.input.model_dump(mode="json", exclude_unset=True),
            status_of=_status_of,
        )
        return kept_answers.kept(seal, call.cause, made)

    requested = idempotency.RequestedChange(
        key=call.cause,
        fingerprint=idempotency.fingerprint(call.input.model_dump(mode="json")),
        owner=call.id,
        remaining_ms=call.remaining_ms(),
    )
    item = idempotency.once(idempotency.Requests(call.table, Idempotency), requested, change)
    if made is not None:
        return made
    content = kept_answers.opened(seal, call.cause, item)
    if content["result"].get("state") == _IN_DOUBT and action.is_send:
        content = _content(_act(action, call))  # The ledger has its outcome.
    return {**content, "replayed": True}


def _status_of(outcome: dict[str, Any] | Exception) -> int:
    if isinstance(outcome, Exception):
        return answers.row_of(outcome)[0]
    return int(outcome["statusCode"])


def _object_id(given: object) -> str | None:
    """Return the first id of OBJECTS that an input names."""
    named = (getattr(given, name, None) for name in OBJECTS)
    return next((value for value in named if value), None)


def _act(action: Action, call: Call[Any]) -> Result:
    found: Any = action.run(call)
    return delivery.send_to_recipient(call, found) if isinstance(found, Draft) else found


def _content(result: Result) -> dict[str, Any]:
    page = result if isinstance(result, Page) else Page(result)
    shown = page.result.model_dump(mode="json", by_alias=True, exclude_none=True)
    is_open = shown.get("state") == _IN_DOUBT or getattr(page.result, "goes_on", False)
    status = HTTPStatus.ACCEPTED if is_open else HTTPStatus.OK
    cursor = {"cursor": page.cursor} if page.cursor else {}
    return {"statusCode": int(status), "result": shown, **cursor}


def _parsed(action: Action, fields: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the action's input model
    for name in fields:
        if name.lower() in SECRETS:
            raise SecretGiven(f"{name[: inputs.LONGEST_NAME_SHOWN]}: secrets are never parameters")
    given = {name: value for name, value in fields.items() if value is not None}
    return inputs.checked(given, action.input_model)


def _cause(action: Action, caller: Caller, key: str) -> str:
    """Return the hash that identifies a change: its caller's company and access, the action and the key."""
    projects = " ".join(sorted(caller.projects))
    return digest("action", caller.company, projects, *action.scopes, action.name, key)


def _key(given: object, field: str) -> str:
    """Return an idempotency key. Raises InvalidInput."""
    if not isinstance(given, str) or not KEY.fullmatch(given):
        problem = "must be 8 to 255 visible ASCII characters"
        raise InvalidInput([{"field": field, "problem": problem}])
    return given


def _body(event: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the parameters of a request. Raises BadEnvelope."""
    kind = (header(event, "content-type") or "application/json").partition(";")[0].strip().lower()
    if kind != "application/json":
        text = "Content-Type: must be application/json"
        raise BadEnvelope(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", text)
    raw = raw_body(event)
    if raw is None:
        raise BadEnvelope(HTTPStatus.BAD_REQUEST, "invalid_json", "body: its base64 is invalid")
    if len(raw) > LARGEST_BODY_BYTES:
        text = f"body: must have at most {LARGEST_BODY_BYTES} bytes"
        raise BadEnvelope(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", text)
    fields = _strict_json(raw or b"{}")
    if fields.pop("action", name) != name:
        raise InvalidInput([{"field": "action", "problem": "must equal the action in the path"}])
    return fields


def _query(event: dict[str, Any], named: str) -> dict[str, Any]:
    """Return the parameters of a GET: of a listing, or the name of the action to be described."""
    given = event.get("queryStringParameters") or {}
    limit = str(given.get("limit", ""))
    about = {"name": unquote(named)} if named else {}
    return given | ({"limit": int(limit)} if limit.isdecimal() else {}) | about


def _strict_json(raw: bytes) -> dict[str, Any]:
    """Return the object; refuses what JSON parsers read in different ways. Raises BadEnvelope and InvalidInput."""
    try:
        fields = json.loads(
            raw, parse_constant=_no_number, object_pairs_hook=_unique, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        rule = str(error) if isinstance(error, _NotStrict) else "must be JSON"
        raise BadEnvelope(HTTPStatus.BAD_REQUEST, "invalid_json", f"body: {rule}") from None
    if not isinstance(fields, dict):
        raise InvalidInput([{"field": "body", "problem": "must be a JSON object"}])
    return fields


class _NotStrict(ValueError):
    """Valid for Python's parser only."""


def _no_number(_: str) -> float:
    raise _NotStrict("must not contain NaN or Infinity")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _NotStrict("must not contain numbers beyond all bounds")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _NotStrict("must not contain a name twice")
    return fields


def _invoker(event: Mapping[str, Any]) -> Caller:
    """Return the caller of a direct invocation. Raises Unauthenticated and Forbidden."""
    company, scopes = event.get("company"), event.get("scopes")
    if not isinstance(company, str) or not company:
        raise Unauthenticated("company: must be in the event of a direct invocation")
    named = scopes.split() if isinstance(scopes, str) else scopes
    if not isinstance(named, list) or not named or not all(isinstance(one, str) for one in named):
        raise Unauthenticated("scopes: must be in the event of a direct invocation")
    if unknown := set(named) - {str(scope) for scope in Scope}:
        raise Forbidden(f"scopes: {len(unknown)} of them are unknown")
    principal = event.get("principal")
    return Caller(
        company=company,
        scopes=frozenset(named),
        principal=principals.of_invoker(principal),
        projects=frozenset({EVERY_PROJECT}),
    )
