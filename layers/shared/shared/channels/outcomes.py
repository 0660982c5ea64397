"""
How one attempt to send can end when it does not end well.

    Exception
    + Refused    the provider said no, for good
    + NotSent    certainly not sent: refused connection, unknown host, throttled; trying again cannot double anything
    + InDoubt    the answer is lost or the provider failed inside: it may have acted, or may act yet

None of them carries what the provider wrote: an error text can repeat an address or a body.
"""


class Refused(Exception):
    """The provider refused for good; *code* is its own error code or HTTP status."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class NotSent(Exception):
    """The provider certainly did not act; *code* says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class InDoubt(Exception):
    """Nobody knows whether the provider acted; *code* says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
