"""
Reasons why a message was not sent. Texts name fields, rules and codes, never content.

    Exception
    + PolicyRefused         the send policy forbids it now
    + TooFast               a rate limit of Parley or of the provider; a retry with the same key can succeed
    + TemplateNotSendable   the template is unknown, not approved, or needs other parameters
    |   + TemplateNotFitting
    + NotSupported          the number's provider cannot send this
    + NotConfigured         the number has no access token
    + ProviderRejected      the provider refused permanently; the message is shown as failed
    + AnsweredMeanwhile     another person answered after the position at which the message was written
    + ProviderUnavailable   certainly not sent; a retry with the same key can succeed
"""

from shared.api.auth import RateLimited
from shared.api.errors import Newer, Outdated
from shared.providers.action_ledger import Action
from shared.providers.outcomes import ErrorDetails, NotSent, Refused
from shared.runtime import clock
from whatsapp.inbound import provider_errors

_THROTTLED_MS = 6 * clock.SECOND_MS  # Meta's interval for one pair, if it gives none
# The reason why a message to a number that another customer has, or that its owner gave up, is not sent.
ADDRESS_WITHDRAWN = "address_withdrawn"
# Refusals that concern a number and not a customer.
_OF_THE_NUMBER = frozenset({"safe_mode", "sending_blocked", "quality_low"})


class PolicyRefused(Exception):
    """The send policy forbids the message. *reason* is a code, such as `window_closed`."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"{reason}: {_MEANINGS.get(reason, 'the send policy forbids the message')}"
        )
        self.reason = reason

    @property
    def concerns_the_number(self) -> bool:
        """Whether every message of the number is refused for this reason, and the same one may be permitted later."""
        return self.reason in _OF_THE_NUMBER


class TooFast(RateLimited):
    """
    Not sent because of a rate limit of *what*. *free_at* is when a retry can succeed (ms since 1970).

    *code* and *details* are the provider's, if the limit is its own: of its *refusal*.
    """

    def __init__(
        self,
        free_at: int,
        what: str = "messages to this customer",
        refusal: NotSent | None = None,
    ) -> None:
        seconds = max(1, -(-(free_at - clock.now_ms()) // clock.SECOND_MS))
        Exception.__init__(self, f"{what} are limited; retry in {seconds} s")
        self.retry_after = seconds
        self.code = refusal.code if refusal else None
        self.details = refusal.details if refusal else None


class TemplateNotSendable(Exception):
    """The template cannot be sent with these parameters; the text says what it needs."""


class TemplateNotFitting(TemplateNotSendable):
    """The template may be sent, but needs other parameters; the text says which."""


class NotSupported(Exception):
    """The number's provider cannot send this message; the text says why."""


class NotConfigured(Exception):
    """The number cannot send before an operator completes its settings."""


class AnsweredMeanwhile(Outdated):
    """The conversation has an answer that the writer has not seen. With its position the message is sent."""

    def __init__(self, newer: Newer) -> None:
        super().__init__("position: the conversation has a newer answer of another author", newer)


class ProviderRejected(Exception):
    """The provider refused the message permanently, with this *code*. *details* is what it says besides."""

    def __init__(self, code: str, details: ErrorDetails | None = None) -> None:
        known = provider_errors.advice(code)
        super().__init__(f"the provider refused the call: {code}" + (f": {known}" if known else ""))
        self.code = code
        self.details = details


class ProviderUnavailable(Exception):
    """The provider could not be reached, so nothing was sent. *code* and *details* are its own, if it answered."""

    def __init__(
        self, text: str, code: str | None = None, details: ErrorDetails | None = None
    ) -> None:
        super().__init__(text)
        self.code, self.details = code, details


def of_refused(refusal: Refused) -> ProviderRejected:
    """Return the error of a call that the provider refused permanently."""
    return ProviderRejected(refusal.code, refusal.details)


def of_failed(action: Action, refusal: Refused | None = None) -> ProviderRejected:
    """
    Return the error of an action that failed: by its *refusal* if this call made the attempt, else by the stored part
    of it, which has no texts.
    """
    if refusal is not None and refusal.code == action.reason:
        return of_refused(refusal)
    return ProviderRejected(action.reason or "failed", _stored_details(action))


def _stored_details(action: Action) -> ErrorDetails | None:
    if action.is_error_transient is None:
        return None
    return ErrorDetails(
        subcode=action.error_subcode,
        trace_id=action.error_trace_id,
        is_transient=action.is_error_transient,
    )


def of_not_sent(failure: NotSent) -> TooFast | ProviderUnavailable | PolicyRefused:
    """Return the error of a call that the provider certainly did not act on."""
    code = failure.code
    if code == ADDRESS_WITHDRAWN:
        return PolicyRefused(code)
    if code.startswith("graph_") or "hrottl" in code or code == "TooManyRequestsException":
        free_at = clock.now_ms() + (failure.wait_ms or _THROTTLED_MS)
        return TooFast(free_at, "calls of the provider", failure)
    return ProviderUnavailable(
        "the provider cannot be reached; nothing was sent", code, failure.details
    )


_MEANINGS = {
    ADDRESS_WITHDRAWN: "the number is another person's now, or its owner gave it up, and the customer has no user id",
    "safe_mode": "sending is switched off",
    "opted_out": "the customer has opted out",
    "no_consent": "the customer has not agreed to messages of this kind",
    "window_closed": "the customer last wrote more than 24 hours ago; send a template",
    "sending_blocked": "the provider has blocked sending from this number",
    "frequency_cap": "the provider refused marketing to this customer less than 24 hours ago",
    "call_permission_missing": "the customer does not permit calls now; ask with request_call_permission",
    "quality_low": "the number's quality is rated RED; marketing templates are paused",
}
