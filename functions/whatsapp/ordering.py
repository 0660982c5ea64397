"""The order of a conversation: by provider time, then by a hash, the same for every worker and every delivery."""

from shared.aws.sqs_fifo import digest
from shared.runtime import clock

_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_TIME_DIGITS = 9  # 45 bits of milliseconds: until the year 3084
_TIE_DIGITS = 6
_LAST_OF_A_SECOND_MS = 999
CLOCK_SKEW_MS = 10 * 60 * clock.SECOND_MS


def received_at_ms(at: int, index: int, accepted_at: int) -> int:
    """
    Return the time of receipt in milliseconds: the provider's second *at*, plus the position in its webhook.

    A time more than ten minutes ahead of our own clock at ingress is replaced by ours.
    """
    moment = at * 1_000 + min(index, _LAST_OF_A_SECOND_MS)
    return accepted_at if moment > accepted_at + CLOCK_SKEW_MS else moment


def order_key(received_at: str, message_pk: str) -> str:
    """Return 15 characters whose text order is the conversation order; the message's key breaks ties."""
    return _base32(clock.from_text(received_at), _TIME_DIGITS) + _base32(
        int(digest(message_pk)[:8], 16) >> 2, _TIE_DIGITS
    )


def time_of(key: str) -> str:
    """Return the time of an order key, as text."""
    return clock.to_text(int(key[:_TIME_DIGITS], 32))


def _base32(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, rest = divmod(number, 32)
        digits = _DIGITS[rest] + digits
    return digits
