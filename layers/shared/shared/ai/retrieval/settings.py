"""The settings of a retriever, and the creation of the one that they select."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from shared.ai.retrieval.port import RetrievalRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from botocore.config import Config

    from shared.access.ownership.claims import Owners
    from shared.ai.retrieval.port import Retriever
    from shared.aws.s3 import Bucket

type RetrieverName = Literal["local", "bedrock"]

# Terms that occur in more than half of the chunks have no weight: in a small corpus a good match can have score 0.
LEAST_SCORES: dict[RetrieverName, float] = {"local": 0.0, "bedrock": 0.3}


class RetrievalSettings(BaseModel):
    """
    Which retriever answers. *knowledge_base_id* belongs to `bedrock` only.

    Passages with a score below *min_score* are not used; None is the default of the retriever, see `least_score`.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", defer_build=True)

    retriever: RetrieverName = "local"
    knowledge_base_id: Annotated[str, Field(pattern=r"^[0-9A-Za-z]{10}$")] | None = None
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _has_a_knowledge_base(self) -> RetrievalSettings:
        if self.retriever == "bedrock" and self.knowledge_base_id is None:
            raise ValueError("knowledge_base_id is missing")
        if self.retriever == "local" and self.knowledge_base_id is not None:
            raise ValueError("knowledge_base_id is a setting of retriever bedrock")
        return self

    @property
    def least_score(self) -> float:
        """The lowest score of a passage that is used."""
        return LEAST_SCORES[self.retriever] if self.min_score is None else self.min_score


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalDependencies:
    """
    Access to documents and knowledge bases. *bucket* has the documents under `corpus/`; None without a bucket.

    *make_bedrock* creates a boto3 `bedrock-agent-runtime` client with the configuration of a call; *owners* are asked
    before each search of a knowledge base. After *listing_ms* a changed document in the bucket is found; None: the
    default of the local retriever.
    """

    bucket: Bucket | None
    make_bedrock: Callable[[Config], Any]
    owners: Owners
    listing_ms: int | None = None


def retriever_for(settings: RetrievalSettings, deps: RetrievalDependencies) -> Retriever:
    """Create the retriever of these settings; loads only its own modules. Raises RetrievalRefused without a bucket."""
    if settings.retriever == "bedrock":
        from shared.ai.retrieval.bedrock import KnowledgeBaseRetriever  # noqa: PLC0415 - see the docstring

        assert settings.knowledge_base_id is not None  # noqa: S101 - for mypy: the settings are validated
        return KnowledgeBaseRetriever(deps.make_bedrock, settings.knowledge_base_id, deps.owners)
    if deps.bucket is None:
        raise RetrievalRefused("no_document_bucket")
    from shared.ai.retrieval.corpora import S3Corpus  # noqa: PLC0415 - see the docstring
    from shared.ai.retrieval.local import LISTING_MS, LocalRetriever  # noqa: PLC0415 - see the docstring

    listing_ms = LISTING_MS if deps.listing_ms is None else deps.listing_ms
    return LocalRetriever(S3Corpus(deps.bucket), listing_ms=listing_ms)
