"""
The forms of one business account at its provider: AWS End User Messaging Social, or Meta's Graph API.

Both have the same operations with other names; `FormsAtProvider` is their common interface. Methods with `attempt` in
their name make one attempt (`remote.once`); all others are repeated while the answer is lost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field

from whatsapp.actions import participants, remote
from whatsapp.actions.failures import StateConflict
from whatsapp.actions.flows import multipart
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured, ProviderRejected
from whatsapp.sending.views import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whatsapp.actions.call import Call
    from whatsapp.actions.remote import EumAccount, GraphAccount
    from whatsapp.store.items import Phone

DRAFT, PUBLISHED, DEPRECATED = "DRAFT", "PUBLISHED", "DEPRECATED"
_MOST_ERRORS, _LONGEST_ERROR = 30, 1_000
_FIELDS = (
    "id,name,status,categories,validation_errors,json_version,data_api_version,endpoint_uri,preview,health_status,"
    "whatsapp_business_account"
)


class Preview(View):
    """A page that shows the form to anyone with its *url*; *expires_at* in the provider's format."""

    url: str
    expires_at: str | None = None


class Form(View):
    """
    A form. *status*: DRAFT, PUBLISHED, DEPRECATED, BLOCKED or THROTTLED. *validation_errors* and *health* are the
    provider's own objects or texts.
    """

    flow_id: str
    name: str | None = None
    status: str | None = None
    categories: list[str] = Field(default_factory=list)
    validation_errors: list[Any] = Field(default_factory=list)
    json_version: str | None = None
    data_api_version: str | None = None
    endpoint_uri: str | None = None
    preview: Preview | None = None
    health: dict[str, Any] | None = None


class Asset(View):
    """A file of a form; *download_url* is valid for a short time."""

    name: str
    asset_type: str
    download_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What a form is created from, or changed to; None: not given."""

    name: str | None = None
    categories: Sequence[str] | None = None
    document: bytes | None = None
    publish: bool = False
    clone_of: str | None = None
    endpoint: str | None = None


class FormsAtProvider(Protocol):
    """The operations on the forms of an account. Raise ProviderRejected, ProviderUnavailable and TooFast."""

    def attempt_create(self, definition: Definition) -> str | None:
        """Create a form and return its id. One attempt: raises Refused, NotSent or InDoubt."""
        ...

    def get(self, flow: str) -> Form:
        """Return a form. Raises NotFound for one of another account."""
        ...

    def page(self, limit: int, after: str | None) -> tuple[list[Form], str | None]:
        """Return a page of the account's forms, and where the next one begins."""
        ...

    def update(self, flow: str, definition: Definition) -> None:
        """Change name, categories or endpoint."""
        ...

    def update_document(self, flow: str, document: bytes) -> list[Any]:
        """Replace the form's JSON; returns the provider's validation errors."""
        ...

    def publish(self, flow: str) -> None:
        """Publish a draft."""
        ...

    def deprecate(self, flow: str) -> None:
        """Deprecate a published form."""
        ...

    def delete(self, flow: str) -> None:
        """Delete a draft."""
        ...

    def assets(self, flow: str) -> list[Asset]:
        """Return the files of a form: the first 100."""
        ...

    def preview(self, flow: str, *, invalidate: bool) -> Preview:
        """Return the preview; *invalidate* makes a new one."""
        ...


def forms_of(call: Call[Any], waba: str) -> tuple[FormsAtProvider, Phone]:
    """
    Return the forms of an account, and its number that decides about the provider.

    Raises NotFound and NotConfigured.
    """
    phone = participants.account_of(call, waba)[0]
    if phone.provider == "eum":
        if not phone.aws_waba:
            raise NotConfigured("the account has no id of AWS End User Messaging")
        return EumForms(remote.eum_of(call, phone), phone.aws_waba), phone
    return GraphForms(remote.graph_of_account(call, waba), waba), phone


def draft_of(forms: FormsAtProvider, flow: str) -> Form:
    """Return a form that can be changed. Raises StateConflict."""
    found = forms.get(flow)
    if found.status != DRAFT:
        raise StateConflict(f"flowId: the form is {found.status}; only a DRAFT can be changed")
    return found


def moved(forms: FormsAtProvider, flow: str, change: Callable[[str], None], wanted: str) -> Form:
    """
    Move a form to the status *wanted* and return it.

    A repeated attempt whose first answer was lost is refused by the provider, although the form has that status.
    """
    try:
        change(flow)
    except ProviderRejected:
        found = forms.get(flow)
        if found.status != wanted:
            raise
        return found
    return forms.get(flow)


