"""The WhatsApp Business API by named actions: over HTTP, and by direct invocation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3

from shared.api.audit_log.log import AuditedSettings
from whatsapp.actions.dispatch import bootstrap, execution
from whatsapp.configuration.settings import ActionsSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

settings = ActionsSettings.load()
resources = bootstrap.resources_of(settings)
audit_log = AuditedSettings.load().audit_log(boto3.client("dynamodb", config=bootstrap.quick))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """API Gateway proxy event in, proxy response out; of a direct invocation, the action's answer."""
    if "httpMethod" in event:
        return execution.over_http(resources, audit_log, event, context)
    return execution.over_invoke(resources, audit_log, event, context)
