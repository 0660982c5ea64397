"""
Passages of a company's documents that answer a query: text, score, source and date. A setting selects the retriever.

    port       the interface: passages, retrievers, errors
    local      full-text search over documents in S3 or in a folder: the default
    bedrock    a knowledge base of Amazon Bedrock
    settings   the settings of a retriever, and its creation
    documents  the documents of the local corpus: add, list, delete

The text of a passage is data of third parties: callers pass it to models as data, never as instructions, and do not
log it. A retriever reads the documents of one company only.
"""

from shared.ai.retrieval.port import (
    CorpusTooLarge,
    Passage,
    Query,
    RetrievalRefused,
    Retriever,
    RetrieverUnavailable,
)

__all__ = [
    "CorpusTooLarge",
    "Passage",
    "Query",
    "RetrievalRefused",
    "Retriever",
    "RetrieverUnavailable",
]
