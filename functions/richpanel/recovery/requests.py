"""Recovery requests of the admin API: logs and counts each redriven dead letter."""

from aws_lambda_powertools.metrics import MetricUnit

from richpanel.api.access import SPARE_MS, ApiDependencies, Instruction, log_change
from richpanel.api.inputs import RedriveInput
from richpanel.api.views import LetterView, RedrivenView
from richpanel.recovery import dead_letters
from richpanel.recovery.dead_letters import Redriven
from shared.api.routing import Request
from shared.runtime.observability import metrics


def redrive(deps: ApiDependencies, request: Request[RedriveInput]) -> RedrivenView:
    """Redrive dead letters to their queues. Raises NotEnqueued."""
    given = Instruction.of(request)
    done: list[Redriven] = []

    def tell(one: Redriven) -> None:
        done.append(one)
        facts = {"letter": one.id, "correlation_id": one.conversation_id}
        log_change(given, "dead letter redriven", facts)
        metrics.add_metric("Redriven", MetricUnit.Count, 1)

    dead_letters.redrive(
        deps,
        given,
        limit=request.given.limit,
        tell=tell,
        is_over=lambda: request.remaining_ms < SPARE_MS,
    )
    shown = [LetterView(id=one.id, conversation_id=one.conversation_id) for one in done]
    return RedrivenView(letters=shown, waiting=deps.dead_letters.count())
