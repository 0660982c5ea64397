"""Input models of the routes that set up a deployment and a company."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.access import first_links
from shared.access.companies import Language
from shared.access.company_keys import MOST_DAYS
from shared.access.groups import Role
from shared.api.auth import Scope
from shared.api.models.inputs import Input
from shared.api.principals import TEAM_PATTERN
from shared.runtime.validation import patterns

LONGEST_VALUE = 8_192
MOST_KEPT_HOURS = 7 * 24
_MOST_TEAMS = 20
_MOST_PROJECTS = 40
_LEAST_PASSWORD = 12  # the rule of the user pool, as are the kinds of characters


def _is_accepted_by_the_pool(password: str) -> str:
    kinds = (str.islower, str.isupper, str.isdigit)
    if len(password) < _LEAST_PASSWORD or not all(any(map(kind, password)) for kind in kinds):
        raise PydanticCustomError(
            "password", "must have at least 12 characters: upper and lower case, and a digit"
        )
    return password


def _is_one_line(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise PydanticCustomError("line", "must be one line without blanks at its ends")
    return text


def _is_visible(secret: str) -> str:
    if not 1 <= len(secret) <= LONGEST_VALUE or not all("!" <= sign <= "~" for sign in secret):
        raise PydanticCustomError(
            "secret", "must be one line of 1 to 8192 ASCII characters without spaces"
        )
    return secret


type Address = Annotated[
    str,
    Field(
        pattern=patterns.worded(
            r"^[^\s@\x00-\x1f\x7f]{1,64}@[A-Za-z0-9.-]{1,190}$",
            "must be an e-mail address such as ann@example.com",
        )
    ),
]
type Domain = Annotated[str, Field(max_length=253)]
type Name = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_is_one_line)]
type Secret = Annotated[str, AfterValidator(_is_visible)]
type Project = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
type Team = Annotated[str, Field(pattern=TEAM_PATTERN)]


class AdministratorInput(Input):
    """The first administrator: the *token* of the one-time link, and what the person logs in with."""

    token: Annotated[str, Field(pattern=first_links.TOKEN_PATTERN, repr=False)]
    email: Address = Field(repr=False)
    name: Name = Field(repr=False)
    password: Annotated[
        str, Field(max_length=256, repr=False), AfterValidator(_is_accepted_by_the_pool)
    ]


class CompanyInput(Input):
    """The *name* and *language* of the company. *version*: of the settings that were read."""

    name: Name
    language: Language
    version: Annotated[int, Field(ge=0)]


class PersonInput(Input):
    """A person to invite, with roles and teams in the caller's company."""

    email: Address = Field(repr=False)
    name: Name | None = Field(default=None, repr=False)
    roles: Annotated[list[Role], Field(min_length=1, max_length=len(Role))]
    teams: Annotated[list[Team], Field(max_length=_MOST_TEAMS)] = Field(default_factory=list)


class WhatsAppInput(Input):
    """
    Credentials of a Meta app: its secret, an access token of the company, or the *config_id* of its sign-up dialog, or
    several of them. Secret and token are never shown again.
    """

    app_id: Annotated[str, Field(pattern=r"^[0-9]{5,20}$")]
    app_secret: Secret | None = Field(default=None, repr=False)
    access_token: Secret | None = Field(default=None, repr=False)
    config_id: Annotated[str, Field(pattern=r"^[0-9]{5,25}$")] | None = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if self.app_secret is None and self.access_token is None and self.config_id is None:
            problem = "must have app_secret, access_token or config_id"
            raise PydanticCustomError("credentials", problem)
        return self


class SignUpInput(Input):
    """The code that Meta's dialog of an app has returned to *redirect_uri*, an address of the console."""

    app_id: Annotated[str, Field(pattern=r"^[0-9]{5,20}$")]
    code: Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[!-~]+$", repr=False)]
    redirect_uri: Annotated[
        str,
        Field(
            max_length=500,
            pattern=patterns.worded(r"^https?://[!-~]+$", "must be an address of the web"),
        ),
    ]


class AwsAccountInput(Input):
    """AWS's id of an account that is linked in the AWS console."""

    account_id: Annotated[
        str,
        Field(
            pattern=patterns.worded(
                r"^waba-[0-9a-f]{32}$", "must be waba- with 32 characters of 0-9 a-f"
            )
        ),
    ]


class EmailDomainInput(Input):
    """A domain, without `@`."""

    domain: Domain


class SwitchInput(Input):
    """A switch of the deployment and its new state."""

    context: Literal["whatsapp", "conversations", "email_threads"]
    name: Literal["safe_mode", "automation_enabled"]
    on: bool


class RightsInput(Input):
    """Roles and teams of a person in the caller's company."""

    roles: Annotated[list[Role], Field(max_length=len(Role))]
    teams: Annotated[list[Team], Field(max_length=_MOST_TEAMS)]

    def groups(self, company: str) -> set[str]:
        """Return the groups that give these rights."""
        teams = (f"{company}:team:{team}" for team in self.teams)
        return {*(f"{company}:{role}" for role in self.roles), *teams}


class MemberInput(RightsInput):
    """
    All *roles* and *teams* of a person in the caller's company. Without any, the person has no access to it. *seen*:
    those that the caller has read; if others have changed since, nothing changes.
    """

    seen: RightsInput | None = None


class ApiKeyInput(Input):
    """A key to create: for all projects of the company if it names none, and for ever without *expires_days*."""

    name: Name
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(Scope))]
    projects: Annotated[list[Project], Field(max_length=_MOST_PROJECTS)] = Field(
        default_factory=list
    )
    expires_days: Annotated[int, Field(ge=1, le=MOST_DAYS)] | None = None


class RotationInput(Input):
    """For how many hours the old key is valid beside its successor."""

    keep_hours: Annotated[int, Field(ge=1, le=MOST_KEPT_HOURS)] = 24


class BlockInput(Input):
    """Whether a person is refused."""

    blocked: bool
