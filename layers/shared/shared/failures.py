"""
The two ways an event can fail.

    Exception
    + Permanent   every retry would fail in the same way: park the event with its reason, continue with the next ones
    + Transient   a retry may succeed: do not catch it, the queue redelivers the event

Any other exception is treated as Transient: the queue redelivers the event and, if the cause is a bug, moves it to the
dead-letter queue, which raises an alarm. Messages of both classes appear in logs and in parked items, so they contain
reasons and never content.
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
