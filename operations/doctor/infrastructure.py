"""Checks of AWS resources: tables, functions, dead letters, event source mappings, recipients of the alarms."""

from typing import Any

from botocore.exceptions import ClientError

from operations.doctor.deployment import Deployment, client
from operations.doctor.findings import Finding, action, ok, unchecked
from operations.stages.stack_resources import Resource

# Their items do not expire.
WITHOUT_TTL = frozenset({"CompanyDataTable"})
# Ending of the logical ids of all dead-letter queues.
DEAD_LETTERS = "DeadLetters"
CONTEXT_OF_QUEUES = {
    "WhatsApp": "whatsapp",
    "Conversations": "conversations",
    "Richpanel": "richpanel",
    "Email": "email-threads",
    "Newsletter": "newsletters",
}
# Settings that a published version of a function keeps.
_OF_A_VERSION = (
    *("CodeSha256", "Handler", "Role", "Timeout", "MemorySize", "Architectures"),
    *("Environment", "TracingConfig"),
)
_MISSING = frozenset(
    {"ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"}
)
_COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)


def tables(deployment: Deployment) -> list[Finding]:
    """Check that each table and index is ACTIVE and that items expire where they have to."""
    found = deployment.resources("AWS::DynamoDB::Table")
    return [_table(table, deployment) for table in found] or [_none_listed("tables")]


def functions(deployment: Deployment) -> list[Finding]:
    """Check that the alias of each function names a version with the deployed code, libraries and settings."""
    aliases = deployment.resources("AWS::Lambda::Alias")
    if not aliases:
        return [_none_listed("aliases")]
    findings = [finding for alias in aliases if (finding := _stale(alias))]
    return findings or [ok("aliases", f"{len(aliases)} functions serve what was deployed")]


def dead_letters(deployment: Deployment) -> list[Finding]:
    """Check that the dead-letter queues are empty."""
    queues = deployment.resources("AWS::SQS::Queue")
    found = [queue for queue in queues if queue.logical_id.endswith(DEAD_LETTERS)]
    return [_dead_letters(queue, deployment) for queue in found] or [_none_listed("queues")]


def event_sources(deployment: Deployment) -> list[Finding]:
    """Check that the event source mappings, which start the workers, are enabled."""
    found = deployment.resources("AWS::Lambda::EventSourceMapping")
    used = [one for one in found if _context_of(one) not in _unused(deployment)]
    return [_event_source(mapping) for mapping in used] or [_none_listed("event sources")]


def unused_contexts(deployment: Deployment) -> list[Finding]:
    """Check that no message waits in a queue of a context that is not in the parameter Contexts."""
    findings = []
    for context in sorted(_unused(deployment)):
        queues = deployment.resources("AWS::SQS::Queue")
        own = [queue for queue in queues if _context_of(queue) == context]
        waiting = sum(_waiting(queue) for queue in own)
        if waiting:
            step = f"deploy with {context} in the parameter Contexts"
            findings.append(action(context, f"about {waiting} messages wait, not in use", step))
        else:
            findings.append(ok(context, "not in use"))
    return findings or [ok("contexts", "all are in use")]


def alarms(deployment: Deployment) -> list[Finding]:
    """Check that at least one subscription of the alarms is confirmed and none waits for it."""
    if deployment.is_local:
        return [unchecked("recipients", "the emulator raises no alarms")]
    pages = client("sns").get_paginator("list_subscriptions_by_topic")
    arns = [
        subscription["SubscriptionArn"]
        for page in pages.paginate(TopicArn=deployment.output("AlarmTopicArn"))
        for subscription in page["Subscriptions"]
    ]
    pending = sum(not arn.startswith("arn:") for arn in arns)
    if pending:
        step = "confirm the subscription in the e-mail that AWS sent to the alarms' recipient"
        return [action("recipients", f"{pending} of {len(arns)} not confirmed", step)]
    if not arns:
        step = "deploy with the parameter AlarmEmail, or subscribe to the topic of the output AlarmTopicArn"
        return [action("recipients", "none: alarms are not sent", step)]
    return [ok("recipients", f"{len(arns)} confirmed")]


