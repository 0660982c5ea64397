"""
Synchronises the cached templates of an account with its provider: all pages are read, only differences are written.

Templates that the provider no longer lists become DISABLED, with the provider's status DELETED. Without a call:
`synchronise` takes the resources of any function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, TemplateName, WabaId
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts, views
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates
from whatsapp.sending.views import View
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta
from whatsapp.worker.updates.templates import words
from whatsapp.worker.updates.templates.words import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whatsapp.actions.templates.accounts import Listed, Templates
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

META = Group("templates_meta")
EUM = Group("eum_templates")
LEGACY = Group("legacy")
MOST_PAGES = 100
# Sends ask about descriptions older than a day; an unchanged one is confirmed before.
_CONFIRMED_AGAIN_MS = clock.DAY_SECONDS * clock.SECOND_MS // 2
_SCORES = frozenset({"GREEN", "YELLOW", "RED"})


class SynchronisedTemplates(View):
    """
    The number of translations that were read, written because they differed, and removed.

    *is_complete*: all pages were read. Otherwise nothing was removed.
    """

    read: int
    changed: int
    removed: int
    is_complete: bool


class SyncMetaTemplates(Input):
    """An account; `names` limits the synchronisation to templates with these names."""

    meta_waba_id: WabaId
    names: Annotated[list[TemplateName], Field(min_length=1, max_length=100)] | None = None


class RefreshTemplates(Input):
    """An account."""

    meta_waba_id: WabaId


class SyncEumTemplates(EumAccountInput):
    """An account at AWS."""


def synchronise(resources: SendingResources, phone: Phone) -> SynchronisedTemplates:
    """
    Synchronise the templates of a number's account with the number's provider. Safe to repeat and to run concurrently.

    Raises NotConfigured, ProviderRejected, ProviderUnavailable, TooFast, and Transient after concurrent writes.
    """
    return of_account(accounts.of_phone(resources, phone))


def of_account(account: Templates, names: Sequence[str] | None = None) -> SynchronisedTemplates:
    """Synchronise an account, or its templates with these names. Raises as `synchronise`."""
    # Templates that are created during the walk may not be in it: later reports win.
    read_at = clock.now_ms()
    walk = _Walk(account, names)
    seen: set[tuple[str, str]] = set()
    changed = 0
    for page in walk.pages():
        changed += _write_differences(account, page, read_at)
        seen |= {_identity(listed) for listed in page}
    removed = _remove_others(account, seen, names, read_at) if walk.is_complete else 0
    return SynchronisedTemplates(
        read=len(seen), changed=changed, removed=removed, is_complete=walk.is_complete
    )


@META.changes("remote_graph", Scope.WHATSAPP_TEMPLATES)
def sync_templates_meta(call: Call[SyncMetaTemplates]) -> SynchronisedTemplates:
    """
    Synchronise an account's templates with Graph, or only the named ones.

    The content of templates comes from the provider; calls cannot give it.
    """
    return of_account(accounts.on_graph(call, call.input.meta_waba_id), call.input.names)


@EUM.changes("remote_eum", Scope.WHATSAPP_TEMPLATES)
def eum_sync_templates(call: Call[SyncEumTemplates]) -> SynchronisedTemplates:
    """
    Synchronise an account's templates with AWS.

    AWS lists templates without components; these are read when a template is sent or asked for.
    """
    return of_account(accounts.on_eum(call))


@LEGACY.changes("remote_eum", Scope.WHATSAPP_TEMPLATES)
def refresh_templates(call: Call[RefreshTemplates]) -> SynchronisedTemplates:
    """Synchronise an account's templates with its provider, as `eum_sync_templates` or `sync_templates_meta` do."""
    return of_account(accounts.of_waba(call, call.input.meta_waba_id))


