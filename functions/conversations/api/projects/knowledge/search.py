"""Searches a company's documents as the model of a project does, and shows what the model would not get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.ai.knowledge.search_tool import Sources
from conversations.ai.knowledge.settings import KnowledgeConfig
from conversations.api.projects import versions
from conversations.api.projects.knowledge import views
from conversations.outbound.unwritable import Unwritable
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.projects.inputs import TriedSettings
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from shared.ai.retrieval import Passage
    from shared.api.auth import Caller


@dataclass(frozen=True, slots=True)
class Searcher:
    """The documents of a company with the settings of a project."""

    documents: DocumentSearch
    company_id: str
    settings: KnowledgeConfig

    def found(self, query: str) -> list[views.FoundView]:
        """Return the passages for a query, best first. Raises ModelUnavailable and ModelUnusable."""
        try:
            passages = self.documents.found(self.company_id, self.settings, query)
        except Unwritable as refusal:
            kind = ModelUnavailable if refusal.may_pass else ModelUnusable
            raise kind(refusal.reason) from None
        sources = Sources()
        sources.add([one for one in passages if one.score >= self.settings.least_score])
        return [self._view(one, sources) for one in passages]

    def _view(self, passage: Passage, sources: Sources) -> views.FoundView:
        source = sources.found.get(passage.chunk_id)
        return views.FoundView(
            position=source.number if source else None,
            left_out=None if source else self._reason(passage),
            document=document_of(passage, self.company_id),
            title=source.title if source else passage.title,
            url=passage.url,
            date=passage.date,
            score=f"{passage.score:.4f}",
            text=passage.text,
            chunk_id=passage.chunk_id,
        )

    def _reason(self, passage: Passage) -> str:
        """Return why the model does not get a passage."""
        if passage.score < self.settings.least_score:
            return "min_score"
        return "limit" if Sources.may_show(passage) else "no_title"


def searcher_of(
    deps: ApiDependencies,
    documents: DocumentSearch,
    caller: Caller,
    project_id: str,
    given: TriedSettings,
) -> Searcher:
    """Return the search of a project with the settings that a call tries. Raises NotFound, NoVersion, InvalidInput."""
    item = versions.item_of(deps, caller, project_id)
    company = versions.checked_project(
        item, versions.settings_to_try(deps, caller, project_id, item, given)
    )
    return Searcher(documents, caller.company, KnowledgeConfig.read(company.knowledge_config))


def searched(searcher: Searcher, query: str) -> views.SearchView:
    """Return what a search finds. Raises ModelUnavailable and ModelUnusable."""
    settings = searcher.settings
    return views.SearchView(
        enabled=settings.enabled,
        retriever=settings.retriever,
        least_score=f"{settings.least_score:.4f}",
        topics=settings.topics,
        passages=searcher.found(query),
    )


def document_of(passage: Passage, company_id: str) -> str:
    """Return the name of a passage's document in the company's corpus; of others the address or location."""
    _, corpus, name = passage.uri.partition(f"/corpus/{company_id}/")
    return name if corpus else passage.url or passage.uri
