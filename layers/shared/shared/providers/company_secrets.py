"""
Companies' secrets: named in the project settings, read on demand, cached for five minutes.

Every read is on behalf of a company and allowed only if the secret's name belongs to that company.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from shared.aws.secrets import JsonSecret, SecretUnreadable
from shared.identity.secret_owners import owns_secret
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_secretsmanager import SecretsManagerClient

NOT_OWNED = "secret_not_owned"
_DENIED = frozenset({"AccessDeniedException", "ResourceNotFoundException"})


@dataclass(slots=True, eq=False)
class CompanySecrets:
    """Companies' secrets by their ids."""

    make_client: Callable[[], SecretsManagerClient]
    _cache: dict[str, JsonSecret] = field(default_factory=dict)

    def secret(self, company_id: str, secret_id: str) -> JsonSecret:
        """Return a company's secret, one cached object per id. Raises Misconfigured for another company's."""
        if not owns_secret(company_id, secret_id):
            metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
            logger.error("secret belongs to another company")
            raise Misconfigured(NOT_OWNED)
        return self._cache.setdefault(secret_id, JsonSecret(self.make_client, secret_id))

    def value(self, company_id: str, secret_id: str | None) -> dict[str, Any]:
        """
        Return the content of a company's secret.

        Raises Misconfigured if it is missing or another company's, NotSent if AWS fails.
        """
        if secret_id is None:
            raise secret_missing()
        secret = self.secret(company_id, secret_id)
        with readable():
            return secret.value()


@contextmanager
def readable() -> Iterator[None]:
    """Translate errors of reading a secret: Misconfigured if it is missing or denied, NotSent if AWS fails."""
    try:
        yield
    except SecretUnreadable:
        raise secret_missing() from None
    except ClientError as error:
        if error.response["Error"]["Code"] in _DENIED:
            raise secret_missing() from None
        raise NotSent("secrets_unreadable") from None
    except BotoCoreError:
        raise NotSent("secrets_unreadable") from None


def secret_missing() -> Misconfigured:
    """Count and log that a company's secret is missing or denied; return the refusal."""
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("secret missing")
    return Misconfigured("secrets_missing")