def _table(table: Resource, deployment: Deployment) -> Finding:
    dynamodb = client("dynamodb")
    try:
        described = dynamodb.describe_table(TableName=table.name)["Table"]
        expiry = dynamodb.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    except ClientError as error:
        return _failed(table, error)
    indexes: list[Any] = described.get("GlobalSecondaryIndexes", [])
    building = [index["IndexName"] for index in indexes if index.get("IndexStatus") != "ACTIVE"]
    subject = table.logical_id
    if described["TableStatus"] != "ACTIVE":
        return action(subject, f"table is {described['TableStatus']}", "wait, then check again")
    if deployment.is_local:
        return unchecked(
            subject, "ACTIVE; the emulator reports neither TTL nor the state of indexes"
        )
    if building:
        return action(subject, f"not ACTIVE: {', '.join(building)}", "wait, then check again")
    if subject not in WITHOUT_TTL and expiry["TimeToLiveStatus"] != "ENABLED":
        text = f"TTL is {expiry['TimeToLiveStatus']}: items do not expire"
        step = f"turn on the TTL of {table.name} with `aws dynamodb update-time-to-live`"
        return action(subject, text, step)
    expires = "" if subject in WITHOUT_TTL else ", TTL on"
    return ok(subject, f"ACTIVE, {len(indexes)} indexes ACTIVE{expires}")


def _stale(alias: Resource) -> Finding | None:
    """Return a finding if callers get another version of a function than the deployed one."""
    deployed_function, _, _ = alias.name.rpartition(":")
    try:
        served, deployed = (_version(name) for name in (alias.name, deployed_function))
    except ClientError as error:
        return _failed(alias, error)
    if served == deployed:
        return None
    step = "wait for the end of a deployment; otherwise deploy with another value of the parameter Release"
    return action(
        alias.logical_id, "callers get other code or settings than the deployed ones", step
    )


def _version(function: str) -> dict[str, Any]:
    found = client("lambda").get_function_configuration(FunctionName=function)
    layers = [layer["Arn"] for layer in found.get("Layers", [])]
    return {name: found.get(name) for name in _OF_A_VERSION} | {"Layers": layers}


def _dead_letters(queue: Resource, deployment: Deployment) -> Finding:
    try:
        waiting = _waiting(queue)
    except ClientError as error:
        return _failed(queue, error)
    if not waiting:
        return ok(queue.logical_id, "empty")
    context = _context_of(queue)
    step = f"{queue.logical_id}: see its alarm in docs/operate.md"
    if context:
        listing = f"python -m operations recovery dead-letters --context {context}"
        step = f"{queue.logical_id}: `{listing} {deployment.target}`, fix the cause, then `redrive`"
    return action(queue.logical_id, f"about {waiting} dead letters", step)


def _waiting(queue: Resource) -> int:
    """Return the approximate number of messages in a queue. Raises ClientError."""
    counts = client("sqs").get_queue_attributes(QueueUrl=queue.name, AttributeNames=list(_COUNTS))
    return sum(int(counts["Attributes"].get(name, 0)) for name in _COUNTS)


def _context_of(resource: Resource) -> str | None:
    starts = CONTEXT_OF_QUEUES.items()
    return next((name for start, name in starts if resource.logical_id.startswith(start)), None)


def _unused(deployment: Deployment) -> set[str]:
    """Return the contexts that are not in the parameter Contexts; none in a stack without the parameter."""
    used = deployment.parameters.get("Contexts", "")
    return set(CONTEXT_OF_QUEUES.values()) - set(used.split(",")) if used else set()


def _event_source(mapping: Resource) -> Finding:
    try:
        state = client("lambda").get_event_source_mapping(UUID=mapping.name)["State"]
    except ClientError as error:
        return _failed(mapping, error)
    if state == "Enabled":
        return ok(mapping.logical_id, "enabled")
    if state in {"Creating", "Enabling", "Updating"}:
        return action(mapping.logical_id, f"is {state}", "wait, then check again")
    step = f"start the worker: `aws lambda update-event-source-mapping --uuid {mapping.name} --enabled`"
    return action(mapping.logical_id, f"is {state}: its events wait", step)


def _failed(resource: Resource, error: ClientError) -> Finding:
    """Return the result for a resource that is missing or may not be read."""
    code, operation = error.response["Error"]["Code"], error.operation_name
    if code in _MISSING:
        step = f"recreate {resource.logical_id} as in the template: it was deleted outside CloudFormation"
        return action(resource.logical_id, "does not exist", step)
    return unchecked(
        resource.logical_id,
        f"{code} ({operation})",
        f"allow {operation} to the caller, or try again",
    )


def _none_listed(what: str) -> Finding:
    return unchecked(
        what, "the stack lists none", "check that the stack is a complete Parley stack"
    )
