"""Deletes templates. The caches have the status DELETED for 30 days; then the items are removed."""

from typing import Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from whatsapp import store
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Input, Language, TemplateName, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates, Templates
from whatsapp.actions.templates.naming import TemplateId
from whatsapp.actions.templates.views import RemovedTemplate
from whatsapp.api.queries import NotFound
from whatsapp.store.items.accounts.templates import TemplateMeta
from whatsapp.worker.updates.templates.words import DELETED

META = Group("templates_meta")
EUM = Group("eum_templates")


class DeleteTemplate(Input):
    """A template: exactly one of `language` and `deleteAllLanguages`."""

    meta_waba_id: WabaId
    name: TemplateName
    language: Language | None = None
    delete_all_languages: Flag = False

    @model_validator(mode="after")
    def _names_languages(self) -> Self:
        if (self.language is not None) == self.delete_all_languages:
            raise PydanticCustomError(
                "language", "must have exactly one of language, deleteAllLanguages"
            )
        return self


class DeleteEumTemplate(EumAccountInput):
    """A template: exactly one of `metaTemplateId` and `deleteAllLanguages`."""

    template_name: TemplateName
    meta_template_id: TemplateId | None = None
    delete_all_languages: Flag = False

    @model_validator(mode="after")
    def _names_languages(self) -> Self:
        if (self.meta_template_id is not None) == self.delete_all_languages:
            raise PydanticCustomError(
                "language", "must have exactly one of metaTemplateId, deleteAllLanguages"
            )
        return self


@META.changes("remote_graph", Scope.WHATSAPP_TEMPLATES)
def delete_template_meta(call: Call[DeleteTemplate]) -> RemovedTemplate:
    """Delete a template in one language, or in all. Graph keeps its name reserved for 30 days."""
    given = call.input
    account = accounts.on_graph(call, given.meta_waba_id)
    known = _known(account, given.name)
    if given.language is None:
        return delete(account, given.name, None, list(known))
    listed = account.find(given.name, given.language)
    template_id = str(listed["id"]) if listed else None
    if template_id is None and given.language not in known:
        raise NotFound("template: not found in this language")
    if template_id is None:
        # An earlier call deleted it; the cache may not say so yet.
        return _removed(account, given.name, [given.language], existed=False)
    return delete(account, given.name, template_id, [given.language])


@EUM.changes("remote_eum", Scope.WHATSAPP_TEMPLATES)
def eum_delete_template(call: Call[DeleteEumTemplate]) -> RemovedTemplate:
    """Delete one translation at AWS, or all."""
    given = call.input
    return delete_at_aws(accounts.on_eum(call), given.template_name, given.meta_template_id)


def delete_at_aws(account: EumTemplates, name: str, template_id: str | None) -> RemovedTemplate:
    """Delete the translation with this id, or all of the name. Raises NotFound."""
    known = _known(account, name)
    languages = [
        language
        for language, known_id in known.items()
        if template_id is None or known_id == template_id
    ]
    return delete(account, name, template_id, languages)


def delete(
    account: Templates, name: str, template_id: str | None, languages: list[str]
) -> RemovedTemplate:
    """Delete at the provider, then in the caches. Raises NotFound if neither has it."""
    existed = account.delete(name, template_id)
    if not existed and not languages:
        raise NotFound("template: not found")
    return _removed(account, name, languages, existed=existed)


def _removed(
    account: Templates, name: str, languages: list[str], *, existed: bool
) -> RemovedTemplate:
    for language in languages:
        accounts.remember(account, {"name": name, "language": language, "status": DELETED})
    return RemovedTemplate(name=name, languages=sorted(languages), existed=existed)


def _known(account: Templates, name: str) -> dict[str, str | None]:
    """Return the cached languages of a template with their ids."""
    table, phone = account.resources.table, account.phone
    if isinstance(account, EumTemplates):
        found = store.cached_templates.of_name(table, name, account.waba)
        return {
            one.template_language: one.meta_template_id
            for one in found
            if one.company == phone.company
        }
    key = TemplateMeta.key(phone.waba_meta_id, name)
    item = store.account_reports.get_template(table, TemplateMeta, key)
    if item is None or item.company != phone.company:
        return {}
    return {language: entry.get("id") for language, entry in item.languages.items()}