class _Walk:
    """Reads all pages of an account, or of some names; afterwards `is_complete` tells whether it read all."""

    def __init__(self, account: Templates, names: Sequence[str] | None) -> None:
        self.account = account
        self.names = names
        self.is_complete = True

    def pages(self) -> Iterator[list[Listed]]:
        for name in self.names or [""]:
            after: str | None = None
            for _ in range(MOST_PAGES):
                listed, after = self._page(after, name)
                yield [
                    one
                    for one in listed
                    if one.get("name") and one.get("language") and name in {"", one["name"]}
                ]
                if after is None:
                    break
            else:
                self.is_complete = False

    def _page(self, after: str | None, name: str) -> tuple[list[Listed], str | None]:
        if isinstance(self.account, EumTemplates):
            return self.account.page(after, accounts.PAGE)
        return self.account.page(after, accounts.PAGE, name)


def _identity(listed: Listed) -> tuple[str, str]:
    return str(listed["name"]), str(listed["language"])


def _write_differences(account: Templates, page: list[Listed], read_at: int) -> int:
    """Write the translations of a page that differ from the cache, and return how many there were."""
    table, phone = account.resources.table, account.phone
    changed = 0
    if isinstance(account, EumTemplates):
        waba = account.waba
        keys = [TemplateEum.key(waba, *_identity(listed)) for listed in page]
        cached = store.cached_templates.many(table, TemplateEum, keys) if keys else {}
        for key, listed in zip(keys, page, strict=True):
            if not _equals(account.resources, cached.get(key), listed, read_at):
                accounts.remember(account, listed, read_at=read_at, is_synced=True)
                changed += 1
        return changed
    waba = phone.waba_meta_id
    keys = [TemplateMeta.of_language(waba, *_identity(listed)) for listed in page]
    translations = store.cached_templates.many(table, TemplateMeta, keys) if keys else {}
    name_keys = [TemplateMeta.key(waba, str(listed["name"])) for listed in page]
    names = store.cached_templates.many(table, TemplateMeta, name_keys) if keys else {}
    for key, name_key, listed in zip(keys, name_keys, page, strict=True):
        is_named = name_key in names and listed["language"] in names[name_key].languages
        equals = _equals(account.resources, translations.get(key), listed, read_at)
        if not is_named or not equals:
            accounts.remember(account, listed, read_at=read_at, is_synced=True)
            changed += 1
    return changed


def _equals(
    resources: SendingResources,
    cached: TemplateEum | TemplateMeta | None,
    listed: Listed,
    read_at: int,
) -> bool:
    """Whether the cache equals the provider's description, and was confirmed within half a day."""
    if cached is None:
        return False
    known = views.of_item(resources, cached)
    confirmed_at = known.synced_at if isinstance(cached, TemplateEum) else known.cached_at
    if confirmed_at is None or read_at - clock.from_text(confirmed_at) >= _CONFIRMED_AGAIN_MS:
        return False
    score = words.score_of(listed)
    reported: dict[str, Any] = {
        "status_raw": listed.get("status"),
        "category": listed.get("category"),
        "id": listed.get("id"),
        "message_send_ttl_seconds": listed.get("message_send_ttl_seconds"),
        "quality_score": score if score in _SCORES else None,
        "components": views.of_listed(listed).components,
    }
    # Attributes that the provider does not report are not compared.
    return all(value is None or value == getattr(known, name) for name, value in reported.items())


def _remove_others(
    account: Templates, seen: set[tuple[str, str]], names: Sequence[str] | None, read_at: int
) -> int:
    """Mark the cached translations that the provider did not list as deleted; return how many there were."""
    table, phone = account.resources.table, account.phone
    began_at = clock.to_text(read_at // clock.SECOND_MS * clock.SECOND_MS)
    removed = 0
    cached: Iterator[TemplateEum | TemplateMeta]
    if isinstance(account, EumTemplates):
        cached = iter(store.cached_templates.every_of_aws_account(table, account.waba))
    else:
        cached = iter(store.cached_templates.every_of_meta_account(table, phone.waba_meta_id))
    for one in list(cached):
        language = one.template_language if isinstance(one, TemplateEum) else one.language
        if (
            one.company != phone.company
            or one.status_raw == DELETED
            or (names is not None and one.template_name not in names)
            or (one.template_name, language) in seen
            or (one.status_at or "") >= began_at
        ):
            continue
        gone = {"name": one.template_name, "language": language, "status": DELETED}
        accounts.remember(account, gone, read_at=read_at, is_synced=True)
        removed += 1
    return removed
