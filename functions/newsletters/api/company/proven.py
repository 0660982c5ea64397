"""Checks that a company may use what its settings name: the key of its model, and its knowledge base."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.access.ownership import proofs
from shared.access.ownership.ids import knowledge_base
from shared.access.ownership.proofs import Named

if TYPE_CHECKING:
    from newsletters.api.inputs import SettingsInput
    from newsletters.api.queries import ApiDependencies
    from shared.access.ownership.claims import Proof
    from shared.access.ownership.ids import ProviderId

KNOWLEDGE_BASE_FIELD: Final = "retrieval.knowledge_base_id"


def require(
    deps: ApiDependencies, company: str, settings: SettingsInput
) -> dict[ProviderId, Proof]:
    """
    Return the claims that the company may write for what its settings name. Raises NotProven if it may not use the key
    of the model, or search the knowledge base.
    """
    if settings.ai is not None:
        proofs.require_secret(company, settings.ai.api_key_reference, "ai.api_key_reference")
    given = settings.retrieval
    if given.knowledge_base_id is None:
        return {}
    named = Named(knowledge_base(given.knowledge_base_id), KNOWLEDGE_BASE_FIELD, may_share=True)
    return proofs.require(deps.log, company, [named], single_company=deps.single_company)


def claim(deps: ApiDependencies, company: str, settings: SettingsInput, by: str) -> None:
    """Check as `require`; a deployment's only company claims its knowledge base."""
    claimed = require(deps, company, settings)
    if claimed:
        proofs.store(deps.log, company, claimed, by)
