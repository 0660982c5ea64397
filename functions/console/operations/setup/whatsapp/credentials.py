"""Stores the credentials of a Meta app. They are written and never shown again; only the verify token is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.operations.setup.people import require_person
from console.operations.setup.views import WebhookView, WhatsAppCredentials
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.access.ownership.proofs import NotProven
from shared.access.secret_versions import stored
from shared.aws import observation
from shared.aws.secrets import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from console.operations.setup.inputs import WhatsAppInput
    from shared.access.secret_versions.versions import Version
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

_APPS, _VERIFY_TOKEN = "apps", "verify_token"
_DIALOGS = "sign_up"  # app id: id of the configuration of its dialog
_PATH = "/webhooks/whatsapp"


@dataclass(slots=True, eq=False)
class WhatsAppSecrets:
    """*apps* and *tokens*: ids of the secrets, as functions get them. *owners*: the table of owner items."""

    apps: str
    tokens: str
    owners: Table

    def webhook(self, api_url: str) -> WebhookView:
        """Return what Meta asks for."""
        return WebhookView(address=self.address(api_url), verify_token=self.verify_token())

    def address(self, api_url: str) -> str:
        """Return the address of the webhook."""
        return f"{api_url}{_PATH}"

    def verify_token(self) -> str | None:
        """Return the first verify token; None without one."""
        found = texts(_content(stored.read(stored.id_of(self.apps))).get(_VERIFY_TOKEN))
        return found[0] if found else None

    def counts(self) -> tuple[int, int]:
        """Return the numbers of apps with a secret, and of access tokens, of all companies."""
        apps, tokens = (stored.read(stored.id_of(one)) for one in (self.apps, self.tokens))
        return len(_by_app(apps)), sum(bool(texts(one)) for one in _content(tokens).values())

    def app_secret(self, app_id: str) -> str | None:
        """Return the newest secret of an app; None without one."""
        return next(iter(_by_app(stored.read(stored.id_of(self.apps))).get(app_id, [])), None)

    def dialogs(self) -> dict[str, str]:
        """Return the ids of the configurations of sign-up dialogs, by app."""
        held = _content(stored.read(stored.id_of(self.apps))).get(_DIALOGS)
        return {str(app): str(one) for app, one in held.items()} if isinstance(held, dict) else {}

    def check_room(self, name: str, characters: int) -> None:
        """Refuse what would follow if an access token of this length found no room. Raises ChangeRefused."""
        stored_id = stored.id_of(self.tokens)
        stored.check_size(stored_id, {**_content(stored.read(stored_id)), name: "x" * characters})

    def store_token(self, name: str, token: str) -> None:
        """Store an access token by its name; others stay. Safe to repeat."""
        _change(self.tokens, lambda now: {**now.content, name: token})

    def store(self, caller: Caller, given: WhatsAppInput) -> Callable[[], WhatsAppCredentials]:
        """
        Return the change that stores the credentials, and grants the app to the caller's company. Safe to repeat.

        A further secret of the app is the first of its list, so events that are signed with the earlier one are still
        accepted. Raises Forbidden for software, and NotProven if the app is shared or belongs to another company.
        """
        require_person(caller)
        company = caller.company
        app = ids.meta_id(ids.APP, given.app_id)
        if claims.holders(self.owners, [app]).get(app, company) != company:
            raise NotProven("app_id")

        def change() -> WhatsAppCredentials:
            granted = claims.new(company, Proof.GRANTED, caller.principal)
            # First: a secret is stored for an app of this company only.
            if not claims.claim(self.owners, app, granted):
                raise NotProven("app_id")
            before = self._state(given.app_id, company)
            if given.app_secret is not None:
                self._write_app_secret(given.app_id, given.app_secret)
            if (config := given.config_id) is not None:
                path = (_DIALOGS, given.app_id)
                _change(self.apps, lambda now: stored.with_value(now.content, path, config))
            if given.access_token is not None:
                token = given.access_token
                _change(self.tokens, lambda now: stored.with_value(now.content, (company,), token))
            _note(before, given)
            return self._state(given.app_id, company)

        return change

    def _write_app_secret(self, app_id: str, secret: str) -> None:
        path = (_APPS, app_id)

        def edit(now: Version) -> dict[str, object]:
            earlier = _by_app(now).get(app_id, [])
            values = [secret, *(one for one in earlier if one != secret)]
            return stored.with_value(now.content, path, values)

        _change(self.apps, edit)

    def _state(self, app_id: str, company: str) -> WhatsAppCredentials:
        apps, tokens = (stored.read(stored.id_of(one)) for one in (self.apps, self.tokens))
        return WhatsAppCredentials(
            app_id=app_id,
            has_app_secret=app_id in _by_app(apps),
            has_access_token=bool(texts(_content(tokens).get(company))),
            token_name=company,
        )


def _content(version: Version | None) -> Mapping[str, object]:
    return version.content if version else {}


def _by_app(version: Version | None) -> dict[str, list[str]]:
    """Return the secrets of the apps that have any."""
    held = _content(version).get(_APPS)
    found = {str(app): texts(one) for app, one in held.items()} if isinstance(held, dict) else {}
    return {app: secrets for app, secrets in found.items() if secrets}


def _change(secret_id: str, edit: Callable[[Version], dict[str, object]]) -> None:
    stored.change(stored.id_of(secret_id), edit, may_create=False)


def _note(before: WhatsAppCredentials, given: WhatsAppInput) -> None:
    """Note which secrets were written, and which of them existed: the values are only compared by name."""
    old = {"app_secret": before.has_app_secret, "access_token": before.has_access_token}
    new = {"app_secret": given.app_secret, "access_token": given.access_token}
    written = {name: f"a new {name}" for name, value in new.items() if value is not None}
    observation.note({name: "an earlier one" for name in written if old[name]}, written)
