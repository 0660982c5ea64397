"""
Failures of an event.

    Exception
    + Permanent   every retry would fail in the same way: park the event with its reason, continue with the next ones
    + Transient   a retry may succeed: do not catch it, the queue redelivers the event
      - NotDue    the event is not due yet: no failure, and no attempt
        - OverShare  its company has its share of the runs

Any other exception is retried like Transient (`shared.aws.workers.sqs_worker`). A bug (TypeError, ValueError,
LookupError, AttributeError or RecursionError) is logged as `internal error`, and parks the event as `internal_error`
after its last attempt; every other failure then moves the event to the dead-letter queue. Both raise an alarm.

Messages of both classes appear in logs and in parked items, so they contain reasons and never content.
"""


class Permanent(Exception):
    """The event can never be processed. *reason* is a short code, such as `unknown_phone`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Transient(Exception):
    """
    The event could not be processed now. *reason* is a short code, such as `media_not_ready`.

    *wait_ms*: the time after which a retry may succeed, if known; None leaves the delay to the queue.
    """

    def __init__(self, reason: str, wait_ms: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_ms = wait_ms


class NotDue(Transient):
    """The event is due in *wait_ms*, which it names itself (`Worker.due_ms`); until then the queue hides it."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__("not_due", wait_ms)


class OverShare(NotDue):
    """The event's company has its share of the runs (`shared.aws.workers.fair_shares`); it waits *wait_ms*."""
