"""
Reads and changes templates of an account at one of the two providers, in Graph's structure: {id, name, language,
status, ...}.

Reads and idempotent changes raise ProviderRejected, ProviderUnavailable and TooFast; `create` makes one attempt and
raises Refused, NotSent or InDoubt.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import quote

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.providers.outcomes import InDoubt
from shared.runtime.failures import Permanent, Transient
from shared.runtime.validation import patterns
from whatsapp import transmission
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.inputs import Input, WabaId
from whatsapp.actions.templates import definitions
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured, ProviderRejected
from whatsapp.worker.updates.templates import caches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whatsapp.actions.calls.call import Call
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

type Listed = dict[str, Any]
type Templates = GraphTemplates | EumTemplates

PAGE = 100
_FIELDS = (
    "id,name,language,status,category,components,quality_score,rejected_reason,"
    "message_send_ttl_seconds"
)
_MISSING = "ResourceNotFoundException"
_ROUNDS = 3


class EumAccountInput(Input):
    """An account at AWS: exactly one of `wabaId` (AWS's id or ARN) and `metaWabaId`."""

    waba_id: (
        Annotated[
            str,
            Field(
                pattern=patterns.worded(r"^(waba-|arn:)", "must begin with waba- or arn:"),
                max_length=115,
            ),
        ]
        | None
    ) = None
    meta_waba_id: WabaId | None = None

    @model_validator(mode="after")
    def _names_one_account(self) -> Self:
        if (self.waba_id is None) == (self.meta_waba_id is None):
            raise PydanticCustomError("account", "must have exactly one of wabaId, metaWabaId")
        return self


@dataclass(frozen=True, slots=True)
class GraphTemplates:
    """The templates of the account of *phone* at Graph."""

    resources: SendingResources
    phone: Phone
    token: str

    def page(self, after: str | None, size: int, name: str = "") -> tuple[list[Listed], str | None]:
        """Return a page of templates whose names contain *name*, and the cursor of the next one."""
        query = {"fields": _FIELDS, "limit": str(size)}
        query |= {"name": name} if name else {}
        query |= {"after": after} if after else {}
        answer = self._call("GET", f"{self._waba}/message_templates", query=query)
        paging = answer.get("paging") or {}
        following = (paging.get("cursors") or {}).get("after") if paging.get("next") else None
        return objects_in(answer.get("data")), following

    def find(self, name: str, language: str) -> Listed | None:
        """Return a translation; None if it does not exist."""
        found, _ = self.page(None, PAGE, name)
        return next(
            (one for one in found if (one.get("name"), one.get("language")) == (name, language)),
            None,
        )

    def by_id(self, template_id: str) -> Listed:
        """Return a translation by Meta's id."""
        return self._call("GET", quote(template_id, safe=""), query={"fields": _FIELDS})

    def create(self, definition: Mapping[str, Any]) -> Listed:
        """Create a template, and return its id, status and category."""
        path = f"{self._waba}/message_templates"
        return self.resources.graph.call("POST", path, self.token, definition)

    def edit(self, template_id: str, change: Mapping[str, Any]) -> None:
        """Change components, category or time to live."""
        self._call("POST", quote(template_id, safe=""), body=change)

    def delete(self, name: str, template_id: str | None) -> bool:
        """Delete one translation, or all of the name; False if there is none."""
        found, _ = self.page(None, PAGE, name)
        if not any(
            one.get("name") == name and template_id in {None, one.get("id")} for one in found
        ):
            return False
        query = {"name": name} | ({"hsm_id": template_id} if template_id else {})
        self._call("DELETE", f"{self._waba}/message_templates", query=query)
        return True

    @property
    def _waba(self) -> str:
        return quote(self.phone.waba_meta_id, safe="")

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        graph = self.resources.graph
        return remote.as_answer(
            remote.answered(lambda: graph.call(method, path, self.token, body, query=query))
        )


@dataclass(frozen=True, slots=True)
class EumTemplates:
    """The templates of the account of *phone* at AWS, which has the id *waba* there."""

    resources: SendingResources
    phone: Phone
    waba: str

    def page(self, after: str | None, size: int) -> tuple[list[Listed], str | None]:
        """Return a page of templates without components, and the token of the next one."""
        more = {"nextToken": after} if after else {}
        answer = self.call("list_whatsapp_message_templates", maxResults=size, **more)
        return [_of_summary(one) for one in answer.get("templates", [])], answer.get("nextToken")

    def find(self, name: str, language: str) -> Listed | None:
        """Return a translation; None if it does not exist."""
        found = self._described(templateName=name, templateLanguageCode=language)
        return {**found, "name": name, "language": language} if found else None

    def by_id(self, template_id: str) -> Listed:
        """Return a translation by Meta's id. Raises NotFound."""
        found = self._described(metaTemplateId=template_id)
        if found is None or not found.get("name") or not found.get("language"):
            raise NotFound("metaTemplateId: template not found")
        return {"id": template_id, **found}

    def create(self, definition: Mapping[str, Any]) -> Listed:
        """Create a template, and return its id, status and category. Raises InvalidInput if it is too large."""
        raw = definitions.to_bytes(definition, definitions.LARGEST_DEFINITION_BYTES)
        operation = "create_whatsapp_message_template"
        return of_created(self.resources.eum.call(operation, id=self.waba, templateDefinition=raw))

    def edit(self, template_id: str, change: Mapping[str, Any]) -> None:
        """Change components, category or other settings. Raises InvalidInput if they are too large."""
        names = {
            "category": "templateCategory",
            "parameter_format": "parameterFormat",
            "cta_url_link_tracking_opted_out": "ctaUrlLinkTrackingOptedOut",
        }
        given = {names[name]: value for name, value in change.items() if name in names}
        if "components" in change:
            largest = definitions.LARGEST_UPDATE_BYTES
            given["templateComponents"] = definitions.to_bytes(change["components"], largest)
        self.call("update_whatsapp_message_template", metaTemplateId=template_id, **given)

    def delete(self, name: str, template_id: str | None) -> bool:
        """Delete one translation, or all of the name; False if there is none."""
        what = {"metaTemplateId": template_id} if template_id else {"deleteAllLanguages": True}
        try:
            self.call("delete_whatsapp_message_template", templateName=name, **what)
        except ProviderRejected as refusal:
            if refusal.code != _MISSING:
                raise
            return False
        return True

    def call(self, operation: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401 - of any operation
        """Read, or make an idempotent change."""
        eum = self.resources.eum
        return remote.answered(lambda: eum.call(operation, id=self.waba, **parameters))

    def _described(self, **named: str) -> Listed | None:
        """
        Return a description; None if the template does not exist.

        Not confirmed by our own traffic: that the text is Meta's JSON, with name, language, status and category.
        """
        try:
            answer = self.call("get_whatsapp_message_template", **named)
        except ProviderRejected as refusal:
            if refusal.code != _MISSING:
                raise
            return None
        try:
            found = json.loads(answer.get("template", ""))
        except ValueError:
            raise ProviderRejected("no_json") from None
        return found if isinstance(found, dict) else None


def of_waba(call: Call[Any], waba: str) -> Templates:
    """Return the templates of an account at the provider of its numbers. Raises NotFound and NotConfigured."""
    phone = remote.number_of(participants.account_of(call, waba))
    return of_phone(call.resources, phone) if phone.provider == "eum" else on_graph(call, waba)


def on_graph(call: Call[Any], waba: str) -> GraphTemplates:
    """Return the templates of an account at Graph, by the first of its numbers that has a token."""
    fault = NotConfigured("the account has no number with access to Graph")
    for phone in participants.account_of(call, waba):
        try:
            return GraphTemplates(
                call.resources, phone, transmission.token_of(call.resources, phone)
            )
        except Permanent as found:
            fault = NotConfigured(f"the number has no access to Graph: {found.reason}")
    raise fault


def on_eum(call: Call[EumAccountInput]) -> EumTemplates:
    """Return the templates of the account at AWS that the input names. Raises NotFound and NotConfigured."""
    given = call.input
    if given.meta_waba_id is not None:
        phone = remote.number_of(participants.account_of(call, given.meta_waba_id))
        return _on_eum(call.resources, phone)
    wanted = aws_id_of(str(given.waba_id))
    for phone in participants.phones_of(call):
        if phone.aws_waba == wanted:
            return _on_eum(call.resources, phone)
    raise NotFound("wabaId: account not found")


def of_phone(resources: SendingResources, phone: Phone) -> Templates:
    """Return the templates of a number's account at its provider. Raises NotConfigured."""
    if phone.provider == "eum":
        return _on_eum(resources, phone)
    try:
        return GraphTemplates(resources, phone, transmission.token_of(resources, phone))
    except Permanent as fault:
        raise NotConfigured(f"the number has no access to Graph: {fault.reason}") from None


def aws_id_of(waba: str) -> str:
    """Return AWS's id of an account, from the id or the ARN (`arn:...:waba/{id}`)."""
    return f"waba-{waba.rsplit('/', 1)[-1]}" if waba.startswith("arn:") else waba


def remember(
    account: Templates, listed: Listed, *, read_at: int | None = None, is_synced: bool = False
) -> None:
    """Store a description in the caches; repeated after concurrent writes. Raises Transient if they do not end."""
    for attempt in range(_ROUNDS):
        try:
            caches.record(
                account.resources, account.phone, listed, read_at=read_at, is_synced=is_synced
            )
        except Transient:
            if attempt == _ROUNDS - 1:
                raise
        else:
            return


def of_created(answer: Mapping[str, Any]) -> Listed:
    """Return id, status and category of a template that AWS has created. Raises InDoubt."""
    if not answer.get("metaTemplateId"):
        raise InDoubt("no_template_id")
    return {
        "id": answer["metaTemplateId"],
        "status": answer.get("templateStatus"),
        "category": answer.get("category"),
    }


def _on_eum(resources: SendingResources, phone: Phone) -> EumTemplates:
    if phone.provider != "eum":
        raise NotConfigured("the account is not linked to AWS End User Messaging")
    return EumTemplates(resources, phone, remote.aws_account_of(phone))


def _of_summary(summary: Mapping[str, Any]) -> Listed:
    names = {
        "templateName": "name",
        "templateLanguage": "language",
        "metaTemplateId": "id",
        "templateStatus": "status",
        "templateCategory": "category",
        "templateQualityScore": "quality_score",
    }
    return {ours: summary[name] for name, ours in names.items() if name in summary}


def objects_in(found: object) -> list[Listed]:
    """Return the objects of a list in an answer; empty if it is no list."""
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
