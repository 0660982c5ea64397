"""Forms at AWS End User Messaging Social."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatsapp.actions.calls.provider_objects import HealthStatus
from whatsapp.actions.flows.providers.provider import Asset, Definition, Form, Preview, shown_errors

if TYPE_CHECKING:
    from whatsapp.actions.calls.provider_objects import FormError
    from whatsapp.actions.calls.remote import EumAccount


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
        return str(answer["flowId"])

    def get(self, flow: str) -> Form:
        """As `FormsAtProvider`; AWS refuses forms of other accounts."""
        answer = self.eum.call("get_whatsapp_flow", id=self.account, flowId=flow)
        preview = answer.get("preview")
        return Form(
            flow_id=answer["flowId"],
            name=answer.get("flowName"),
            status=answer.get("flowStatus"),
            categories=answer.get("categories", []),
            validation_errors=shown_errors(answer.get("validationErrors")),
            json_version=answer.get("jsonVersion"),
            data_api_version=answer.get("dataApiVersion"),
            endpoint_uri=answer.get("endpointUri"),
            preview=Preview(url=preview["previewUrl"], expires_at=preview["expiresAt"])
            if preview
            else None,
            health=HealthStatus.of_aws(answer.get("healthStatus")),
        )

    def page(self, limit: int, after: str | None) -> tuple[list[Form], str | None]:
        """As `FormsAtProvider`."""
        more = {"nextToken": after} if after else {}
        answer = self.eum.call("list_whatsapp_flows", id=self.account, maxResults=limit, **more)
        forms = [
            Form(
                flow_id=one["flowId"],
                name=one.get("flowName"),
                status=one.get("flowStatus"),
                categories=one.get("flowCategories", []),
                validation_errors=shown_errors(one.get("validationErrors")),
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

    def update_document(self, flow: str, document: bytes) -> list[FormError | str]:
        """As `FormsAtProvider`."""
        answer = self.eum.call(
            "update_whatsapp_flow_assets", id=self.account, flowId=flow, flowJson=document
        )
        return shown_errors(answer.get("validationErrors"))

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
