"""The identities of an account of SES, which moto does not have with all their fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError


@dataclass
class Ses:
    """The identities of an account, in the shapes of SES; *failing*: the code of each call's error by its name."""

    found: dict[str, dict[str, Any]] = field(default_factory=dict)
    failing: dict[str, str | Exception] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    is_cut: bool = False

    def get_email_identity(self, **request: Any) -> dict[str, Any]:
        self._count("GetEmailIdentity")
        if request["EmailIdentity"] not in self.found:
            raise refusal("NotFoundException", "GetEmailIdentity")
        return self.found[request["EmailIdentity"]]

    def list_email_identities(self, **_: Any) -> dict[str, Any]:
        self._count("ListEmailIdentities")
        listed = [{"IdentityType": "EMAIL_ADDRESS", "IdentityName": "ann@acme.example"}] + [
            {"IdentityType": "DOMAIN", "IdentityName": name} for name in self.found
        ]
        return {"EmailIdentities": listed, **({"NextToken": "more"} if self.is_cut else {})}

    def create_email_identity(self, **request: Any) -> dict[str, Any]:
        self._count("CreateEmailIdentity")
        if request["EmailIdentity"] in self.found:
            raise refusal("AlreadyExistsException", "CreateEmailIdentity")
        self.found[request["EmailIdentity"]] = identity("PENDING")
        return {}

    def put_email_identity_mail_from_attributes(self, **request: Any) -> dict[str, Any]:
        self._count("PutEmailIdentityMailFromAttributes")
        self.found[request["EmailIdentity"]]["MailFromAttributes"] = {
            "MailFromDomain": request["MailFromDomain"],
            "MailFromDomainStatus": "PENDING",
            "BehaviorOnMxFailure": request["BehaviorOnMxFailure"],
        }
        return {}

    def _count(self, call: str) -> None:
        self.calls.append(call)
        error = self.failing.get(call)
        if isinstance(error, Exception):
            raise error
        if error:
            raise refusal(error, call)


def refusal(code: str, call: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "-"}}, call)


def identity(state: str, **dkim: Any) -> dict[str, Any]:
    return {
        "VerificationStatus": state,
        "VerifiedForSendingStatus": state == "SUCCESS",
        "DkimAttributes": {
            "Status": state,
            "Tokens": ["t1", "t2", "t3"],
            "SigningAttributesOrigin": "AWS_SES",
            "SigningHostedZone": "dkim.eu-west-9.amazonses.com",
            **dkim,
        },
        "MailFromAttributes": {"BehaviorOnMxFailure": "USE_DEFAULT_VALUE"},
    }
