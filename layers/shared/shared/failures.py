"""
The two ways an event can fail, and the words for them.

    Exception
    + Permanent   it will fail the same way for ever: park it, say why, go on with its neighbours
    + Transient   it may work later: let it fly, the queue brings the event back

Anything else that is raised is treated as Transient: the queue brings it back and, if it is a bug, buries it in the
dead-letter queue, where an alarm waits. Messages of both are shown in logs and in parked items: reasons, never content.
"""


class Permanent(Exception):
    """The event can never be processed. *reason* is a short code, such as `unknown_phone`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Transient(Exception):
    """
    The event could not be processed now. *reason* is a short code, such as `media_not_ready`.

    *wait_ms*: when it may work, where that is known; None leaves it to the queue.
    """

    def __init__(self, reason: str, wait_ms: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_ms = wait_ms
