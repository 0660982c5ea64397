"""
The words of a stored recording: the checks before the call of a transcriber, its price, the call, and why there may be
no text. Callers see to it that one of them at a time asks for a recording, and that the first text is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit

from shared.ai import port as ai
from shared.ai.providers.model_creation import transcriber_for
from shared.ai.providers.transcription import FORMATS, Recording
from shared.ai.spending import prices
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import REASON, Reached
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai.settings import TranscriptionSettings
    from shared.ai.spending.budget import Cause, Spending
    from shared.providers.company_secrets import CompanySecrets

LONGEST_TEXT: Final = 4_000  # characters
CALL_MS: Final = 60 * clock.SECOND_MS
AGAIN_MS: Final = 20 * clock.SECOND_MS  # doubled after each attempt
TOO_LARGE: Final = "too_large"
OTHER_FORMAT: Final = "other_format"
LOST: Final = "file_lost"
# Reasons that another attempt finds again, unless a person changes something.
FINAL: Final = frozenset({TOO_LARGE, OTHER_FORMAT, LOST, REASON})


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcribers:
    """The companies' transcribers, and the bounds on what outsiders cause."""

    credentials: CompanySecrets
    openai_url: str
    spending: Spending


@dataclass(frozen=True, slots=True)
class Words:
    """A text, which may be empty; or the reason why there is none."""

    text: str | None
    reason: str | None = None


class Passing(Exception):
    """The provider failed in a way that may pass; `code` says how."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def of_recording(
    transcribers: Transcribers,
    settings: TranscriptionSettings,
    media_type: str,
    read: Callable[[int], bytes | None],
    cause: Cause,
) -> Words:
    """
    Transcribe a recording. *read* returns its bytes, nothing if they are more than its argument, None without a file.

    The price is reserved by an estimate of the duration, before the call. Raises Passing.
    """
    plain = media_type.partition(";")[0].strip().casefold()
    if plain not in FORMATS:
        return Words(None, OTHER_FORMAT)
    data = read(settings.largest_bytes)
    if not data:
        return Words(None, LOST if data is None else TOO_LARGE)
    recording = Recording(plain, data)
    price = prices.TRANSCRIBED_SECOND * recording.seconds
    if isinstance(transcribers.spending.reserve(Kind.TRANSCRIPTION, cause, price), Reached):
        return Words(None, REASON)
    try:
        transcriber = transcriber_for(
            settings, transcribers.openai_url, transcribers.credentials, cause.company
        )
        text = transcriber.transcribe(recording, within_ms=CALL_MS)
    except (SecretUnreadable, Misconfigured) as failure:
        return _unusable(type(failure).__name__)
    except NotSent as failure:
        raise Passing(failure.code) from None
    except ai.Unavailable as failure:
        if failure.repeat is ai.Repeat.NEVER:
            return _unusable(failure.code)
        raise Passing(failure.code) from None
    return Words(text[:LONGEST_TEXT])


def _unusable(code: str) -> Words:
    """Report a provider that refuses until an operator acts, and return the reason."""
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("transcription refused", extra={"reason": code})
    return Words(None, code)
