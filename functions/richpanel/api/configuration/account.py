"""The help-desk account over the admin API: what is set up, its keys, and the tokens of its webhook."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from richpanel.api import views
from richpanel.api.configuration import settings
from richpanel.api.inputs import KeyName
from richpanel.configuration.resources import OWNER
from shared.access.refusals import ChangeRefused
from shared.access.secret_versions import stored
from shared.api import principals
from shared.api.auth import Forbidden
from shared.aws import observation
from shared.aws.secrets import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from richpanel.api.access import ApiDependencies
    from richpanel.api.inputs import KeysInput
    from shared.access.secret_versions.versions import Version
    from shared.api.auth import Caller

KEYS: Final[tuple[str, ...]] = get_args(KeyName.__value__)
HEADER: Final = "X-Middleware-Token"
_PATH: Final = "/webhooks/richpanel"
_TOKENS: Final = "active_tokens"
_MOST_TOKENS: Final = 4
_PROOF: Final = "richpanel"  # the key with which a company proves that the account is its own
_TOKEN_BYTES: Final = 30


@dataclass(slots=True, eq=False)
class HelpDeskSecrets:
    """Where the two secrets are written: the keys, and the tokens of the webhook."""

    deps: ApiDependencies
    keys: str
    tokens: str

    def shown(self, api_url: str, deployed: views.ModelView) -> views.AccountView:
        """Return the account in force. Raises as `Sources.account`."""
        deps = self.deps
        deps.stored_account.forget()
        account = deps.account
        in_force = settings.shown(deps.state)
        return views.AccountView(
            company=account.company,
            source="settings" if "account" in in_force.settings else "deployment",
            number=in_force.number,
            fields=dict(account.fields),
            keys=_held(self._keys()),
            webhook=f"{api_url}{_PATH}",
            tokens=len(self._tokens()),
            model=deployed.model_copy(update={"classifier": "rules"} if account.only_rules else {}),
        )

    def store(self, caller: Caller, given: KeysInput) -> Callable[[], views.KeysView]:
        """
        Return the change that stores and removes keys. Safe to repeat. The help desk's key proves the account: without
        an owner, it belongs to the caller's company from then on.

        Raises Forbidden for software, and for another company than the owner's. The change raises ChangeRefused for
        other keys while the help desk has no owner: they would stay valid for the company that proves it later.
        """
        _require_person(caller)
        written = given.written()
        proves = _PROOF in written

        def edit(now: Version) -> dict[str, Any]:
            self._require_own(caller, now.content, proves=proves)
            kept = {name: key for name, key in now.content.items() if name not in given.remove}
            owned = {OWNER: caller.company} if proves and self._is_free() else {}
            return {**kept, **written, **owned}

        def change() -> views.KeysView:
            before = _held(self._keys())
            after = stored.change(stored.id_of(self.keys), edit, may_create=False)
            _note(before, given)
            self.deps.keys.refreshed(0)
            return views.KeysView(company=self.deps.account.company, keys=_held(after))

        return change

    def make_token(self, caller: Caller) -> Callable[[], views.TokenView]:
        """
        Return the change that makes a further token of the webhook; the earlier ones stay valid. Raises Forbidden as
        `store`, and ChangeRefused without an owner. The change raises ChangeRefused if there are many.
        """
        _require_person(caller)
        self._require_own(caller, self._keys())
        token = secrets.token_urlsafe(_TOKEN_BYTES)

        def edit(now: Version) -> dict[str, Any]:
            earlier = texts(now.content.get(_TOKENS))
            if len(earlier) >= _MOST_TOKENS:
                problem = f"must be at most {_MOST_TOKENS}; end the earlier ones first"
                raise ChangeRefused("tokens", problem)
            return {**now.content, _TOKENS: [token, *earlier]}

        def change() -> views.TokenView:
            after = stored.change(stored.id_of(self.tokens), edit, may_create=False)
            valid = len(texts(after.get(_TOKENS)))
            observation.note({"valid": valid - 1}, {"valid": valid})
            return views.TokenView(header=HEADER, token=token, tokens=valid, notice=None)

        return change

    def end_earlier_tokens(self, caller: Caller) -> Callable[[], views.TokensView]:
        """Return the change after which only the newest token is valid. Safe to repeat. Raises as `store`."""
        _require_person(caller)
        self._require_own(caller, self._keys())

        def change() -> views.TokensView:
            before = len(self._tokens())
            after = stored.change(
                stored.id_of(self.tokens),
                lambda now: {**now.content, _TOKENS: texts(now.content.get(_TOKENS))[:1]},
                may_create=False,
            )
            valid = len(texts(after[_TOKENS]))
            observation.note({"valid": before}, {"valid": valid})
            return views.TokensView(tokens=valid)

        return change

    def _require_own(
        self, caller: Caller, keys: Mapping[str, Any], *, proves: bool = False
    ) -> None:
        """
        Refuse another company than the owner's: operators pass the check of routes for every company. Without an owner,
        refuse a change that does not prove the account.
        """
        owner = self.deps.stored_account.deployed().company or keys.get(OWNER)
        if owner is None and not proves:
            raise ChangeRefused(_PROOF, "must be stored first: it gives the help desk an owner")
        if owner not in {None, caller.company}:
            raise Forbidden("the help desk belongs to another company")

    def _is_free(self) -> bool:
        """Whether the deployment leaves open to which company the help desk belongs."""
        return self.deps.stored_account.deployed().company is None

    def _keys(self) -> Mapping[str, Any]:
        """Return the secret as it is now, which another process may have changed."""
        return _content(stored.read(stored.id_of(self.keys)))

    def _tokens(self) -> list[str]:
        return texts(_content(stored.read(stored.id_of(self.tokens))).get(_TOKENS))


def _require_person(caller: Caller) -> None:
    if not principals.is_person(caller.principal):
        raise Forbidden("only people set up the help desk")


def _content(version: Version | None) -> Mapping[str, Any]:
    return version.content if version else {}


def _held(content: Mapping[str, Any]) -> dict[str, bool]:
    return {name: bool(content.get(name)) for name in KEYS}


def _note(before: Mapping[str, bool], given: KeysInput) -> None:
    """Note which keys were written or removed, and which of them existed, by their names alone."""
    changed = [*given.written(), *given.remove]
    old = {f"{name}_secret": "an earlier one" for name in changed if before[name]}
    observation.note(old, {f"{name}_secret": "a new one" for name in given.written()})
