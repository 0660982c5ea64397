"""
Calls the providers for everything but messages: selects account and token, and translates failures for the caller.

    read, idempotent change    repeated up to twice while the provider's answer is lost; then `provider_unavailable`
    other change               one attempt under the ledger; a lost answer is left in doubt, and never repeated
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from shared.api.errors import KeyReused, StillRunning
from shared.aws.sqs_fifo import to_json
from shared.identity.keyed_hashes import keyed_hash, keyed_hashes
from shared.providers.action_ledger import Action, OnDoubt, State
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime.failures import Permanent, Transient
from whatsapp import transmission
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.failures import LeftInDoubt
from whatsapp.sending.failures import (
    NotConfigured,
    ProviderUnavailable,
    of_failed,
    of_not_sent,
    of_refused,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whatsapp.actions.calls.call import Call
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

ATTEMPTS = 3


class AnswerIncomplete(KeyError):
    """The provider's answer lacks a field that its documents name."""

    def __str__(self) -> str:
        return f"the provider's answer lacks {self.args[0]}; the call can be repeated"


class ProviderAnswer(dict[str, Any]):
    """An object of a provider's answer, without fields that are null. Raises AnswerIncomplete for an absent one."""

    def __missing__(self, name: str) -> Any:  # noqa: ANN401 - never returns
        raise AnswerIncomplete(name)


def as_answer(found: Mapping[str, Any]) -> ProviderAnswer:
    """Return an answer whose objects, also those in it, are each a ProviderAnswer."""
    fields = {name: _part(part) for name, part in found.items() if part is not None}
    return ProviderAnswer(fields)


