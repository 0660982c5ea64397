"""Routes of webhooks."""

from collections.abc import Callable
from dataclasses import dataclass

from console.api.inbox import InboxDependencies
from console.jobs.runs import Runs
from console.notifications.webhooks import changes
from console.notifications.webhooks.inputs import (
    DeliveriesQuery,
    SecretRotation,
    WebhookChange,
    WebhookInput,
)
from console.notifications.webhooks.views import (
    Deliveries,
    DeliveryQueued,
    DeliveryView,
    WebhookRemoved,
    Webhooks,
    WebhookSecret,
    WebhookView,
)
from console.store import webhooks as stored
from shared.api.auth import Scope
from shared.api.cursors import Listing, Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_ALL, _ONE = "/inbox/webhooks", "/inbox/webhooks/{webhook_id}"
_ADMIN = Scope.ACCESS_ADMIN


@dataclass(frozen=True, slots=True)
class WebhookRoutes:
    """The routes over the resources of the API."""

    deps: InboxDependencies
    runs: Runs

    @route_methods.reads(f"GET {_ALL}", _ADMIN)
    def list_webhooks(self, request: Request[NoInput]) -> Webhooks:
        """List the webhooks of the company."""
        found = stored.of_company(self.deps.live, request.caller.company)
        return Webhooks(webhooks=[WebhookView.of(one) for one in found])

    @route_methods.changes(f"POST {_ALL}", _ADMIN)
    def create_webhook(self, request: Request[WebhookInput]) -> Callable[[], WebhookSecret]:
        """Make a webhook; the answer has its secret, once."""
        return changes.create(self.deps, request.caller, request.input, request.cause)

    @route_methods.changes(f"POST {_ONE}", _ADMIN)
    def change_webhook(
        self, request: Request[WebhookChange], webhook_id: str
    ) -> Callable[[], WebhookView]:
        """Change a webhook, pause it, or make it active again."""
        found = changes.of_company(self.deps, request.caller.company, webhook_id)
        return changes.alter(self.deps, self.runs, found, request.input)

    @route_methods.changes(f"POST {_ONE}/rotate", _ADMIN)
    def rotate_webhook_secret(
        self, request: Request[SecretRotation], webhook_id: str
    ) -> Callable[[], WebhookSecret]:
        """Give a webhook a new secret, which the answer has, once."""
        found = changes.of_company(self.deps, request.caller.company, webhook_id)
        return changes.rotate(self.deps, found, request.input.keep_hours, request.cause)

    @route_methods.changes(f"POST {_ONE}/remove", _ADMIN)
    def remove_webhook(
        self, request: Request[NoInput], webhook_id: str
    ) -> Callable[[], WebhookRemoved]:
        """Remove a webhook."""
        found = changes.of_company(self.deps, request.caller.company, webhook_id)
        return changes.remove(self.deps, found)

    @route_methods.changes(f"POST {_ONE}/test", _ADMIN)
    def test_webhook(
        self, request: Request[NoInput], webhook_id: str
    ) -> Callable[[], DeliveryQueued]:
        """Send a test to a webhook."""
        found = changes.of_company(self.deps, request.caller.company, webhook_id)
        return changes.test(self.deps, self.runs, found, request.cause)

    @route_methods.reads(f"GET {_ONE}/deliveries", _ADMIN)
    def list_deliveries(
        self, request: Request[DeliveriesQuery], webhook_id: str
    ) -> Page[Deliveries]:
        """List the deliveries of a webhook that were tried in the last 30 days, newest event first."""
        company, query, seal = request.caller.company, request.input, self.deps.seal
        found = changes.of_company(self.deps, company, webhook_id)
        listing = Listing(company, "deliveries of a webhook", (webhook_id,))
        start = listing.position(seal, query.cursor) if query.cursor else None
        rows, last = stored.log_page(self.deps.live, found, limit=query.limit, start=start)
        shown = Deliveries(deliveries=[DeliveryView.of(one) for one in rows])
        return Page(shown, listing.cursor(seal, last) if last else None)

    @route_methods.changes(f"POST {_ONE}/deliveries/{{delivery_id}}/resend", _ADMIN)
    def resend_delivery(
        self, request: Request[NoInput], webhook_id: str, delivery_id: str
    ) -> Callable[[], DeliveryQueued]:
        """Send an event again, with its id."""
        found = changes.of_company(self.deps, request.caller.company, webhook_id)
        return changes.resend(self.deps, self.runs, found, delivery_id)
