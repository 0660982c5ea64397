"""A change that is made once per idempotency key, and recorded in the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.api import idempotency
from shared.api.models.views import View
from shared.api.routing.responses import content_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shared.api.audit_log.log import AuditLog
    from shared.api.auth import Caller
    from shared.api.idempotency import Answer, Requests
    from shared.api.routing.responses import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleChange:
    """
    A call of the change *name*: *names* are its path parameters, *body* its input as JSON. For the audit log: *kind* of
    its objects, *object_id*, and *given*, the fields that the body has. *id* is API Gateway's request id, *key* the
    hash of caller and idempotency key.
    """

    name: str
    caller: Caller
    names: Mapping[str, str]
    body: Any
    kind: str
    object_id: str | None
    given: Mapping[str, Any]
    id: str
    key: str
    remaining_ms: int

    def once(
        self,
        requests: Requests,
        audit_log: AuditLog,
        change: Callable[[], Result],
        status_of: Callable[[Answer | Exception], int],
    ) -> Answer:
        """Make the change and record it, or return the stored answer of the call that made it."""
        first: list[Answer] = []

        def make() -> Answer:
            result = change()
            first.append(content_of(result))
            return content_of(result.as_stored() if isinstance(result, View) else result)

        def recorded() -> Answer:
            return audit_log.record(
                make,
                caller=self.caller,
                change=self.name,
                kind=self.kind,
                object_id=self.object_id,
                given=self.given,
                request_id=self.id,
                status_of=status_of,
            )

        requested = idempotency.RequestedChange(
            key=self.key,
            fingerprint=idempotency.fingerprint({"names": self.names, "body": self.body}),
            owner=self.id,
            remaining_ms=self.remaining_ms,
        )
        stored = idempotency.once(requests, requested, recorded)
        return first[0] if first else stored