def _part(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return as_answer(value)
    if isinstance(value, list):
        return [_part(part) for part in value if part is not None]
    return value


@dataclass(frozen=True, slots=True)
class GraphAccount:
    """
    Graph with the access token of a number or of its account. Paths are parts, which are quoted: `get(waba, "flows")`.

    Each method makes an idempotent call, which is repeated while the answer is lost. A call that must not be repeated
    goes through `once`, with `attempt`.
    """

    resources: SendingResources
    token: str

    def get(self, *path: str, **query: str) -> dict[str, Any]:
        """Read. Raises ProviderRejected, ProviderUnavailable and TooFast, as all methods."""
        return answered(lambda: self.attempt("GET", *path, query=query))

    def post(self, *path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Make an idempotent change."""
        return answered(lambda: self.attempt("POST", *path, body=body))

    def delete(
        self, *path: str, body: Mapping[str, Any] | None = None, **query: str
    ) -> dict[str, Any]:
        """Delete; what is already gone is refused by the provider."""
        return answered(lambda: self.attempt("DELETE", *path, body=body, query=query))

    def attempt(
        self,
        method: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Make one attempt. Raises Refused, NotSent or InDoubt."""
        quoted = "/".join(quote(part, safe=":") for part in path)
        return as_answer(self.resources.graph.call(method, quoted, self.token, body, query=query))


@dataclass(frozen=True, slots=True)
class EumAccount:
    """AWS End User Messaging Social. Operations have boto3's names: `call("list_whatsapp_flows", id=...)`."""

    resources: SendingResources

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - of any operation
        """Read, or make an idempotent change. Raises ProviderRejected, ProviderUnavailable and TooFast."""
        return answered(lambda: self.attempt(operation, **parameters))

    def attempt(self, operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - of any operation
        """Make one attempt. Raises Refused, NotSent or InDoubt."""
        return as_answer(self.resources.eum.call(operation, **parameters))


def graph_of(call: Call[Any], phone: Phone) -> GraphAccount:
    """Return Graph with the token of a number. Raises NotConfigured."""
    try:
        return GraphAccount(call.resources, transmission.token_of(call.resources, phone))
    except Permanent as fault:
        raise NotConfigured(f"the number has no access to Graph: {fault.reason}") from None


def graph_of_account(call: Call[Any], waba: str) -> GraphAccount:
    """Return Graph with the token of an account's first number that has one. Raises NotFound and NotConfigured."""
    fault = NotConfigured("the account has no number with access to Graph")
    for phone in participants.account_of(call, waba):
        try:
            return graph_of(call, phone)
        except NotConfigured as found:
            fault = found
    raise fault


def eum_of(call: Call[Any], phone: Phone) -> EumAccount:
    """Return End User Messaging for a number that is linked to it. Raises NotConfigured."""
    if phone.provider != "eum":
        raise NotConfigured("the number is not linked to AWS End User Messaging")
    if not phone.aws_phone:
        raise NotConfigured("the number has no id at AWS: it must be registered with its ARN")
    if phone.proof is None:
        raise NotConfigured("the proof that the number is the company's has ended")
    return EumAccount(call.resources)


def linked_of(phones: Sequence[Phone]) -> Phone:
    """Return the number of an account at AWS that names most of its ids there: of its own, and of the account."""
    return max(phones, key=lambda phone: (bool(phone.aws_waba), bool(phone.aws_phone)))


def number_of(phones: Sequence[Phone]) -> Phone:
    """Return the number that an account is called with: of its first number's provider, with most ids at AWS."""
    return linked_of([phone for phone in phones if phone.provider == phones[0].provider])


def aws_account_of(phone: Phone) -> str:
    """Return AWS's id of a number's account. Raises NotConfigured."""
    if not phone.aws_waba:
        raise NotConfigured(
            "awsWabaId: the number is registered without the id of its account at AWS"
        )
    return phone.aws_waba


def answered(attempt: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """
    Return the answer of a call that may be repeated while its answer is lost.

    Raises ProviderRejected, ProviderUnavailable and TooFast.
    """
    last = InDoubt("no_answer")
    for _ in range(ATTEMPTS):
        try:
            return attempt()
        except Refused as refusal:
            raise of_refused(refusal) from None
        except NotSent as failure:
            raise of_not_sent(failure) from None
        except InDoubt as failure:
            last = failure
    raise ProviderUnavailable(
        "the provider did not answer; the call can be repeated", last.code, last.details
    )


def once(
    call: Call[Any],
    phone: Phone,
    find: str,
    attempt: Callable[[], str | None],
    *parts: str,
    on_doubt: OnDoubt = OnDoubt.AT_MOST_ONCE,
) -> str:
    """
    Make a change at the provider that must not be repeated, and return the provider's id of its result. With *on_doubt*
    RESEND a later call repeats an attempt whose answer was lost.

    *attempt* makes one call and returns that id. A later call with the same idempotency key gets the same id. *find*
    says how the caller finds the outcome of a change in doubt. *parts* tell several changes of one call apart. Raises
    LeftInDoubt, ProviderRejected, KeyReused, StillRunning, ProviderUnavailable and TooFast.
    """
    fingerprint = ("action", call.action, to_json(call.input.model_dump(mode="json")))
    action_id = call.action_id(*parts)
    known = call.resources.ledger.action(action_id)
    if known is not None and known.body_hash not in keyed_hashes(*fingerprint):
        raise KeyReused("the Idempotency-Key was used for another call")
    intended = Action(
        action_id=action_id,
        company=call.company,
        channel="whatsapp",
        provider=phone.provider,
        account=phone.waba_meta_id,
        business_address=phone.phone,
        on_doubt=on_doubt,
        body_hash=keyed_hash(*fingerprint),
        sent_by=call.caller.principal,
    )
    refusal = _perform(call, intended, find, attempt)
    action = call.resources.ledger.action(action_id)
    if action is None or action.state is State.UNKNOWN:
        raise LeftInDoubt(action_id, find)
    if action.state is State.FAILED:
        raise of_failed(action, refusal)
    return action.provider_id or ""


def _perform(
    call: Call[Any], intended: Action, find: str, attempt: Callable[[], str | None]
) -> Refused | None:
    """
    Make an attempt under the ledger, unless it has an outcome. Raises as `once` while there is none. Returns the
    refusal of this attempt.
    """
    failed: list[NotSent | Refused] = []

    def send() -> str | None:
        try:
            return attempt()
        except (NotSent, Refused) as failure:
            failed.append(failure)
            raise
        except KeyError:
            # The provider answered without the id: the change may have been made.
            raise InDoubt("no_id") from None

    try:
        call.resources.ledger.perform(
            intended, owner=call.id, remaining_ms=call.remaining_ms(), send=send
        )
    except Transient as failure:
        if failure.reason == "send_in_doubt":
            raise LeftInDoubt(intended.action_id, find) from None
        if failed and isinstance(failed[0], NotSent):
            raise of_not_sent(failed[0]) from None
        raise StillRunning("the same call is still in progress") from None
    return failed[0] if failed and isinstance(failed[0], Refused) else None
