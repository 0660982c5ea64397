"""Declares routes of the admin API: scope, input and result of each route in one place."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from conversations.api import idempotency
from conversations.api.access import Agent, Unusable
from conversations.api.idempotency import Asked
from conversations.api.inputs import ActingInput
from shared.api import openapi, rest
from shared.api.auth import Scope
from shared.api.openapi import Operation
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
    from pydantic import BaseModel

    from conversations.api.inputs import AgentInput
    from conversations.api.queries import Page
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

KEY_HEADER = "Idempotency-Key"

# `Read` changes nothing. `Change` checks the caller's access, then returns the change as a function.
type Read = Callable[..., Page[Any]]
type Change = Callable[..., Callable[[Agent], BaseModel]]


@dataclass(frozen=True)
class Routes:
    """Routes of *app*; *log* stores the answers of changes. Declared routes appear in the OpenAPI document."""

    app: APIGatewayRestResolver
    log: Table
    operations: list[Operation] = field(default_factory=list)

    def reads(
        self, line: str, scope: Scope, given: type[BaseModel], result: type[BaseModel]
    ) -> Callable[[Read], Read]:
        """Declare a read route (`GET /path/{name}`): its function gets the caller, the input and path parameters."""

        def declare(act: Read) -> Read:
            operation = _operation(act, line, scope, given, result)

            def route(**names: str) -> Response[str]:
                caller = rest.caller(self.app, scope)
                read = rest.query if operation.method == "GET" else rest.body
                wanted = read(self.app, given)
                with _bad_input():
                    page = act(caller, wanted, **names)
                return rest.page(self.app, page.result, page.cursor)

            self._listen(operation, route)
            return act

        return declare

    def changes(
        self,
        line: str,
        scope: Scope,
        given: type[AgentInput],
        result: type[BaseModel],
        status: HTTPStatus = HTTPStatus.OK,
    ) -> Callable[[Change], Change]:
        """
        Declare a route whose change is made once per `Idempotency-Key`.

        Its function loads the object of the call and returns the change. Access is thus checked before the stored
        answer: a caller without access learns nothing from a key that another caller used.
        """

        def declare(act: Change) -> Change:
            operation = _operation(act, line, scope, given, result, status=status, needs_key=True)

            def route(**names: str) -> Response[str]:
                caller = rest.caller(self.app, scope)
                wanted = rest.body(self.app, given)
                content = {"names": names, "body": wanted.model_dump(mode="json", by_alias=True)}
                asked = self._asked(operation, caller, content)
                with _bad_input():
                    change = act(caller, wanted, **names)

                    def make(cause: str) -> dict[str, Any]:
                        agent = Agent(
                            name=wanted.agent_id,
                            principal=caller.principal,
                            cause=cause,
                            force=isinstance(wanted, ActingInput) and wanted.force,
                        )
                        return change(agent).model_dump(mode="json", exclude_none=True)

                    found = idempotency.answered(self.log, asked, make)
                about = {"conversation": names["ref"]} if "ref" in names else {}
                who = {"company": caller.company, "principal": caller.principal}
                logger.info(operation.name, extra=about | who)
                return rest.answer(self.app, {"result": found}, status)

            self._listen(operation, route)
            return act

        return declare

    @property
    def scopes(self) -> list[Scope]:
        """All scopes that the routes require."""
        return sorted({Scope(scope) for one in self.operations for scope in one.scopes})

    def document(self, title: str, version: str) -> dict[str, Any]:
        """Build the OpenAPI document of the routes."""
        return openapi.document(title, version, self.operations)

    def _listen(self, operation: Operation, route: Callable[..., Response[str]]) -> None:
        self.operations.append(operation)
        rule = operation.path.replace("{", "<").replace("}", ">")
        self.app.route(rule, method=operation.method)(route)

    def _asked(self, operation: Operation, caller: Caller, content: dict[str, Any]) -> Asked:
        """Build the idempotency record of this call. Raises InvalidInput without a valid `Idempotency-Key`."""
        key = self.app.current_event.headers.get(KEY_HEADER) or ""
        if not idempotency.KEY.fullmatch(key):
            problem = "must be 8 to 255 visible ASCII characters"
            raise rest.InvalidInput([{"field": KEY_HEADER, "problem": problem}])
        return Asked(
            company=caller.company,
            projects=caller.projects,
            route=operation.name,
            key=key,
            content=content,
            owner=self.app.current_event.request_context.request_id,
            remaining_ms=int(self.app.lambda_context.get_remaining_time_in_millis()),
        )


def _operation(
    act: Callable[..., Any],
    line: str,
    scope: Scope,
    given: type[BaseModel],
    result: type[BaseModel],
    *,
    status: HTTPStatus = HTTPStatus.OK,
    needs_key: bool = False,
) -> Operation:
    method, path = line.split(" ")
    return Operation(
        name=act.__name__,
        summary=(inspect.getdoc(act) or "").partition("\n")[0],
        method=method,
        path=path,
        scopes=(scope,),
        given=given,
        result=result,
        status=status,
        needs_key=needs_key,
    )


@contextmanager
def _bad_input() -> Iterator[None]:
    """Convert Unusable to InvalidInput, so that rules of use cases and of input models give the same error."""
    try:
        yield
    except Unusable as fault:
        raise rest.InvalidInput([{"field": fault.field, "problem": fault.problem}]) from None
