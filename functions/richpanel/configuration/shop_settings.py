"""
Settings that a shop changes without a deployment: its account, wordings of replies, languages, names of teams, brands.

They are stored as JSON, one version per change (`richpanel.store.settings`), and replace the standard values.
"""

import json
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from richpanel.classification import Language
from richpanel.classification.taxonomy import Team
from richpanel.configuration.account_fields import AccountFields
from richpanel.configuration.account_settings import Account
from richpanel.decisions.templates.catalogue import Variant, Wordings
from richpanel.decisions.templates.mustache import TemplateBroken
from richpanel.decisions.templates.wordings import Texts, adapted
from richpanel.guards.identity import normal_address
from shared.aws.sqs_fifo import to_json
from shared.runtime.validation import patterns
from shared.runtime.validation.validation_errors import errors_of

MOST_BYTES = 100_000
_EVERY_LANGUAGE = frozenset(Language) - {Language.UNKNOWN}

type Line = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        pattern=patterns.worded(
            r"^[^\x00-\x1f\x7f]+$", "must be one line without control characters"
        ),
    ),
]


class SettingsInvalid(Exception):
    """Settings break rules; *problems* lists each as {field, problem}, without values."""

    def __init__(self, problems: list[dict[str, str]]) -> None:
        super().__init__("; ".join(f"{entry['field']}: {entry['problem']}" for entry in problems))
        self.problems = problems


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Wording(_Part):
    """The texts of a template in one language: for e-mail, and for chats."""

    default: str
    livechat: str


class Brand(_Part):
    """A brand: replies to messages sent to one of its *addresses* have its *signature*."""

    signature: Line
    addresses: Annotated[tuple[str, ...], Field(min_length=1, max_length=20)]


class ShopSettings(_Part):
    """
    The settings. Absent parts keep their standard values.

    *account*: the help-desk account, in place of the one of the deployment. *languages*: languages of sent replies;
    None: all with a wording. *team_names*: the teams' names in the help desk. *brands* by name. *templates*: wordings
    by template and language.
    """

    account: AccountFields | None = None
    languages: tuple[Language, ...] | None = None
    team_names: dict[Team, Line] = Field(default_factory=dict)
    brands: Annotated[dict[Line, Brand], Field(max_length=50)] = Field(default_factory=dict)
    templates: dict[str, dict[Language, Wording]] = Field(default_factory=dict)

    @property
    def sent_languages(self) -> frozenset[Language]:
        """The languages in which replies are sent, where a template has a wording."""
        return _EVERY_LANGUAGE if self.languages is None else frozenset(self.languages)

    def as_fields(self) -> dict[str, Any]:
        """Return the settings as they are stored."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def signatures(self) -> dict[str, str]:
        """Return the brands' signatures by address in normal form."""
        return {
            address: brand.signature
            for brand in self.brands.values()
            for text in brand.addresses
            if (address := normal_address(text))
        }

    def wordings(self) -> Wordings:
        """Return the wordings of all templates. Raises TemplateBroken."""
        return adapted(self._texts(), self.sent_languages)

    def _texts(self) -> Texts:
        return {
            name: {
                language: {Variant.DEFAULT: wording.default, Variant.LIVECHAT: wording.livechat}
                for language, wording in by_language.items()
            }
            for name, by_language in self.templates.items()
        }

    def problems(self) -> list[dict[str, str]]:
        """Return the broken rules that concern several fields, or the syntax of a wording."""
        return [*self._language_problems(), *self._brand_problems(), *self._wording_problems()]

    def _language_problems(self) -> list[dict[str, str]]:
        found = []
        if self.languages == ():
            found.append({"field": "languages", "problem": "must name at least one language"})
        if Language.UNKNOWN in (self.languages or ()):
            found.append({"field": "languages", "problem": "unknown is not a language of replies"})
        for name, by_language in self.templates.items():
            found += [
                {"field": f"templates.{name[:64]}.{language}", "problem": "is not in languages"}
                for language in by_language
                if language not in self.sent_languages
            ]
        return found

    def _brand_problems(self) -> list[dict[str, str]]:
        found, seen = [], set[str]()
        for name, brand in self.brands.items():
            for number, text in enumerate(brand.addresses):
                field, address = f"brands.{name}.addresses.{number}", normal_address(text)
                if address is None:
                    found.append({"field": field, "problem": "must be one e-mail address"})
                elif address in seen:
                    found.append({"field": field, "problem": "is given twice"})
                seen |= {address} if address else set()
        return found

    def _wording_problems(self) -> list[dict[str, str]]:
        found = []
        for name, by_language in self._texts().items():
            for language, texts in by_language.items():
                try:
                    adapted({name: {language: texts}}, ())
                except TemplateBroken as broken:
                    field, _, rule = str(broken).partition(": ")
                    found.append({"field": f"templates.{field[:200]}", "problem": rule})
        return found


def parse(fields: object) -> ShopSettings:
    """Return checked settings from JSON values. Raises SettingsInvalid, which names every field and its rule."""
    try:
        settings = ShopSettings.model_validate(fields)
    except ValidationError as refusal:
        raise SettingsInvalid(
            [
                {"field": _path(error["loc"]), "problem": error["msg"]}
                for error in errors_of(refusal)
            ]
        ) from None
    problems = settings.problems()
    if len(to_json(settings.as_fields())) > MOST_BYTES:
        problems.append({"field": "settings", "problem": f"over {MOST_BYTES} bytes"})
    if problems:
        raise SettingsInvalid(problems)
    return settings


def read(text: str) -> ShopSettings:
    """Parse stored settings. Raises SettingsInvalid, for example after a template was removed from the code."""
    return parse(json.loads(text))


def applied(account: Account, settings: ShopSettings, number: int) -> Account:
    """Return *account* with the settings of the version *number* applied."""
    if settings.account is not None:
        account = settings.account.as_account(account.channels, account.company)
    shop = replace(
        account.shop,
        team_names=settings.team_names,
        wordings=settings.wordings(),
        settings_version=number,
    )
    return replace(account, shop=shop, signatures=settings.signatures())


def _path(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part)[:64] for part in location if part != "[key]") or "settings"
