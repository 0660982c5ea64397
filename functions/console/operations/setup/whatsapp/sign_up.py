"""
Embedded sign-up: a person lets the company's app use accounts in Meta's dialog, and the server exchanges the code.

The browser gives a code only. Which accounts and numbers there are comes from Meta, by the new token; the token is
stored once for the accounts that it reaches, before their numbers are read, and no answer has it. Numbers are then
registered by actions, which prove them by the same token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from console.operations.measurements import Unavailable
from console.operations.setup.people import require_person
from console.operations.setup.views import (
    SignedUp,
    SignedUpAccount,
    SignedUpNumber,
    SignUpDialog,
    SignUpDialogs,
)
from console.operations.setup.whatsapp import dialog
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import SHARED, Proof
from shared.access.ownership.proofs import NotProven
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.operations.setup.inputs import SignUpInput
    from console.operations.setup.whatsapp.credentials import WhatsAppSecrets
    from shared.api.auth import Caller
    from shared.providers.whatsapp.meta_graph import Graph

CODE_RULE = "must be a new code: begin again at Meta"
ACCOUNT_RULE = "must reach an account of WhatsApp: allow one in the dialog"
_LONGEST_ID, _LONGEST_TOKEN = 20, 512  # characters; Meta documents no length, tokens have about 250
_DIGEST = 8
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
        Return the change that exchanges a code and stores the token for the accounts that it reaches.

        A code works once: after a change that was cut off the person begins again. Raises Forbidden for software,
        NotProven for an app of another company, and InvalidInput; the change also raises Unavailable, and ChangeRefused
        before the exchange if there is no room for a token.
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
        ends_ms = clock.now_ms() + dialog.ALL_WITHIN_MS
        self.secrets.check_room(_token_name(company, ["0" * _LONGEST_ID] * 2), _LONGEST_TOKEN)
        token = self._token_of(given, secret)
        try:
            found = dialog.granted(self.graph, given.app_id, secret, token)
        except (Refused, NotSent, InDoubt) as failure:
            raise Unavailable.of("Meta", failure) from None
        own = [one for one in found.accounts if self._is_free(company, one)]
        if not own:
            raise InvalidInput([{"field": "code", "problem": ACCOUNT_RULE}])
        name = _token_name(company, own)
        self.secrets.store_token(name, token)  # first: a code works once
        ends = clock.to_text(found.expires_at * clock.SECOND_MS) if found.expires_at else None
        return SignedUp(
            token_ends_at=ends,
            accounts=[self._listed(one, name, token, ends_ms) for one in own],
        )

    def _token_of(self, given: SignUpInput, secret: str) -> str:
        rule = InvalidInput([{"field": "code", "problem": CODE_RULE}])
        try:
            token = dialog.token_of(
                self.graph, given.app_id, secret, given.code, given.redirect_uri
            )
        except Refused:
            raise rule from None
        except (NotSent, InDoubt) as failure:
            raise Unavailable.of("Meta", failure) from None
        if token is None:
            raise rule
        return token

    def _listed(self, account: str, name: str, token: str, ends_ms: int) -> SignedUpAccount:
        """Return an account with its numbers, or with the reason why they are not known."""
        numbers: list[dialog.ListedNumber] = []
        problem: Literal["refused", "unavailable"] | None = None
        left_ms = ends_ms - clock.now_ms()
        try:
            if left_ms > 0:
                numbers = dialog.numbers(self.graph, account, token, left_ms)
            else:
                problem = "unavailable"
        except Refused:
            problem = "refused"
        except (NotSent, InDoubt) as failure:
            logger.warning("numbers of an account not listed", extra=describe(failure))
            problem = "unavailable"
        return SignedUpAccount(
            account_id=account,
            token_name=name,
            problem=problem,
            numbers=[
                SignedUpNumber(phone=one.phone, display=one.display, name=one.name)
                for one in numbers
            ],
        )

    def _holder(self, app_id: str) -> str | None:
        app = ids.meta_id(ids.APP, app_id)
        return claims.holders(self.secrets.owners, [app]).get(app)

    def _is_free(self, company: str, account: str) -> bool:
        """Whether an account is the company's, or no company's yet."""
        named = ids.meta_id(ids.ACCOUNT, account)
        return claims.holders(self.secrets.owners, [named]).get(named, company) == company


def _token_name(company: str, accounts: list[str]) -> str:
    """Return the name of the token for these accounts: the same for a later sign-up that reaches the same ones."""
    first, *others = sorted(accounts)
    named = f"{first}.{digest('sign-up', first, *others)[:_DIGEST]}" if others else first
    return f"{company}/{named}"
