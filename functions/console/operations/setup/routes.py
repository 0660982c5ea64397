"""The routes that set up a deployment and a company, and the one that needs no login: it takes a one-time link."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from console.operations.setup import api_keys, inputs, people, views
from console.operations.setup.administrator import FirstAdministrators
from console.operations.setup.email_domains import DomainSetup
from console.operations.setup.findings import Checks
from console.operations.setup.members import Administration
from console.operations.setup.switches import SwitchChanges
from console.operations.setup.whatsapp.aws_accounts import AwsAccountSetup
from console.operations.setup.whatsapp.credentials import WhatsAppSecrets
from console.operations.setup.whatsapp.sign_up import SignUp
from console.operations.setup.whatsapp.views import AwsAccounts, LinkedAwsAccount
from shared.access import companies
from shared.access.user_pool import People
from shared.api.auth import Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import OpenRequest, Request
from shared.aws import observation
from shared.aws.dynamodb import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRoutes:
    """*pool* returns the user pool, and raises Unsupported if people log in elsewhere."""

    keys: Table
    pool: Callable[[], People]
    administrators: FirstAdministrators
    secrets: WhatsAppSecrets
    sign_up: SignUp
    aws_accounts: AwsAccountSetup
    switches: SwitchChanges
    checks: Checks
    members: Administration
    domains: DomainSetup

    @route_methods.opens("POST /operations/administrator")
    def make_administrator(
        self, request: OpenRequest[inputs.AdministratorInput]
    ) -> views.AdministratorView:
        """Make the first administrator of a company, with the token of a one-time link in place of a login."""
        return self.administrators.make(request.input, request.id)

    @route_methods.reads("GET /operations/company", Scope.ACCESS_ADMIN)
    def get_company(self, request: Request[NoInput]) -> views.CompanyView:
        """Return the name and the language of the company."""
        company = request.caller.company
        return _shown(company, companies.profile_of(self.keys, company))

    @route_methods.changes("POST /operations/company", Scope.ACCESS_ADMIN)
    def set_company(self, request: Request[inputs.CompanyInput]) -> Callable[[], views.CompanyView]:
        """Set the name and the language of the company."""
        company, given = request.caller.company, request.input

        def change() -> views.CompanyView:
            before = asdict(companies.profile_of(self.keys, company))
            after = companies.replace(self.keys, company, given.name, given.language, given.version)
            observation.note(before, asdict(after), "name")
            return _shown(company, after)

        return change

    @route_methods.changes("POST /operations/people", Scope.ACCESS_ADMIN)
    def invite_person(
        self, request: Request[inputs.PersonInput]
    ) -> Callable[[], views.PersonInvited]:
        """Invite a person by e-mail, with roles and teams; people of the company get the further ones."""
        return people.invite(self.pool, request.caller, request.input)

    @route_methods.reads("GET /operations/people", Scope.ACCESS_ADMIN)
    def list_members(self, request: Request[NoInput]) -> views.Members:
        """List the people of the company with their roles, teams and states."""
        return self.members.listed(request.caller)

    @route_methods.reads("GET /operations/people/{person_id}/second-factors", Scope.ACCESS_ADMIN)
    def list_second_factors(self, request: Request[NoInput], person_id: str) -> views.SecondFactors:
        """List what a person has set up beside the password."""
        return self.members.second_factors(request.caller, person_id)

    @route_methods.changes("POST /operations/people/{person_id}", Scope.ACCESS_ADMIN)
    def change_member(
        self, request: Request[inputs.MemberInput], person_id: str
    ) -> Callable[[], views.MemberState]:
        """Give a person exactly these roles and teams, and end their sessions."""
        return self.members.change(request.caller, person_id, request.input)

    @route_methods.changes("POST /operations/people/{person_id}/sign-out", Scope.ACCESS_ADMIN)
    def sign_out_member(
        self, request: Request[NoInput], person_id: str
    ) -> Callable[[], views.MemberState]:
        """End all sessions of a person, who may log in again."""
        return self.members.sign_out(request.caller, person_id)

    @route_methods.changes("POST /operations/people/{person_id}/block", Scope.ACCESS_ADMIN)
    def block_member(
        self, request: Request[inputs.BlockInput], person_id: str
    ) -> Callable[[], views.MemberState]:
        """Refuse all calls and logins of a person, or allow them again."""
        return self.members.block(request.caller, person_id, request.input)

    @route_methods.reads("GET /operations/api-keys", Scope.ACCESS_ADMIN)
    def list_api_keys(self, request: Request[NoInput]) -> views.ApiKeys:
        """List the API keys of the company, newest first, without their secrets."""
        return api_keys.listed(self.keys, request.caller)

    @route_methods.changes("POST /operations/api-keys", Scope.ACCESS_ADMIN)
    def create_api_key(
        self, request: Request[inputs.ApiKeyInput]
    ) -> Callable[[], views.ApiKeyCreated]:
        """Create an API key, whose text only the first answer has."""
        return api_keys.create(self.keys, request.caller, request.input, request.cause)

    @route_methods.changes("POST /operations/api-keys/{key_id}/rotate", Scope.ACCESS_ADMIN)
    def rotate_api_key(
        self, request: Request[inputs.RotationInput], key_id: str
    ) -> Callable[[], views.ApiKeyCreated]:
        """Create a key like another one, which expires some hours later. Only the first answer has its text."""
        return api_keys.rotate(self.keys, request.caller, key_id, request.input, request.cause)

    @route_methods.changes("POST /operations/api-keys/{key_id}/revoke", Scope.ACCESS_ADMIN)
    def revoke_api_key(
        self, request: Request[NoInput], key_id: str
    ) -> Callable[[], views.ApiKeyRevoked]:
        """Revoke an API key of the company, at once and permanently."""
        return api_keys.revoke(self.keys, request.caller, key_id)

    @route_methods.reads("GET /operations/whatsapp/webhook", Scope.OPERATOR)
    def get_webhook(self, request: Request[NoInput]) -> views.WebhookView:
        """Return the address of the webhook and the verify token, which Meta asks for."""
        return self.secrets.webhook(request.api_url)

    @route_methods.changes("POST /operations/whatsapp/credentials", Scope.OPERATOR)
    def store_credentials(
        self, request: Request[inputs.WhatsAppInput]
    ) -> Callable[[], views.WhatsAppCredentials]:
        """Store the secret of a Meta app and the company's access token, and grant the app to the company."""
        return self.secrets.store(request.caller, request.input)

    @route_methods.reads("GET /operations/whatsapp/sign-up", Scope.OPERATOR)
    def list_sign_up_dialogs(self, request: Request[NoInput]) -> views.SignUpDialogs:
        """List Meta's sign-up dialogs that are configured for apps of the company, or shared ones."""
        return self.sign_up.dialogs(request.caller)

    @route_methods.changes("POST /operations/whatsapp/sign-up", Scope.OPERATOR)
    def sign_up_at_meta(self, request: Request[inputs.SignUpInput]) -> Callable[[], views.SignedUp]:
        """Exchange the code of a sign-up dialog, and store the access token for each account that it reaches."""
        return self.sign_up.accept(request.caller, request.input)

    @route_methods.reads("GET /operations/whatsapp/aws-accounts", Scope.OPERATOR)
    def list_aws_accounts(self, request: Request[NoInput]) -> AwsAccounts:
        """List the accounts of WhatsApp at AWS that are the company's or no company's."""
        return self.aws_accounts.listed(request.caller.company)

    @route_methods.changes("POST /operations/whatsapp/aws-accounts", Scope.OPERATOR)
    def link_aws_account(
        self, request: Request[inputs.AwsAccountInput]
    ) -> Callable[[], LinkedAwsAccount]:
        """Give an account of WhatsApp at AWS without an owner to the company."""
        return self.aws_accounts.link(request.caller, request.input.account_id)

    @route_methods.reads("GET /operations/email-domains", Scope.OPERATOR)
    def list_email_domains(self, request: Request[NoInput]) -> views.EmailDomains:
        """List the company's domains that SES knows."""
        return self.domains.listed(request.caller.company)

    @route_methods.reads("GET /operations/email-domains/{domain}", Scope.OPERATOR)
    def get_email_domain(self, request: Request[NoInput], domain: str) -> views.EmailDomain:
        """Return a domain of the company with the DNS records to publish, and which of them SES sees."""
        return self.domains.shown(request.caller.company, domain)

    @route_methods.changes("POST /operations/email-domains", Scope.OPERATOR)
    def add_email_domain(
        self, request: Request[inputs.EmailDomainInput]
    ) -> Callable[[], views.EmailDomain]:
        """Give a domain without an owner to the company, and let SES look for its DNS records."""
        return self.domains.add(request.caller, request.input.domain)

    @route_methods.reads("GET /operations/findings", Scope.OPERATOR)
    def list_findings(self, request: Request[NoInput]) -> views.Findings:
        """Check the deployment: executions, webhook, secrets, switches, dead letters and alarms."""
        return self.checks.findings(request.api_url)

    @route_methods.changes("POST /operations/switches", Scope.OPERATOR)
    def set_switch(self, request: Request[inputs.SwitchInput]) -> Callable[[], views.SwitchState]:
        """Set a switch that holds for all companies, in force within 30 seconds."""
        return self.switches.set(request.caller, request.input)


def _shown(company: str, profile: companies.CompanyProfile) -> views.CompanyView:
    return views.CompanyView(
        company=company,
        name=profile.name,
        language=profile.language,
        version=profile.version,
    )
