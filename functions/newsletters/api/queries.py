"""Read access to lists, options, settings and sources."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from newsletters.api import presenters, views
from newsletters.api.access import READ
from newsletters.drafting.retrieval.catalogue import TYPES
from newsletters.drafting.tone import PRESETS
from newsletters.store import companies
from newsletters.store.content import newsletters
from newsletters.store.items.item import (
    INDEX,
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from shared.ai.retrieval.documents import Documents
from shared.ai.retrieval.settings import RetrievalSettings
from shared.api.auth import Forbidden
from shared.api.cursors import Listing, Page
from shared.api.models.inputs import checked
from shared.api.opaque_ids import Seal, seal_of
from shared.aws.tables.dynamodb_json import plain

if TYPE_CHECKING:
    from newsletters.api import inputs
    from newsletters.configuration.resources import Resources
    from newsletters.store.items import Metadata
    from shared.ai.retrieval.documents import ListedDocument, ReadDocument
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.secrets import JsonSecret

_OF_USER: Final = (PARTITION_KEY, SORT_KEY, INDEX_PARTITION_KEY, INDEX_SORT_KEY)
_LABELLED: Final = {
    "target_audience": (
        "myself", "researchers", "development_partners", "policy_makers", "ag_tech_industry", "field_staff", "farmers",
    ),
    "format_type": ("email", "pdf", "web", "html"),
    "length_preference": ("quick_read", "short", "standard", "mixed", "deep_dive", "long"),
    "frequency": ("daily", "weekly", "monthly", "quarterly", "custom"),
    "tone_preset": tuple(PRESETS),
    "export_format": ("pdf", "docx", "html", "email", "markdown", "text"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ApiDependencies:
    """
    The resources of the API, and the secret that seals cursors.

    *log* has the owner items; *single_company* owns all resources of a deployment that belongs to one company.
    """

    resources: Resources
    seal_secret: JsonSecret
    log: Table
    single_company: str

    @property
    def seal(self) -> Seal:
        """The seal of cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


def list_newsletters(
    deps: ApiDependencies, caller: Caller, query: inputs.NewslettersQuery
) -> Page[views.Newsletters]:
    """Return a page of the caller's newsletters, or of the company's. Raises Forbidden and InvalidCursor."""
    is_company = query.of == "company"
    if is_company and caller.scopes.isdisjoint(READ):
        raise Forbidden(f"of=company needs the scope {' or '.join(READ)}")
    owner = caller.company if is_company else caller.principal
    listing = Listing(caller.company, INDEX, ("newsletters", query.of, owner))
    start = listing.position(deps.seal, query.cursor) if query.cursor is not None else None
    table = deps.resources.store.table
    if is_company:
        found, last = newsletters.list_of_company(
            table, caller.company, limit=query.limit, start=start
        )
    else:
        found, last = newsletters.list_of_user(
            table, caller.principal, caller.company, limit=query.limit, start=start
        )
    shown = [presenters.summary(one) for one in found if _matches(one, query)]
    page = views.Newsletters(newsletters=shown)
    return Page(page, listing.cursor(deps.seal, _position(last)) if last else None)


def options() -> views.OptionsView:
    """Return the values of a configuration, with labels."""
    labelled = {
        name: [{"value": value, "label": value.replace("_", " ").capitalize()} for value in values]
        for name, values in _LABELLED.items()
    }
    types = [{"value": one.id, "label": one.name, "kind": one.kind} for one in TYPES]
    return views.OptionsView(options={**labelled, "selected_types": types})


def settings(deps: ApiDependencies, company_id: str) -> views.SettingsView:
    """Return the company's settings; the defaults if none are stored."""
    stored = companies.get_settings(deps.resources.store.table, company_id)
    if stored is None:
        return views.SettingsView(
            ai=None,
            retrieval=RetrievalSettings().model_dump(exclude_none=True),
            ai_daily_units=200,
            four_eyes=False,
            check_claims=False,
            track_clicks=False,
            ses_tenant=False,
            mailbox_providers={},
            version=0,
            ai_version=None,
        )
    return views.SettingsView(
        ai=plain(stored.ai) if stored.ai else None,
        retrieval=plain(stored.retrieval),
        ai_daily_units=stored.ai_daily_units,
        four_eyes=stored.four_eyes,
        check_claims=stored.check_claims,
        track_clicks=stored.track_clicks,
        ses_tenant=stored.ses_tenant,
        mailbox_providers=stored.mailbox_providers or {},
        version=stored.version,
        ai_version=stored.ai_version,
    )


def completed_settings(
    deps: ApiDependencies, company_id: str, given: inputs.SettingsInput
) -> inputs.SettingsInput:
    """
    Return settings with the present values of absent fields, also of a model of the same provider and of the same
    retriever. Raises InvalidInput if they do not fit together.
    """
    present = settings(deps, company_id).model_dump(exclude={"version", "ai_version"})
    fields = given.model_dump()
    ai, retrieval = present["ai"], present["retrieval"]
    if given.ai is not None and ai is not None and ai["provider"] == given.ai.provider:
        fields["ai"] = ai | given.ai.model_dump(exclude_unset=True)
    if given.has("retrieval") and retrieval["retriever"] == given.retrieval.retriever:
        fields["retrieval"] = retrieval | given.retrieval.model_dump(exclude_unset=True)
    return checked(present | fields, type(given))


def list_sources(
    deps: ApiDependencies, caller: Caller, query: inputs.SourcesQuery
) -> Page[views.Sources]:
    """Return a page of the company's documents. Raises InvalidCursor."""
    listing = Listing(caller.company, "documents", ("sources",))
    start = listing.position(deps.seal, query.cursor) if query.cursor is not None else None
    documents = Documents(deps.resources.store.bucket)
    page = documents.page(caller.company, query.limit, str(start["name"]) if start else "")
    shown = [views.SourceView(**_facts(one)) for one in page.documents]
    cursor = listing.cursor(deps.seal, {"name": page.last}) if page.last else None
    return Page(views.Sources(sources=shown), cursor)


def source_text(found: ReadDocument) -> views.SourceText:
    """Return a document with its passages."""
    return views.SourceText(
        **_facts(found.listed),
        passages=found.passages,
        passage_count=found.total,
        problem=found.problem,
    )


def _facts(document: ListedDocument) -> dict[str, Any]:
    return {**asdict(document), "topics": list(document.topics)}


def _matches(metadata: Metadata, query: inputs.NewslettersQuery) -> bool:
    if query.status is not None and metadata.status is not query.status:
        return False
    state = metadata.review.state if metadata.review else None
    return query.review is None or state is query.review


def _position(last: Attributes) -> Attributes:
    return {name: last[name] for name in _OF_USER if name in last}
