"""
Declares actions: functions whose signatures name an input model and a result, registered under the function's name.

    reads       changes nothing; no record of the call is kept
    changes     runs once per idempotency key
    sends       returns the message of the call, which the send use case sends (`whatsapp.actions.calls.delivery`)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shared.api.cursors import Page
from shared.api.models.views import View
from shared.api.routing import declarations
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.views import SentMessage
from whatsapp.sending.drafts import Draft

if TYPE_CHECKING:
    from pydantic import BaseModel

    from shared.api.auth import Scope

type Mode = Literal["local", "remote_eum", "remote_graph"]
type Result = View | Page[Any]
type Act = Callable[[Any], Result]
type Build = Callable[[Any], Draft]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """
    One action.

    *mode*: `local` uses our own data only; `remote_eum` calls AWS End User Messaging Social, or Graph for a number on
    Graph; `remote_graph` calls Graph, whichever provider sends the number's messages. Each of *scopes* allows it.
    *idempotent*: the same call again has no further effect, also without an idempotency key. *is_read*: no call is
    recorded.
    """

    name: str
    group: str
    mode: Mode
    scopes: tuple[Scope, ...]
    idempotent: bool
    is_read: bool
    input_model: type[BaseModel]
    result: type[View]
    run: Act | Build
    module: str
    description: str

    @property
    def is_send(self) -> bool:
        """Whether `run` returns the message to be sent."""
        return self.result is SentMessage


_registered: dict[str, Action] = {}


@dataclass(frozen=True, slots=True)
class Group:
    """A group of actions, such as `core_messaging`, in which the reference lists them."""

    name: str

    def reads(self, mode: Mode, *scopes: Scope) -> Callable[[Act], Act]:
        """Declare an action that changes nothing: `(Call[ThingsInput]) -> ThingsView`, or a page of the view."""

        def declare(act: Act) -> Act:
            self._register(act, View, mode, scopes, is_read=True, idempotent=True)
            return act

        return declare

    def changes(self, mode: Mode, scope: Scope, *, idempotent: bool = True) -> Callable[[Act], Act]:
        """Declare an action that runs once per idempotency key. Its function has a signature as for `reads`."""

        def declare(act: Act) -> Act:
            self._register(act, View, mode, (scope,), idempotent=idempotent)
            return act

        return declare

    def sends(self, scope: Scope, *, idempotent: bool = False) -> Callable[[Build], Build]:
        """Declare an action whose function returns a `Draft`, which is sent once per idempotency key."""

        def declare(build: Build) -> Build:
            self._register(build, Draft, "remote_eum", (scope,), idempotent=idempotent)
            return build

        return declare

    def _register(
        self,
        run: Act | Build,
        returned: type[View | Draft],
        mode: Mode,
        scopes: tuple[Scope, ...],
        *,
        is_read: bool = False,
        idempotent: bool,
    ) -> None:
        signature = declarations.signature_of(run, Call, returned)
        action = Action(
            name=run.__name__,
            group=self.name,
            mode=mode,
            scopes=scopes,
            idempotent=idempotent,
            is_read=is_read,
            input_model=signature.input_model,
            result=SentMessage if issubclass(signature.result, Draft) else signature.result,
            run=run,
            module=run.__module__,
            description=inspect.getdoc(run) or "",
        )
        if action.name in _registered:
            raise TypeError(f"two actions are named {action.name}")
        _registered[action.name] = action


def registered() -> dict[str, Action]:
    """Return the actions of the modules that have been imported, by name."""
    return dict(_registered)
