"""
Embedded sign-up: a person lets the company's app use accounts in Meta's dialog, and the server exchanges the code.

The browser gives a code only. Which accounts and numbers there are comes from Meta, by the new token; the token is
stored by account, and no answer has it. Numbers are then registered by actions, which prove them by the same token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.operations.measurements import Unavailable
from console.operations.setup.meta import dialog
from console.operations.setup.people import require_person
from console.operations.setup.views import (
    SignedUp,
    SignedUpAccount,
    SignedUpNumber,
    SignUpDialog,
    SignUpDialogs,
)
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.access.ownership.proofs import NotProven
from shared.api.errors import InvalidInput
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.operations.setup.inputs import SignUpInput
    from console.operations.setup.meta.credentials import WhatsAppSecrets
    from shared.api.auth import Caller
    from shared.providers.whatsapp.meta_graph import Graph

CODE_RULE = "must be a new code: begin again at Meta"
ACCOUNT_RULE = "must reach an account of WhatsApp: allow one in the dialog"
APP_RULE = "must be an app with a stored secret"


@dataclass(slots=True, eq=False)
class SignUp:
    """*secrets*: of the apps, with the configurations of their dialogs, and the tokens of the companies."""

    graph: Graph
    secrets: WhatsAppSecrets

    def dialogs(self, caller: Caller) -> SignUpDialogs:
        """Return the dialogs of apps that the company uses, or may take; none: no app has a configuration."""
        configured = self.secrets.dialogs()
        shown = [
            SignUpDialog(app_id=app, address=dialog.address(self.graph, app, config))
            for app, config in sorted(configured.items())
            if self._holder(app) in {None, SHARED, caller.company}
        ]
        return SignUpDialogs(dialogs=shown)

    def accept(self, caller: Caller, given: SignUpInput) -> Callable[[], SignedUp]:
        """
        Return the change that exchanges a code and stores the token for each account that it reaches.

        A code works once: after a change that was cut off the person begins again. Raises Forbidden for software,
        NotProven for an app of another company, and InvalidInput; the change also raises Unavailable.
        """
        require_person(caller)
        company, app = caller.company, ids.meta_id(ids.APP, given.app_id)
        holder = self._holder(given.app_id)
        if holder not in {None, SHARED, company}:
            raise NotProven("app_id")
        secret = self.secrets.app_secret(given.app_id)
        if secret is None:
            raise InvalidInput([{"field": "app_id", "problem": APP_RULE}])

        def change() -> SignedUp:
            granted = claims.new(company, Proof.GRANTED, caller.principal)
            if holder != SHARED and not claims.claim(self.secrets.owners, app, granted):
                raise NotProven("app_id")
            return self._exchanged(company, given, secret)

        return change

    def _exchanged(self, company: str, given: SignUpInput, secret: str) -> SignedUp:
        try:
            token = dialog.token_of(
                self.graph, given.app_id, secret, given.code, given.redirect_uri
            )
            if token is None:
                raise InvalidInput([{"field": "code", "problem": CODE_RULE}])
            found = dialog.granted(self.graph, given.app_id, secret, token)
            own = [one for one in found.accounts if self._is_free(company, one)]
            listed = {one: dialog.numbers(self.graph, one, token) for one in own}
        except Refused:
            raise InvalidInput([{"field": "code", "problem": CODE_RULE}]) from None
        except (NotSent, InDoubt) as failure:
            raise Unavailable.of("Meta", failure) from None
        if not listed:
            raise InvalidInput([{"field": "code", "problem": ACCOUNT_RULE}])
        names = {one: f"{company}/{one}" for one in listed}
        self.secrets.store_tokens(dict.fromkeys(names.values(), token))
        ends = clock.to_text(found.expires_at * clock.SECOND_MS) if found.expires_at else None
        return SignedUp(
            token_ends_at=ends,
            accounts=[
                SignedUpAccount(
                    account_id=one,
                    token_name=names[one],
                    numbers=[
                        SignedUpNumber(phone=each.phone, display=each.display, name=each.name)
                        for each in numbers
                    ],
                )
                for one, numbers in listed.items()
            ],
        )

    def _holder(self, app_id: str) -> str | None:
        app = ids.meta_id(ids.APP, app_id)
        return claims.holders(self.secrets.owners, [app]).get(app)

    def _is_free(self, company: str, account: str) -> bool:
        """Whether an account is the company's, or no company's yet."""
        named = ids.meta_id(ids.ACCOUNT, account)
        return claims.holders(self.secrets.owners, [named]).get(named, company) == company
