"""
Tenants of SES (API v2): a company's mails as a container of its own, which SES judges and pauses alone, with a
suppression list of its own.

A mail of a tenant needs the sender's identity and the configuration set as resources of the tenant. Check: no page says
how SES answers a mail without them, or of a paused tenant. So a refusal of such a mail is compared with what the tenant
has (`problem`), and an answer that SendEmail does not document is in doubt (`ses.py`).

SES Developer Guide, "Tenants"; API reference, "GetTenant", "ListTenantResources", "CreateTenant",
"CreateTenantResourceAssociation", "UpdateReputationEntityPolicy".
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

type Problem = Literal["tenant_missing", "tenant_paused", "tenant_incomplete"]

POLICY: Final = "standard"  # of SES: a tenant pauses at findings of high severity
UNREADABLE: Final = "ses_tenant_unreadable"
_READABLE: Final = re.compile(r"[A-Za-z0-9-]{1,48}")
_HASH_CHARACTERS: Final = 32  # a name may have 64 characters
_SENDING: Final = frozenset({"ENABLED", "REINSTATED"})
_IDENTITY, _CONFIGURATION_SET = "identity", "configuration-set"
_MISSING, _EXISTS = "NotFoundException", "AlreadyExistsException"
_PAGE: Final = 100
_MOST_PAGES: Final = 10


class TenantClient(Protocol):
    """The calls of the SDK's client (`sesv2`) that this module uses."""

    def get_tenant(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Read one tenant."""
        ...

    def list_tenant_resources(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Read a page of the resources of a tenant."""
        ...

    def create_tenant(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Make a tenant."""
        ...

    def create_tenant_resource_association(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Give a resource to a tenant, too."""
        ...

    def update_reputation_entity_policy(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the SDK's parameters
        """Set when SES pauses a tenant."""
        ...


def tenant_of(company_id: str) -> str:
    """Return the name of a company's tenant: no company can name another one's."""
    if _READABLE.fullmatch(company_id):
        return f"parley-{company_id}"
    return f"parley_{hashlib.sha256(company_id.encode()).hexdigest()[:_HASH_CHARACTERS]}"


@dataclass(eq=False)
class Tenants:
    """The tenants of the deployment's account and region."""

    make_client: Callable[[], TenantClient]

    @cached_property
    def _client(self) -> TenantClient:
        return self.make_client()

    def problem(
        self, name: str, sender: str, configuration_set: str | None = None
    ) -> Problem | None:
        """
        Return why a tenant cannot send mails of *sender* now, by *configuration_set* or any one; None if it can.
        Raises Transient.
        """
        tenant = self._found(name)
        if tenant is None:
            return "tenant_missing"
        if tenant.get("SendingStatus") not in _SENDING:
            return "tenant_paused"
        has = {one.rpartition(":")[2] for one in self._resources(name)}
        domain = sender.rpartition("@")[2]
        labels = domain.split(".")
        names = [sender, *(".".join(labels[first:]) for first in range(len(labels) - 1))]
        has_sender = any(f"{_IDENTITY}/{one}" in has for one in names)
        sets = {one for one in has if one.startswith(f"{_CONFIGURATION_SET}/")}
        wanted = {f"{_CONFIGURATION_SET}/{configuration_set}"} if configuration_set else sets
        return None if has_sender and wanted & sets else "tenant_incomplete"

    def is_paused(self, name: str) -> bool:
        """Return whether SES has paused a tenant; one that does not exist is not. One call. Raises Transient."""
        tenant = self._found(name)
        return tenant is not None and tenant.get("SendingStatus") not in _SENDING

    def set_up(self, name: str, resources: Sequence[str], policy: str) -> None:
        """
        Make a tenant with a suppression list of its own and the reputation policy *policy* (an ARN), and give it
        *resources* (ARNs), which others may have, too. Repeatable. Raises ClientError and BotoCoreError.
        """
        scope = {"SuppressionScope": "TENANT", "SuppressedReasons": ["BOUNCE", "COMPLAINT"]}
        _unless_there(self._client.create_tenant, TenantName=name, SuppressionAttributes=scope)
        found = self._client.get_tenant(TenantName=name)["Tenant"]
        self._client.update_reputation_entity_policy(
            ReputationEntityType="RESOURCE",
            ReputationEntityReference=found["TenantArn"],
            ReputationEntityPolicy=policy,
        )
        for one in resources:
            _unless_there(
                self._client.create_tenant_resource_association, TenantName=name, ResourceArn=one
            )

    def _found(self, name: str) -> Mapping[str, Any] | None:
        try:
            answer = self._client.get_tenant(TenantName=name)
        except ClientError as error:
            if error.response["Error"]["Code"] == _MISSING:
                return None
            raise Transient(UNREADABLE) from None
        except BotoCoreError:
            raise Transient(UNREADABLE) from None
        tenant: Mapping[str, Any] = answer.get("Tenant") or {}
        return tenant

    def _resources(self, name: str) -> Iterator[str]:
        """Yield the ARNs of the first thousand resources of a tenant. Raises Transient."""
        more: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            try:
                page = self._client.list_tenant_resources(TenantName=name, PageSize=_PAGE, **more)
            except (ClientError, BotoCoreError):
                raise Transient(UNREADABLE) from None
            yield from (str(one["ResourceArn"]) for one in page.get("TenantResources") or [])
            if not page.get("NextToken"):
                return
            more = {"NextToken": str(page["NextToken"])}


def _unless_there(call: Callable[..., object], **request: object) -> None:
    try:
        call(**request)
    except ClientError as error:
        if error.response["Error"]["Code"] != _EXISTS:
            raise
