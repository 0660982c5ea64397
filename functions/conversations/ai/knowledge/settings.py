"""The `knowledge_config` of a project: whether its model searches the company's documents, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import ValidationError

from conversations.ai.config import AiConfigBroken
from shared.ai.retrieval.settings import RetrievalSettings
from shared.aws.tables.dynamodb_json import plain
from shared.runtime.validation_errors import errors_of, rule_of

ATTRIBUTE = "knowledge_config"


class KnowledgeConfig(RetrievalSettings):
    """
    The settings of the retriever, and whether the model has it.

    With *sources_required* an answer for which documents were searched is sent only if it cites one of them.
    """

    enabled: bool = False
    sources_required: bool = True

    @classmethod
    def read(cls, knowledge_config: object) -> KnowledgeConfig:
        """Parse the attribute of a company-data item. Raises AiConfigBroken."""
        if not isinstance(knowledge_config, Mapping):
            raise AiConfigBroken(ATTRIBUTE)
        try:
            return cls.model_validate_json(json.dumps(plain(dict(knowledge_config))))
        except TypeError:
            raise AiConfigBroken(ATTRIBUTE) from None
        except ValidationError as error:
            first = errors_of(error)[0]
            path = ".".join([ATTRIBUTE, *map(str, first["loc"])])
            raise AiConfigBroken(path, rule_of(first)) from None
