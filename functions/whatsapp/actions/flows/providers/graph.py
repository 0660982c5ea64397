"""Forms at Meta's Graph API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.providers import multipart
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.flows.providers.provider import Asset, Definition, Form, Preview, shown_errors
from whatsapp.api.queries import NotFound

if TYPE_CHECKING:
    from whatsapp.actions.calls.provider_objects import FormError
    from whatsapp.actions.calls.remote import GraphAccount

_FIELDS = (
    "id,name,status,categories,validation_errors,json_version,data_api_version,endpoint_uri,preview,health_status,"
    "whatsapp_business_account"
)


@dataclass(frozen=True, slots=True)
class GraphForms:
    """Meta's Graph API; *account* is Meta's id of the business account. Changes are forms (multipart)."""

    graph: GraphAccount
    account: str

    def attempt_create(self, definition: Definition) -> str | None:
        """
        As `FormsAtProvider`.

        Not confirmed by our own traffic: `flow_json` and `publish`, which Meta's guide has and its OpenAPI document
        has not.
        """
        fields = _fields(definition)
        if definition.document is not None:
            fields["flow_json"] = definition.document.decode()
        if definition.publish:
            fields["publish"] = "true"
        if definition.clone_of is not None:
            fields["clone_flow_id"] = definition.clone_of
        return str(self._attempt((self.account, "flows"), fields)["id"])

    def get(self, flow: str) -> Form:
        """
        As `FormsAtProvider`. A token may read forms of several accounts, so the answer must name this one.

        Not confirmed by our own traffic: `whatsapp_business_account`, as in Meta's OpenAPI document.
        """
        answer = self.graph.get(flow, fields=_FIELDS)
        owner = answer.get("whatsapp_business_account")
        if not isinstance(owner, dict) or str(owner.get("id")) != self.account:
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

    def update_document(self, flow: str, document: bytes) -> list[FormError | str]:
        """As `FormsAtProvider`."""
        file = multipart.File("file", "flow.json", "application/json", document)
        fields = {"name": "flow.json", "asset_type": "FLOW_JSON"}
        answer = self._post((flow, "assets"), fields, file)
        return shown_errors(answer.get("validation_errors"))

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
    """Return the cursor of the next page of a listing of Graph; None on the last page."""
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
        validation_errors=shown_errors(answer.get("validation_errors")),
        json_version=answer.get("json_version"),
        data_api_version=answer.get("data_api_version"),
        endpoint_uri=answer.get("endpoint_uri"),
        preview=_preview(answer),
        health=answer.get("health_status"),
    )


def _preview(answer: dict[str, Any]) -> Preview | None:
    found = answer.get("preview")
    if not isinstance(found, dict) or not found.get("preview_url"):
        return None
    return Preview(url=found["preview_url"], expires_at=found.get("expires_at"))


def _entries(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = answer.get("data")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
