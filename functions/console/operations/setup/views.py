"""Response models of the routes that set up a deployment and a company. Only a new API key has a secret value."""

from typing import ClassVar, Literal, Self

from pydantic import Field

from shared.access.companies import Language
from shared.access.groups import Role
from shared.api.models import views


class View(views.View):
    """Part of a response; values that are unknown are null."""

    omits_none: ClassVar[bool] = False


class AdministratorView(View):
    """The first administrator, who may log in."""

    principal: str
    company: str


class CompanyView(View):
    """The caller's company; *name* is null until it has one."""

    company: str
    name: str | None
    language: Language
    version: int


class PersonInvited(View):
    """A person with roles and teams. *invited*: whether the login provider sends a mail with a temporary password."""

    principal: str
    invited: bool


class WhatsAppCredentials(View):
    """The credentials that are stored now. *token_name*: the `graphTokenSecret` of `save_phone`."""

    app_id: str
    has_app_secret: bool
    has_access_token: bool
    token_name: str


class SignUpDialog(View):
    """The *address* of the sign-up dialog of an app; the page adds `redirect_uri` and `state`."""

    app_id: str
    address: str


class SignUpDialogs(View):
    """The dialogs that the company can use."""

    dialogs: list[SignUpDialog]


class SignedUpNumber(View):
    """A number of an account, as Meta lists it: its id, the number as people write it, and its name."""

    phone: str
    display: str
    name: str | None


class SignedUpAccount(View):
    """
    An account whose token is stored. *token_name*: the `graphTokenSecret` of `save_phone`.

    *problem*: why Meta's list of its numbers is not known; null: it is.
    """

    account_id: str
    token_name: str
    numbers: list[SignedUpNumber]
    problem: Literal["refused", "unavailable"] | None


class SignedUp(View):
    """The accounts of a sign-up. *token_ends_at*: when the person must sign up again; null: never."""

    accounts: list[SignedUpAccount]
    token_ends_at: str | None


class WebhookView(View):
    """The fields that Meta asks for: the *address* of the webhook and the verify token, null without one."""

    address: str
    verify_token: str | None


class SwitchState(View):
    """A switch after a change; *was_on* is the state before it, null if it had none. The opposite call undoes it."""

    context: str
    name: str
    on: bool
    was_on: bool | None


class Finding(View):
    """
    The result of a check, about a *subject* or the deployment as a whole.

    *facts* are numbers and states of it, *reason* is why it could not be checked (`unknown`).
    """

    check: str
    status: Literal["ok", "action", "unknown"]
    subject: str | None
    facts: dict[str, str]
    reason: str | None

    @classmethod
    def of(cls, check: str, is_ok: bool, subject: str | None = None, **facts: object) -> Self:
        """Return a finding that is as it has to be, or needs an action."""
        shown = {name: str(value) for name, value in facts.items()}
        return cls(
            check=check,
            status="ok" if is_ok else "action",
            subject=subject,
            facts=shown,
            reason=None,
        )

    @classmethod
    def unknown(cls, check: str, reason: str, subject: str | None = None) -> Self:
        """Return a finding of what could not be checked."""
        return cls(check=check, status="unknown", subject=subject, facts={}, reason=reason)


class Findings(View):
    """The findings of all checks, those that need an action first."""

    findings: list[Finding]


class MemberView(View):
    """
    A person of the company. *has_logged_in*: whether the temporary password was replaced; of a blocked person
    *is_enabled* is false.
    """

    person_id: str
    name: str | None
    email: str
    is_enabled: bool
    has_logged_in: bool
    roles: list[Role]
    teams: list[str]


class Members(View):
    """The people of a company, by name."""

    people: list[MemberView]


class SecondFactors(View):
    """
    What a person has set up beside the password, in the words of Cognito: `SOFTWARE_TOKEN_MFA` (an authenticator app),
    `SMS_MFA`, `EMAIL_OTP`.
    """

    second_factors: list[str]


class MemberState(View):
    """A person after a change; *is_enabled* is null if the change was about something else."""

    person_id: str
    is_enabled: bool | None


class ApiKeyView(View):
    """
    An API key without its secret; *projects* is empty if it is valid for all of them. *last_used_on*: the day (UTC) of
    its last call; *successor*: the id of the key that replaces it; both null without one.
    """

    key_id: str
    name: str
    scopes: list[str]
    projects: list[str]
    created_at: str
    expires_at: str | None
    last_used_on: str | None
    successor: str | None
    state: Literal["active", "expired", "revoked"]


class ApiKeys(View):
    """The API keys of a company, newest first."""

    keys: list[ApiKeyView]


class ApiKeyCreated(View):
    """A new API key. Only the first call answers with its text, the *key*; the *notice* of a repeated one says so."""

    key_id: str
    key: str | None = Field(repr=False)
    notice: str | None

    @classmethod
    def repeated(cls, key_id: str) -> Self:
        """Return what a repeated call gets."""
        return cls(
            key_id=key_id,
            key=None,
            notice="the key was shown once, in the first answer; if it is lost, revoke it and create another",
        )

    def as_stored(self) -> Self:
        """Return the answer without the key: it is stored nowhere."""
        return self.repeated(self.key_id)


class ApiKeyRevoked(View):
    """A key that no call can use any more."""

    key_id: str


type IdentityState = Literal["none", "pending", "verified", "failed"]


class DnsRecord(View):
    """
    A record to publish. *purpose*: `dkim` signs mails, `mail_from` makes SPF count, `receiving` brings mail to Parley,
    `dmarc` says what receivers do with forged mail. *state* is `unknown` if no name server answered.
    """

    purpose: Literal["dkim", "mail_from", "receiving", "dmarc"]
    type: Literal["CNAME", "MX", "TXT"]
    name: str
    value: str
    state: Literal["found", "pending", "missing", "unknown"]


class EmailDomain(View):
    """
    A domain of the company. *identity*: its state at SES. *sends*: SES accepts mail from it; *receives*: the deployment
    receives its mail, once the MX record is published.
    """

    domain: str
    identity: IdentityState
    sends: bool
    receives: bool
    records: list[DnsRecord]


class EmailDomains(View):
    """
    Names of the company's domains that SES knows. *is_complete*: false if the account has more identities than one
    call lists, so that domains may be missing here.
    """

    domains: list[str]
    is_complete: bool
