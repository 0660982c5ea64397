"""
Searches a company's documents for a conversation whose project has a `knowledge_config`.

All other projects need nothing of it: the retrievers and their clients are loaded and created at the first use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from conversations.outbound.unwritable import Unwritable, misconfigured
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from botocore.config import Config

    from conversations.ai.config import AiConfig
    from conversations.ai.knowledge.search_tool import Knowledge
    from conversations.ai.knowledge.settings import KnowledgeConfig
    from conversations.lifecycle.conversation import OpenConversation
    from shared.access.ownership.claims import Owners
    from shared.ai.retrieval import Passage, Retriever
    from shared.aws.s3 import Bucket


@dataclass(slots=True, kw_only=True, eq=False)
class DocumentSearch:
    """
    The documents of all companies. *bucket* is None if the deployment has no bucket for documents.

    *make_bedrock* creates a boto3 `bedrock-agent-runtime` client with the configuration of a call, *owners* know the
    companies of knowledge bases. Retrievers are kept: one of a local corpus remembers its index, for *listing_ms*
    without a look whether documents have changed.
    """

    bucket: Bucket | None
    make_bedrock: Callable[[Config], Any]
    owners: Owners
    listing_ms: int | None = None
    _retrievers: dict[str | None, Retriever] = field(default_factory=dict)  # by knowledge base

    def knowledge_of(self, opened: OpenConversation, config: AiConfig) -> Knowledge | None:
        """Return the documents that the model may search; None if the project disables it. Raises Unwritable."""
        from conversations.ai.config import AiConfigBroken  # noqa: PLC0415 - see the docstring of the module
        from conversations.ai.knowledge.search_tool import TOOL, Knowledge  # noqa: PLC0415 - as above
        from conversations.ai.knowledge.settings import KnowledgeConfig  # noqa: PLC0415 - as above

        try:
            settings = KnowledgeConfig.read(opened.company.knowledge_config)
        except AiConfigBroken as broken:
            raise misconfigured(broken.attribute) from None
        if not settings.enabled:
            return None
        if any(function.name == TOOL.name for function in config.functions):
            raise misconfigured("ai_config.functions")
        company_id = opened.company.company_id
        return Knowledge(
            lambda query: self._search(company_id, settings, query), settings.sources_required
        )

    def _search(self, company_id: str, settings: KnowledgeConfig, query: str) -> Sequence[Passage]:
        """Return the passages for a query that are used, best first. Raises Unwritable, see `found`."""
        from conversations.ai.knowledge.search_tool import MOST_PASSAGES  # noqa: PLC0415 - as above

        found = self.found(company_id, settings, query)
        used = [passage for passage in found if passage.score >= settings.least_score]
        logger.info(
            "documents searched",
            extra={"passages": {p.chunk_id: p.score for p in used[:MOST_PASSAGES]}},
        )
        return used

    def found(self, company_id: str, settings: KnowledgeConfig, query: str) -> Sequence[Passage]:
        """
        Return the passages for a query, best first, also those below the least score.

        Raises Unwritable: the retriever does not answer.
        """
        from conversations.ai.knowledge.search_tool import MOST_PASSAGES  # noqa: PLC0415 - as above
        from shared.ai.retrieval import (  # noqa: PLC0415 - as above
            CorpusTooLarge,
            Query,
            RetrievalRefused,
            RetrieverUnavailable,
        )

        try:
            wanted = Query(text=query, topics=tuple(settings.topics))
            return self._retriever(settings).retrieve(company_id, wanted, limit=2 * MOST_PASSAGES)
        except RetrieverUnavailable as failure:
            logger.warning("documents unavailable", extra={"reason": failure.reason})
            raise Unwritable("documents_unavailable", may_pass=True) from None
        except (CorpusTooLarge, RetrievalRefused) as refusal:
            metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
            logger.error("documents refused", extra={"reason": refusal.reason})
            raise Unwritable(refusal.reason) from None

    def _retriever(self, settings: KnowledgeConfig) -> Retriever:
        from shared.ai.retrieval.settings import RetrievalDependencies, retriever_for  # noqa: PLC0415 - as above

        key = settings.knowledge_base_id
        if key not in self._retrievers:
            deps = RetrievalDependencies(
                bucket=self.bucket,
                make_bedrock=self.make_bedrock,
                owners=self.owners,
                listing_ms=self.listing_ms,
            )
            self._retrievers[key] = retriever_for(settings, deps)
        return self._retrievers[key]
