"""Dependencies of the routes and the public pages of issues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.api.opaque_ids import Seal, seal_of

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.store.bucket.objects import Store
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.contacts.person import Sources
    from shared.providers.email.identities import Identities
    from shared.providers.email.tenants import Tenants


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueDependencies:
    """*log* has the owner items; *people* are the contacts and their consent."""

    resources: Resources
    seal_secret: JsonSecret
    log: Table
    people: Sources
    identities: Identities
    tenants: Tenants

    @property
    def store(self) -> Store:
        """The table and the bucket of newsletters."""
        return self.resources.store

    @property
    def seal(self) -> Seal:
        """The seal of cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)