@dataclass(frozen=True, slots=True)
class EumForms:
    """AWS End User Messaging Social; *account* is AWS's id of the business account."""

    eum: EumAccount
    account: str

    def attempt_create(self, definition: Definition) -> str | None:
        """As `FormsAtProvider`."""
        given = {
            "flowJson": definition.document,
            "publish": definition.publish or None,
            "cloneFlowId": definition.clone_of,
            "endpointUri": definition.endpoint,
        }
        answer = self.eum.attempt(
            "create_whatsapp_flow",
            id=self.account,
            flowName=definition.name,
            categories=list(definition.categories or []),
            **{name: value for name, value in given.items() if value is not None},
        )
        return answer.get("flowId")

    def get(self, flow: str) -> Form:
        """As `FormsAtProvider`; AWS refuses forms of other accounts."""
        answer = self.eum.call("get_whatsapp_flow", id=self.account, flowId=flow)
        preview = answer.get("preview")
        return Form(
            flow_id=answer["flowId"],
            name=answer.get("flowName"),
            status=answer.get("flowStatus"),
            categories=answer.get("categories", []),
            validation_errors=_shown_errors(answer.get("validationErrors")),
            json_version=answer.get("jsonVersion"),
            data_api_version=answer.get("dataApiVersion"),
            endpoint_uri=answer.get("endpointUri"),
            preview=Preview(url=preview["previewUrl"], expires_at=preview["expiresAt"])
            if preview
            else None,
            health=answer.get("healthStatus"),
        )

    def page(self, limit: int, after: str | None) -> tuple[list[Form], str | None]:
        """As `FormsAtProvider`."""
        more = {"nextToken": after} if after else {}
        answer = self.eum.call("list_whatsapp_flows", id=self.account, maxResults=limit, **more)
        forms = [
            Form(
                flow_id=one["flowId"],
                name=one["flowName"],
                status=one["flowStatus"],
                categories=one["flowCategories"],
                validation_errors=_shown_errors(one["validationErrors"]),
            )
            for one in answer["flows"]
        ]
        return forms, answer.get("nextToken")

    def update(self, flow: str, definition: Definition) -> None:
        """As `FormsAtProvider`."""
        given = {
            "flowName": definition.name,
            "categories": list(definition.categories) if definition.categories else None,
            "endpointUri": definition.endpoint,
        }
        changed = {name: value for name, value in given.items() if value is not None}
        self.eum.call("update_whatsapp_flow", id=self.account, flowId=flow, **changed)

    def update_document(self, flow: str, document: bytes) -> list[Any]:
        """As `FormsAtProvider`."""
        answer = self.eum.call(
            "update_whatsapp_flow_assets", id=self.account, flowId=flow, flowJson=document
        )
        return _shown_errors(answer.get("validationErrors"))

    def publish(self, flow: str) -> None:
        """As `FormsAtProvider`."""
        self.eum.call("publish_whatsapp_flow", id=self.account, flowId=flow)

    def deprecate(self, flow: str) -> None:
        """As `FormsAtProvider`."""
        self.eum.call("deprecate_whatsapp_flow", id=self.account, flowId=flow)

    def delete(self, flow: str) -> None:
        """As `FormsAtProvider`."""
        self.eum.call("delete_whatsapp_flow", id=self.account, flowId=flow)

    def assets(self, flow: str) -> list[Asset]:
        """As `FormsAtProvider`."""
        answer = self.eum.call("list_whatsapp_flow_assets", id=self.account, flowId=flow)
        return [
            Asset(name=one["name"], asset_type=one["assetType"], download_url=one["downloadUrl"])
            for one in answer["flowAssets"]
        ]

    def preview(self, flow: str, *, invalidate: bool) -> Preview:
        """As `FormsAtProvider`."""
        answer = self.eum.call(
            "get_whatsapp_flow_preview", id=self.account, flowId=flow, invalidate=invalidate
        )
        found = answer["preview"]
        return Preview(url=found["previewUrl"], expires_at=found["expiresAt"])


