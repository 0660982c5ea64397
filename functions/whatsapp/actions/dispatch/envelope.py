"""
The envelope of a failed call of an action, and the result of a call whose outcome is open.

The envelope of a call that succeeds has `statusCode`, `operation`, `requestId`, `mode`, `result`, and where they apply
`cursor` and `replayed` (`whatsapp.actions.dispatch.execution`).
"""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field

from shared.providers.outcomes import ErrorDetails
from whatsapp.actions.dispatch import error_meanings
from whatsapp.sending.failures import ProviderRejected, ProviderUnavailable, TooFast
from whatsapp.sending.views import View


class ProviderRefusal(View):
    """
    The error of Meta or AWS. Numbers, addresses of mail and secrets in its texts are masked. A send or creation that is
    repeated with its key gets the refusal of the first call without the provider's texts, which are not stored.
    """

    code: Annotated[
        str, Field(description="Meta's code after `graph_`, such as `graph_131047`, or AWS's")
    ]
    subcode: Annotated[str | None, Field(description="Meta's `error_subcode`")] = None
    title: Annotated[
        str | None, Field(description="the provider's title, or else the meaning of the code")
    ] = None
    message: Annotated[str | None, Field(description="the provider's explanation")] = None
    trace_id: Annotated[
        str | None,
        Field(
            description="names the request in the provider's logs: Meta's `fbtrace_id`, AWS's id"
        ),
    ] = None
    retryable: Annotated[
        bool, Field(description="whether the same call, with a new key, can succeed later")
    ]

    @classmethod
    def of(cls, code: str, details: ErrorDetails | None, *, retryable: bool = False) -> Self:
        """Return the refusal with a provider's code. *retryable*: of a failure that passes."""
        known = error_meanings.of_code(code)
        said = details or ErrorDetails()
        return cls(
            code=code,
            subcode=said.subcode,
            title=said.title or (known.meaning if known else None),
            message=said.message,
            trace_id=said.trace_id,
            retryable=retryable or said.is_transient or (known is not None and known.again),
        )


def provider_of(error: Exception) -> ProviderRefusal | None:
    """Return the provider's own error, if it gave one."""
    match error:
        case ProviderRejected():
            return ProviderRefusal.of(error.code, error.details)
        case TooFast() | ProviderUnavailable() if error.code and error.details:
            return ProviderRefusal.of(error.code, error.details, retryable=True)
    return None


class Problem(View):
    """A field of the input, and the rule that it breaks."""

    field: str
    problem: str


class Failure(View):
    """The reason of a failed call."""

    code: Annotated[str, Field(description="for software, such as `not_found`")]
    message: Annotated[str, Field(description="for people; repeats no value")]
    retryable: Annotated[
        bool, Field(description="whether the same call with the same key can succeed later")
    ]
    retry_after_seconds: Annotated[
        int | None, Field(description="of 429: when a repetition can succeed")
    ] = None
    reason: Annotated[
        str | None, Field(description="of `policy_refused`, such as `window_closed`")
    ] = None
    details: Annotated[
        list[Problem] | None, Field(description="of `invalid_input`: each field and its rule")
    ] = None
    provider: Annotated[
        ProviderRefusal | None, Field(description="the error of the provider, if it gave one")
    ] = None


class FailedCall(View):
    """The answer to a call that failed. *operation* is `unknown` if there is no such action."""

    status_code: int
    operation: str
    request_id: str
    error: Failure


class OpenOutcome(View):
    """The provider's answer was lost, and the call is not repeated; *message* says how to find the outcome."""

    action_id: str
    state: Literal["in_doubt"] = "in_doubt"
    message: str


class ShortenedResult(View):
    """Of a stored result that was too long: its smallest fields. Only calls that are repeated with their key get it."""

    model_config = ConfigDict(extra="allow")

    is_shortened: Literal[True] = True
