"""Check of the concurrent executions of the account: the event sources of queues, beside webhooks and APIs."""

from math import floor
from typing import Final

from operations.command_line.arguments import Refused
from operations.doctor.deployment import Deployment, client
from operations.doctor.findings import Finding, action, ok, unchecked

# Parameters of the template, and how many event sources each limits.
SOURCES: Final = {
    "WorkerMaxConcurrency": 1,
    "MediaMaxConcurrency": 2,
    "CampaignMaxConcurrency": 1,
    "RichpanelMaxConcurrency": 1,
    "IntakeMaxConcurrency": 1,
    "ChannelMaxConcurrency": 4,
    "ReplyMaxConcurrency": 1,
    "StatusMaxConcurrency": 1,
    "EmailMaxConcurrency": 2,
    "NewsletterMaxConcurrency": 2,
}
FIXED: Final = 2  # chats of the help desk
FEWEST: Final = 2  # AWS allows no lower maximum of an event source
# Webhooks, APIs, feeds of the inbox and timers.
RESERVE: Final = 20
# AWS's default, which new accounts do not have; AWS grants it on request.
USUAL_LIMIT: Final = 1_000
QUOTA: Final = "L-B99A9384"  # Lambda: concurrent executions


def concurrency(deployment: Deployment) -> list[Finding]:
    """Check that the account can run all event sources at their maximum, with RESERVE executions for requests."""
    subject = "account"
    if deployment.is_local:
        return [unchecked(subject, "the emulator has no limit")]
    aws = client("lambda")
    limit = int(aws.get_account_settings()["AccountLimit"]["UnreservedConcurrentExecutions"])
    maxima = {name: _parameter(deployment, name) for name in SOURCES}
    used = _sum(maxima)
    text = f"{limit} concurrent executions; queues take up to {used}, {RESERVE} are for requests"
    if used + RESERVE <= limit:
        return [ok(subject, text)]
    wanted = max(USUAL_LIMIT, used + RESERVE)
    request = (
        "request a higher limit: `aws service-quotas request-service-quota-increase --service-code lambda"
        f" --quota-code {QUOTA} --desired-value {wanted} --region {aws.meta.region_name}`"
    )
    return [action(subject, text, request), *_lowering(maxima, limit)]


def _parameter(deployment: Deployment, name: str) -> int:
    if name not in deployment.parameters:
        raise Refused(f"the stack has no parameter {name}; deploy the current template")
    return int(deployment.parameters[name])


def _lowering(maxima: dict[str, int], limit: int) -> list[Finding]:
    lowered = lower(maxima, limit)
    least = _sum(lowered)
    text = f"at least {least} with the lowest parameters" if least > limit else f"{least} would fit"
    if lowered == maxima:
        return []
    changed = " ".join(
        f"{name}={value}" for name, value in lowered.items() if value != maxima[name]
    )
    # Feeds of the inbox are no queues: RESERVE has room for one batch of each.
    changed += " FeedParallelization=1"
    return [
        action("event sources", text, f"until then deploy with `--parameter-overrides {changed}`")
    ]


def lower(maxima: dict[str, int], limit: int) -> dict[str, int]:
    """Return maxima that leave RESERVE executions of a *limit*, in proportion; at least FEWEST each."""
    share = (limit - RESERVE - FIXED) / (_sum(maxima) - FIXED)
    lowered = {name: max(FEWEST, min(most, floor(most * share))) for name, most in maxima.items()}
    # Those at FEWEST take more than their share: the largest one gives way, one by one.
    while _sum(lowered) > limit - RESERVE and max(lowered.values()) > FEWEST:
        lowered[max(lowered, key=lambda name: lowered[name])] -= 1
    return lowered


def _sum(maxima: dict[str, int]) -> int:
    return FIXED + sum(SOURCES[name] * most for name, most in maxima.items())