@dataclass(frozen=True, slots=True)
class GraphForms:
    """Meta's Graph API; *account* is Meta's id of the business account. Changes are forms (multipart)."""

    graph: GraphAccount
    account: str

    def attempt_create(self, definition: Definition) -> str | None:
        """
        As `FormsAtProvider`.

        Not confirmed by traffic of ours: `flow_json` and `publish`, which Meta's guide has and its OpenAPI document
        has not.
        """
        fields = _fields(definition)
        if definition.document is not None:
            fields["flow_json"] = definition.document.decode()
        if definition.publish:
            fields["publish"] = "true"
        if definition.clone_of is not None:
            fields["clone_flow_id"] = definition.clone_of
        found = self._attempt((self.account, "flows"), fields).get("id")
        return None if found is None else str(found)

    def get(self, flow: str) -> Form:
        """As `FormsAtProvider`."""
        answer = self.graph.get(flow, fields=_FIELDS)
        owner = answer.get("whatsapp_business_account")
        if isinstance(owner, dict) and owner.get("id") != self.account:
            raise NotFound("flowId: is not a form of metaWabaId")
        return _form(answer)

    def page(self, limit: int, after: str | None) -> tuple[list[Form], str | None]:
        """As `FormsAtProvider`."""
        query = {"limit": str(limit)} | ({"after": after} if after else {})
        answer = self.graph.get(self.account, "flows", **query)
        return [_form(one) for one in _entries(answer)], next_of(answer)

    def update(self, flow: str, definition: Definition) -> None:
        """As `FormsAtProvider`."""
        self._post((flow,), _fields(definition))

    def update_document(self, flow: str, document: bytes) -> list[Any]:
        """As `FormsAtProvider`."""
        file = multipart.File("file", "flow.json", "application/json", document)
        fields = {"name": "flow.json", "asset_type": "FLOW_JSON"}
        answer = self._post((flow, "assets"), fields, file)
        return _shown_errors(answer.get("validation_errors"))

    def publish(self, flow: str) -> None:
        """As `FormsAtProvider`."""
        self.graph.post(flow, "publish", body={})

    def deprecate(self, flow: str) -> None:
        """As `FormsAtProvider`."""
        self.graph.post(flow, "deprecate", body={})

    def delete(self, flow: str) -> None:
        """As `FormsAtProvider`."""
        self.graph.delete(flow)

    def assets(self, flow: str) -> list[Asset]:
        """As `FormsAtProvider`."""
        return [
            Asset(
                name=str(one.get("name", "")),
                asset_type=str(one.get("asset_type", "")),
                download_url=str(one.get("download_url", "")),
            )
            for one in _entries(self.graph.get(flow, "assets"))
        ]

    def preview(self, flow: str, *, invalidate: bool) -> Preview:
        """As `FormsAtProvider`."""
        wanted = f"preview.invalidate({'true' if invalidate else 'false'})"
        found = _preview(self.graph.get(flow, fields=wanted))
        if found is None:
            raise StateConflict("flowId: the provider has no preview of the form")
        return found

    def _post(
        self, path: tuple[str, ...], fields: dict[str, str], file: multipart.File | None = None
    ) -> dict[str, Any]:
        return remote.answered(lambda: self._attempt(path, fields, file))

    def _attempt(
        self, path: tuple[str, ...], fields: dict[str, str], file: multipart.File | None = None
    ) -> dict[str, Any]:
        """Make one attempt with a form. Paths are ids of digits and fixed words, which need no quoting."""
        return post_form(self.graph, path, fields, file)


def post_form(
    graph: GraphAccount,
    path: tuple[str, ...],
    fields: dict[str, str],
    file: multipart.File | None = None,
) -> dict[str, Any]:
    """Make one attempt with a multipart form. Raises Refused, NotSent or InDoubt."""
    content_type, body = multipart.encoded(fields, file)
    headers = {"Authorization": f"Bearer {graph.token}", "Content-Type": content_type}
    return graph.resources.graph.upload("/".join(path), headers, body)


def next_of(answer: dict[str, Any]) -> str | None:
    """Return where the next page of a listing of Graph begins; None on the last page."""
    paging = answer.get("paging")
    if not isinstance(paging, dict) or "next" not in paging:
        return None
    after = (paging.get("cursors") or {}).get("after")
    return str(after) if after else None


def _fields(definition: Definition) -> dict[str, str]:
    fields = {"name": definition.name, "endpoint_uri": definition.endpoint}
    if definition.categories is not None:
        fields["categories"] = json.dumps(list(definition.categories))
    return {name: value for name, value in fields.items() if value is not None}


def _form(answer: dict[str, Any]) -> Form:
    return Form(
        flow_id=str(answer.get("id", "")),
        name=answer.get("name"),
        status=answer.get("status"),
        categories=answer.get("categories") or [],
        validation_errors=_shown_errors(answer.get("validation_errors")),
        json_version=answer.get("json_version"),
        data_api_version=answer.get("data_api_version"),
        endpoint_uri=answer.get("endpoint_uri"),
        preview=_preview(answer),
        health=answer.get("health_status"),
    )


def _shown_errors(found: object) -> list[Any]:
    """Return the first errors of the provider, bounded: a stored answer of a call must be small."""
    errors = found if isinstance(found, list) else []
    return [
        one[:_LONGEST_ERROR] if isinstance(one, str) else one
        for one in errors[:_MOST_ERRORS]
        if isinstance(one, str) or len(json.dumps(one)) <= _LONGEST_ERROR
    ]


def _preview(answer: dict[str, Any]) -> Preview | None:
    found = answer.get("preview")
    if not isinstance(found, dict) or not found.get("preview_url"):
        return None
    return Preview(url=found["preview_url"], expires_at=found.get("expires_at"))


def _entries(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = answer.get("data")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
