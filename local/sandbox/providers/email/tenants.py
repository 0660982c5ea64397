"""
The tenants of Amazon SES (`sesv2`). Check: SES documents no answer to a mail of a tenant without the identity or the
configuration set, or of a paused one. The sandbox answers as to a mail of a missing identity (`MessageRejected`) and of
a paused account (`SendingPausedException`); faults play other answers.
"""

from __future__ import annotations

import re
from email.utils import parseaddr
from typing import TYPE_CHECKING, Any

from local.sandbox.providers.interface import Answer, Call, Endpoint, Refused, parse_json
from local.sandbox.responses import aws_error, json_response

if TYPE_CHECKING:
    from local.sandbox.accounts.mail.send_request import SendRequest
    from local.sandbox.state import Sandbox

_TENANTS = "ses_tenant"  # name -> the tenant
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_STATES = frozenset({"ENABLED", "REINSTATED", "DISABLED"})
_ACCOUNT = "123456789012"


def refusal(sandbox: Sandbox, request: SendRequest) -> Refused | None:
    """Return why a tenant may not send a mail, None for a mail that may be sent, or is of no tenant."""
    if request.TenantName is None:
        return None
    tenant = sandbox.objects[_TENANTS].get(request.TenantName)
    if tenant is None:
        return Refused(aws_error("NotFoundException", "Tenant does not exist.", 404))
    if tenant["state"] == "DISABLED":
        return Refused(aws_error("SendingPausedException", "Sending is paused for the tenant."))
    domain = parseaddr(request.FromEmailAddress)[1].rpartition("@")[2]
    needed = {f"identity/{domain}", f"configuration-set/{request.ConfigurationSetName}"}
    if not needed <= {one.rpartition(":")[2] for one in tenant["resources"]}:
        return Refused(
            aws_error("MessageRejected", "A resource is not associated with the tenant.")
        )
    return None


async def create_tenant(call: Call) -> Answer:
    """CreateTenant."""
    body = _body(call)
    name = str(body.get("TenantName", ""))
    tenants = call.sandbox.objects[_TENANTS]
    if not _NAME.fullmatch(name):
        raise Refused(aws_error("BadRequestException", "TenantName: 1 to 64 characters."))
    if name in tenants:
        raise Refused(aws_error("AlreadyExistsException", "Tenant already exists."))
    suppression = body.get("SuppressionAttributes") or {"SuppressionScope": "ACCOUNT"}
    tenants[name] = {"state": "ENABLED", "resources": [], "suppression": suppression, "policy": ""}
    return Answer(json_response(_shown(name, tenants[name])), body)


async def get_tenant(call: Call) -> Answer:
    """GetTenant."""
    name, tenant = _named(call)
    return Answer(json_response({"Tenant": _shown(name, tenant)}), {"TenantName": name})


async def list_tenant_resources(call: Call) -> Answer:
    """ListTenantResources, on one page."""
    name, tenant = _named(call)
    found = [{"ResourceArn": one} for one in tenant["resources"]]
    return Answer(json_response({"TenantResources": found}), {"TenantName": name})


async def associate(call: Call) -> Answer:
    """CreateTenantResourceAssociation."""
    name, tenant = _named(call)
    arn = str(_body(call).get("ResourceArn", ""))
    if arn in tenant["resources"]:
        raise Refused(aws_error("AlreadyExistsException", "The resource is associated already."))
    tenant["resources"].append(arn)
    return Answer(json_response({}), {"TenantName": name, "ResourceArn": arn})


async def update_policy(call: Call) -> Answer:
    """UpdateReputationEntityPolicy of a tenant."""
    arn = str(call.request.path_params["arn"])
    tenant = call.sandbox.objects[_TENANTS].get(arn.split("/")[1] if "/" in arn else "")
    if tenant is None:
        raise Refused(aws_error("BadRequestException", "Unknown entity."))
    tenant["policy"] = str(_body(call).get("ReputationEntityPolicy", ""))
    return Answer(json_response({}), {"ReputationEntityReference": arn})


def set_state(sandbox: Sandbox, name: str, state: str) -> None:
    """Pause (`DISABLED`) or reinstate a tenant, as SES does after findings."""
    if state not in _STATES:
        raise ValueError(f"state: must be one of {sorted(_STATES)}")
    sandbox.objects[_TENANTS][name]["state"] = state


def _shown(name: str, tenant: dict[str, Any]) -> dict[str, Any]:
    return {
        "TenantName": name,
        "TenantId": f"tn-{name}",
        "TenantArn": f"arn:aws:ses:us-east-1:{_ACCOUNT}:tenant/{name}/tn-{name}",
        "SendingStatus": tenant["state"],
        "SuppressionAttributes": tenant["suppression"],
    }


def _named(call: Call) -> tuple[str, dict[str, Any]]:
    name = str(_body(call).get("TenantName", ""))
    tenant = call.sandbox.objects[_TENANTS].get(name)
    if tenant is None:
        raise Refused(aws_error("NotFoundException", "Tenant does not exist.", 404))
    return name, tenant


def _body(call: Call) -> dict[str, Any]:
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refused(aws_error("BadRequestException", "body: not JSON"))
    return body


_ALL = "/v2/email/tenants"
_POLICY = "/v2/email/reputation/entities/RESOURCE/{arn:path}/policy"
ENDPOINTS = (
    Endpoint("POST", _ALL, ("CreateTenant",), create_tenant),
    Endpoint("POST", f"{_ALL}/get", ("GetTenant",), get_tenant),
    Endpoint("POST", f"{_ALL}/resources", ("CreateTenantResourceAssociation",), associate),
    Endpoint("POST", f"{_ALL}/resources/list", ("ListTenantResources",), list_tenant_resources),
    Endpoint("PUT", _POLICY, ("UpdateReputationEntityPolicy",), update_policy),
)
