"""
The order of a conversation, the same for every worker and every delivery: the provider's second, then the acceptance of
the webhook, then the position in it.

`receivedAt`, the sort key of the indexes, contains all three. A head compares `k`, the same order in fewer characters.
"""

from datetime import UTC, datetime

from shared.aws.sqs_fifo import digest
from shared.runtime import clock

CLOCK_SKEW_MS = 10 * 60 * clock.SECOND_MS
_LAST_OF_A_SECOND_MS = 999
# Digits after the milliseconds of `receivedAt`: the time from the provider's second to the acceptance, in milliseconds
# and increased by the clock skew, so that it is never negative; then the position in the webhook.
_LAG_DIGITS = 12
_PLACE_DIGITS = 4
_LONGEST_LAG = 10**_LAG_DIGITS - 1
_LAST_PLACE = 10**_PLACE_DIGITS - 1
_MOMENT_CHARACTERS = len("YYYY-MM-DDTHH:MM:SS.mmm")
_SECOND_CHARACTERS = len("YYYY-MM-DDTHH:MM:SS")
# In the order of ASCII, so that the text order of a key is the order of its numbers.
_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_BITS_OF_A_DIGIT = 6
_SECOND_DIGITS = 6  # in a key: until the year 4147
_TIE_DIGITS = 3


def received_at_ms(at: int, index: int, accepted_at: int) -> int:
    """
    Return the provider's second *at* in milliseconds, plus *index*, for facts that need a time and no order.

    A time more than ten minutes ahead of the ingress clock is replaced by the ingress time.
    """
    moment = at * 1_000 + min(index, _LAST_OF_A_SECOND_MS)
    return accepted_at if moment > accepted_at + CLOCK_SKEW_MS else moment


def received_at(at: int, accepted_at: int, index: int) -> str:
    """
    Return `YYYY-MM-DDTHH:MM:SS.mmm` and 16 more digits of the fraction, `Z`: a time whose text order is the order.

    *at*: the provider's second, replaced as in `received_at_ms`. The milliseconds come from the acceptance,
    999 if that is in a later second.
    """
    second = received_at_ms(at, 0, accepted_at) // 1_000
    lag = accepted_at - second * 1_000
    moment = clock.to_text(second * 1_000 + min(max(lag, 0), _LAST_OF_A_SECOND_MS))
    lag = min(lag + CLOCK_SKEW_MS, _LONGEST_LAG)
    place = min(index, _LAST_PLACE)
    return f"{moment[:_MOMENT_CHARACTERS]}{lag:0{_LAG_DIGITS}d}{place:0{_PLACE_DIGITS}d}Z"


def moment_of(received_at: str) -> str:
    """Return the time of a `receivedAt` as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    return f"{received_at[:_MOMENT_CHARACTERS]}Z"


def order_key(received_at: str, message_pk: str) -> str:
    """
    Return about 16 characters whose text order is the order of `receivedAt`; the message's key breaks ties.

    Short, because a head contains many of them and must stay below one write unit, 1 KB.
    """
    second, fraction = received_at[:_SECOND_CHARACTERS], received_at[_SECOND_CHARACTERS + 1 : -1]
    if len(fraction) > 3:  # noqa: PLR2004 - digits of the milliseconds
        lag, place = int(fraction[3 : 3 + _LAG_DIGITS]), int(fraction[3 + _LAG_DIGITS :])
    else:
        # A time of the ingress clock: as text it follows all longer ones with the same milliseconds.
        ms = int(fraction)
        lag = ms + CLOCK_SKEW_MS if ms < _LAST_OF_A_SECOND_MS else _LONGEST_LAG
        place = _LAST_PLACE
    seconds = clock.from_text(f"{second}.000Z") // 1_000
    tie = int(digest(message_pk)[:8], 16)
    return (
        _fixed(seconds, _SECOND_DIGITS) + _counted(lag) + _counted(place) + _fixed(tie, _TIE_DIGITS)
    )


def is_key(text: str) -> bool:
    """Whether a text of a caller has the form of an order key."""
    rest = text[_SECOND_DIGITS:]
    for _ in ("lag", "place"):
        rest = rest[1 + _DIGITS.find(rest[:1]) :]
    return len(rest) == _TIE_DIGITS and set(text) <= set(_DIGITS)


def time_of(key: str) -> str:
    """Return the `receivedAt` of an order key."""
    rest = key[_SECOND_DIGITS:]
    lag, rest = _number(rest[1:], _DIGITS.index(rest[0]))
    place, _ = _number(rest[1:], _DIGITS.index(rest[0]))
    ms = min(max(lag - CLOCK_SKEW_MS, 0), _LAST_OF_A_SECOND_MS)
    return f"{second_of(key)}.{ms:03d}{lag:0{_LAG_DIGITS}d}{place:0{_PLACE_DIGITS}d}Z"


def second_in(key: str) -> str:
    """Return the beginning of an order key that has its second: lower than all keys of that second."""
    return key[:_SECOND_DIGITS]


def second_of(key: str) -> str:
    """Return the provider's second of an order key, `YYYY-MM-DDTHH:MM:SS`: the beginning of its `receivedAt`."""
    seconds, _ = _number(key, _SECOND_DIGITS)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def _number(text: str, width: int) -> tuple[int, str]:
    """Return the number in the first *width* digits of a text, and the rest."""
    number = 0
    for digit in text[:width]:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return number, text[width:]


def _fixed(number: int, width: int) -> str:
    """Return the last *width* digits of a number."""
    digits = ""
    for _ in range(width):
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return digits


def _counted(number: int) -> str:
    """Return the number of digits, as one digit, and the digits: a longer number follows a shorter one."""
    width = -(-number.bit_length() // _BITS_OF_A_DIGIT)
    return _DIGITS[width] + _fixed(number, width)
