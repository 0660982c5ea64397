"""Errors of Bedrock knowledge bases that the sandbox does not raise."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError, ParamValidationError

from shared.access.ownership.ids import knowledge_base
from shared.ai.retrieval.bedrock import KnowledgeBaseRetriever
from shared.ai.retrieval.port import Query
from shared.runtime.failures import Permanent, Transient
from tests.aws.owner_items import owners_of


class Client:
    """Raises one error of the SDK."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def retrieve(self, **_: Any) -> Any:
        raise self._error


def refusal(code: str, message: str = "") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "Retrieve")


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (refusal("ValidationException", "numberOfResults is too large"), Permanent),
        (refusal("ValidationException", "The DB instance is resuming after a pause."), Transient),
        (refusal("ServiceQuotaExceededException"), Transient),
        (refusal("ExpiredTokenException"), Transient),
        (ParamValidationError(report="secret words"), Permanent),
        (NoCredentialsError(), Transient),
    ],
)
def test_an_error_is_permanent_if_every_retry_would_fail(
    error: Exception, failure: type[Permanent | Transient]
) -> None:
    with owners_of({knowledge_base("AB12CD34EF"): "acme"}) as owners:
        retriever = KnowledgeBaseRetriever(lambda _: Client(error), "AB12CD34EF", owners)
        with pytest.raises(failure) as raised:
            retriever.retrieve("acme", Query(text="maize"), limit=1)
    assert " " not in str(raised.value)  # a code, no text of the service
