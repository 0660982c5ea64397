"""Executes the function calls of a model, each at most once even after crashes, and for its conversation only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.ai.config import BuiltIn
from conversations.ai.functions import FAILED, UNKNOWN, Call, Result, TurnOutdated
from conversations.lifecycle.conversation import addresses_of
from conversations.outbound.policy import newer_messages
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.log import of
from conversations.store.items.parts.function_result import FunctionResult
from shared.aws.sqs_fifo import to_json
from shared.policy.consent.items import Source, Statement
from shared.providers.action_ledger import Action, OnDoubt, State
from shared.providers.outcomes import InDoubt, Misconfigured, Refused
from shared.providers.standard_webhooks import signed
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from conversations.ai.config import Function
    from conversations.ai.functions import Execute
    from conversations.configuration.resources import Resources, Run
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.outbound.policy.newer_messages import Unanswered
    from shared.policy.consent.records import Consents
    from shared.providers.company_secrets import CompanySecrets

WITHIN_MS = 10 * clock.SECOND_MS
LONGEST_RESULT_BYTES = 16 << 10
DONE = Result('{"ok": true}')
FENCED = "fenced"  # an agent has taken over since the turn was claimed
NOT_SENT = "not_sent"  # the ledger's reason for an attempt that certainly had no effect
_SERVER_ERRORS, _CLIENT_ERRORS = 500, 400


@dataclass(slots=True, kw_only=True, eq=False)
class Effects:
    """Executes functions. *loopback* allows webhooks on this machine, for the local stack only; never set on AWS."""

    resources: Resources
    consents: Consents
    credentials: CompanySecrets
    loopback: bool = False

    def of_turn(
        self,
        opened: OpenConversation,
        turn_id: str,
        run: Run,
        unanswered: Unanswered | None = None,
    ) -> Execute:
        """
        Return the function that executes the model's calls in a turn.

        It raises TurnOutdated before the first call of a project's function if an agent has taken over, or if newer
        messages wait for an answer than *unanswered*, the messages that the turn answers.
        """
        once_in = unanswered.calls_once_in if unanswered else None
        has_acted = False

        def execute(call: Call) -> Result:
            nonlocal has_acted
            if call.function is not None and not has_acted:
                self._check_is_current(opened, unanswered)
                has_acted = True
            return self.execute(opened, turn_id, run, call, once_in=once_in)

        return execute

    def _check_is_current(self, opened: OpenConversation, unanswered: Unanswered | None) -> None:
        log = self.resources.log
        state = states.read(log, opened.ref)
        if state is None or state.generation != opened.state.generation:
            raise TurnOutdated(FENCED)
        if unanswered and newer_messages.are_waiting(
            log, opened.ref, state, until=unanswered.read_until, up_to=unanswered.up_to
        ):
            raise TurnOutdated(newer_messages.NEWER_MESSAGE)

    def execute(
        self,
        opened: OpenConversation,
        turn_id: str,
        run: Run,
        call: Call,
        *,
        once_in: str | None = None,
    ) -> Result:
        """Execute a function that the model called; equal calls run once in *once_in*, by default the turn."""
        if call.function is not None:
            return self._webhook(opened, once_in or turn_id, run, call, call.function)
        if call.name == BuiltIn.OPT_OUT:
            self._opt_out(opened, turn_id)
        return DONE  # All other built-in functions take effect with the turn's message.

    def _opt_out(self, opened: OpenConversation, turn_id: str) -> None:
        statement = Statement(
            source=Source.AI,
            at_ms=clock.from_text(opened.state.last_inbound_at or opened.state.created_at),
            evidence=identifiers.action_id(opened.ref, turn_id),
            channel=opened.conversation.channel_method,
        )
        company = opened.company.company_id
        self.consents.record_opt_out(company, addresses_of(opened), statement)

    def _webhook(
        self, opened: OpenConversation, once_in: str, run: Run, call: Call, function: Function
    ) -> Result:
        """Call the project's webhook: once in *once_in* for equal arguments. Return its response."""
        resources = self.resources
        action_id = identifiers.action_id(opened.ref, once_in, call.name, call.canonical_arguments)
        where = of(opened.ref, FunctionResult.sk(action_id))
        answered: list[Result] = []

        def post() -> str | None:
            result = self._posted(opened, call, function, action_id)
            function_result = FunctionResult(
                name=call.name,
                text=result.text,
                is_error=result.is_error,
                ttl=FunctionResult.time_to_live(),
            )
            resources.log.put(function_result.attributes(where))
            answered.append(result)
            return call.name

        intended = Action(
            action_id=action_id,
            company=opened.company.company_id,
            channel="function",
            provider="webhook",
            on_doubt=OnDoubt.AT_MOST_ONCE,
        )
        try:
            standing = resources.ledger.perform(
                intended, owner=run.owner, remaining_ms=run.remaining_ms(), send=post
            )
        except Transient as doubt:
            return FAILED if doubt.reason == NOT_SENT else UNKNOWN
        if answered:
            return answered[0]
        if standing is State.UNKNOWN:
            return UNKNOWN
        item = resources.log.get(where)
        stored = FunctionResult.read(item) if item else None
        return Result(stored.text, is_error=stored.is_error) if stored else FAILED

    def _posted(
        self, opened: OpenConversation, call: Call, function: Function, action_id: str
    ) -> Result:
        """Make one POST request. Raises Refused, NotSent or InDoubt."""
        from shared.providers import http  # noqa: PLC0415 - few projects have functions

        body = to_json(
            {
                "function": call.name,
                "arguments": dict(call.arguments),
                "company_id": opened.company.company_id,
                "project_id": opened.company.project_id,
                "conversation_ref": opened.ref,
                "request_id": opened.conversation.request_id,
            }
        ).encode()
        headers = {"Content-Type": "application/json"}
        if function.secret_reference:
            company_id = opened.company.company_id
            secret = self.credentials.value(company_id, function.secret_reference)
            headers |= signed(body, action_id, str(secret.get("signing_key", "")))
        try:
            answer = http.call_untrusted(
                function.target,
                headers=headers,
                body=body,
                within_ms=WITHIN_MS,
                loopback=self.loopback,
            )
        except http.OriginRefused:
            raise Misconfigured("function_target") from None
        if answer.status >= _SERVER_ERRORS:
            raise InDoubt(f"function_{answer.status}")
        if answer.status >= _CLIENT_ERRORS:
            raise Refused(f"function_{answer.status}")
        text = answer.data[:LONGEST_RESULT_BYTES].decode("utf-8", "replace")
        return Result(text or DONE.text)
