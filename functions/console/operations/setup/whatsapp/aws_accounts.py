"""
Accounts of WhatsApp that are linked to the AWS account of the deployment, which all companies share.

An operator gives a free account to the own company, as with apps and e-mail domains; an account of another company is
neither shown nor given. AWS's name of an account and Meta's have one owner each: both must be free or the company's,
and one transaction gives both. Its numbers are registered by `save_phone`, which takes only those that AWS lists in an
account of the company.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from console.operations.measurements import Unavailable
from console.operations.setup.people import require_person
from console.operations.setup.whatsapp.views import (
    AwsAccount,
    AwsAccounts,
    AwsNumber,
    LinkedAwsAccount,
)
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.access.ownership.proofs import NotProven
from shared.api.errors import InvalidInput
from shared.aws import observation
from shared.providers.outcomes import InDoubt, NotSent, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.access.ownership.ids import ProviderId
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.providers.whatsapp.aws_eum import Eum

_FIELD = "account_id"
_PART = "AWS End User Messaging"
_MOST_PAGES = 3
_ON_A_PAGE = 100
_MISSING = "ResourceNotFoundException"
RULE = "must be an account that is linked to AWS and belongs to no other company"


@dataclass(slots=True, eq=False)
class AwsAccountSetup:
    """*owners*: the table of owner items."""

    eum: Eum
    owners: Table

    def listed(self, company: str) -> AwsAccounts:
        """Return the linked accounts that are the company's or no company's. Raises Unavailable."""
        found, has_more = self._linked()
        names = {str(one["id"]): _names(one) for one in found if one.get("id")}
        held = claims.holders(self.owners, {each for ids_ in names.values() for each in ids_})
        shown = [
            _view(one, is_own=held.get(names[str(one["id"])][0]) == company)
            for one in found
            if one.get("id")
            and {held.get(each, company) for each in names[str(one["id"])]} == {company}
        ]
        return AwsAccounts(accounts=shown, is_complete=not has_more)

    def link(self, caller: Caller, account_id: str) -> Callable[[], LinkedAwsAccount]:
        """
        Return the change that gives an account to the caller's company, and its numbers. Repeatable.

        Raises Forbidden for software, InvalidInput for what AWS does not list, NotProven if another company has it, and
        Unavailable. The same refusal for an unknown account and another company's: nothing says which one it is.
        """
        require_person(caller)
        company = caller.company
        account = self._account(account_id)
        names = _names(account)
        held = claims.holders(self.owners, names)
        if {held.get(one, company) for one in names} != {company}:
            raise NotProven(_FIELD, RULE)

        def change() -> LinkedAwsAccount:
            granted = claims.new(company, Proof.GRANTED, caller.principal)
            if not claims.claim_all(self.owners, names, granted):
                raise NotProven(_FIELD, RULE)
            was_own = held.get(names[0]) == company
            before = {"account": account_id if was_own else None}
            observation.note(before, {"account": account_id}, "account")
            return LinkedAwsAccount(
                account_id=account_id,
                meta_id=str(account["wabaId"]),
                name=account.get("wabaName"),
                numbers=[_number(one) for one in account.get("phoneNumbers") or []],
            )

        return change

    def _linked(self) -> tuple[list[dict[str, Any]], bool]:
        found: list[dict[str, Any]] = []
        following: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            answer = self._call(
                "list_linked_whatsapp_business_accounts", maxResults=_ON_A_PAGE, **following
            )
            found += answer.get("linkedAccounts") or []
            if not answer.get("nextToken"):
                return found, False
            following = {"nextToken": answer["nextToken"]}
        return found, True

    def _account(self, account_id: str) -> dict[str, Any]:
        try:
            answer = self.eum.call("get_linked_whatsapp_business_account", id=account_id)
        except Refused as failure:
            if failure.code == _MISSING:
                raise NotProven(_FIELD, RULE) from None
            raise Unavailable.of(_PART, failure) from None
        except (NotSent, InDoubt) as failure:
            raise Unavailable.of(_PART, failure) from None
        account: dict[str, Any] = answer.get("account") or {}
        if not account.get("wabaId"):
            raise InvalidInput(
                [
                    {
                        "field": _FIELD,
                        "problem": "must be signed up at Meta: AWS names no account there",
                    }
                ]
            )
        return account | {"id": account_id}

    def _call(self, operation: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - of any operation
        try:
            return self.eum.call(operation, **given)
        except (Refused, NotSent, InDoubt) as failure:
            raise Unavailable.of(_PART, failure) from None


def _names(account: dict[str, Any]) -> list[ProviderId]:
    """Return the ids that an account has: at AWS, and at Meta once it is signed up there."""
    meta = account.get("wabaId")
    return [
        ids.aws_id(ids.ACCOUNT, str(account["id"])),
        *([ids.meta_id(ids.ACCOUNT, str(meta))] if meta else []),
    ]


def _view(account: dict[str, Any], *, is_own: bool) -> AwsAccount:
    return AwsAccount(
        account_id=str(account["id"]),
        meta_id=account.get("wabaId"),
        name=account.get("wabaName"),
        is_own=is_own,
        is_registered=account.get("registrationStatus") == "COMPLETE",
    )


def _number(number: dict[str, Any]) -> AwsNumber:
    return AwsNumber(
        phone=str(number.get("metaPhoneNumberId") or ""),
        arn=str(number.get("arn") or ""),
        display=str(number.get("phoneNumber") or ""),
        name=number.get("displayPhoneNumberName"),
    )
