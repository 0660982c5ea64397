"""Dependencies of erasures and exports of a person: tables, bucket, ledger, and access to the model's provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.providers.action_ledger import Action, Ledger
    from shared.providers.company_secrets import CompanySecrets


@dataclass(slots=True, kw_only=True, eq=False)
class ErasureDependencies:
    """Tables, bucket and ledger; the companies' secrets and OpenAI's URL, for the copies of conversations there."""

    table: Table
    log: Table
    bucket: Bucket
    ledger: Ledger[Action]
    credentials: CompanySecrets
    openai_url: str
