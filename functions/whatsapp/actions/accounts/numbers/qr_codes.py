"""Creates, changes and lists QR codes and short links that open a chat with a prefilled message."""

from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from shared.api.cursors import Page
from whatsapp.actions.accounts.numbers import deletion
from whatsapp.actions.calls import paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import PageInput, SenderInput, Text
from whatsapp.actions.calls.views import Done
from whatsapp.actions.dispatch.registration import Group
from whatsapp.sending.views import View

QR_CODES = Group("qr_codes")
_EDGE = "message_qrdls"

type Code = Annotated[str, Field(pattern=r"^[A-Z2-7]{14}$")]
type Prefilled = Annotated[Text, Field(max_length=140)]
type ImageFormat = Literal["PNG", "SVG"]


class CreateQrCode(SenderInput):
    """The message that customers find in their input field."""

    prefilled_message: Prefilled
    image_format: ImageFormat = "SVG"


class GetQrCodes(SenderInput, PageInput):
    """One code, or all of them. With *imageFormat* the answer links to images."""

    code: Code | None = None
    image_format: ImageFormat | None = None


class UpdateQrCode(SenderInput):
    """A code and its new message."""

    code: Code
    prefilled_message: Prefilled


class QrCodeInput(SenderInput):
    """A code."""

    code: Code


class QrCode(View):
    """A code: *deep_link_url* opens the chat; *qr_image_url* is a link of the provider's."""

    code: str
    prefilled_message: str
    deep_link_url: str
    qr_image_url: str | None = None


class QrCodes(View):
    """A page of codes."""

    qr_codes: list[QrCode]


@QR_CODES.changes("remote_graph", Scope.WHATSAPP_PROFILE, idempotent=False)
def create_qr_code(call: Call[CreateQrCode]) -> QrCode:
    """Create a short link and a QR code with a prefilled message. A number has at most 2,000 codes."""
    phone = participants.sender_of(call)
    graph = remote.graph_of(call, phone)
    body = {
        "prefilled_message": call.input.prefilled_message,
        "generate_qr_image": call.input.image_format,
    }
    created: list[dict[str, Any]] = []

    def attempt() -> str:
        created.append(graph.attempt("POST", phone.phone, _EDGE, body=body))
        return str(created[-1]["code"])

    code = remote.once(call, phone, "get_qr_codes lists the codes of the number", attempt)
    return _view(created[0] if created else graph.get(phone.phone, _EDGE, code))


@QR_CODES.reads("remote_graph", Scope.WHATSAPP_READ)
def get_qr_codes(call: Call[GetQrCodes]) -> Page[QrCodes]:
    """List the codes of a number, or show one of them. The provider returns at most 25 codes a page."""
    phone = participants.sender_of(call)
    graph = remote.graph_of(call, phone)
    image = call.input.image_format
    fields = {"fields": f"code,prefilled_message,deep_link_url,qr_image_url.format({image})"}
    query = fields if image else {}
    if call.input.code is not None:
        found = graph.get(phone.phone, _EDGE, call.input.code, **query)
        entries = found.get(
            "data", [found]
        )  # Graph answers with a list, its document with the code itself.
        return Page(QrCodes(qr_codes=[_view(entry) for entry in entries if "code" in entry]))
    start = paging.start_of(call)
    after = {"after": str(start["after"])} if start else {}
    limit = str(min(call.input.limit, 25))
    found = graph.get(phone.phone, _EDGE, limit=limit, **after, **query)
    following = found.get("paging", {})
    next_page = following.get("cursors", {}).get("after") if "next" in following else None
    codes = [_view(entry) for entry in found.get("data", [])]
    cursor = paging.cursor_of(call, {"after": next_page} if next_page else None)
    return Page(QrCodes(qr_codes=codes), cursor)


@QR_CODES.changes("remote_graph", Scope.WHATSAPP_PROFILE)
def update_qr_code(call: Call[UpdateQrCode]) -> QrCode:
    """Change the prefilled message of a code; printed codes keep working."""
    phone = participants.sender_of(call)
    body = {"code": call.input.code, "prefilled_message": call.input.prefilled_message}
    return _view(remote.graph_of(call, phone).post(phone.phone, _EDGE, body=body))


@QR_CODES.changes("remote_graph", Scope.WHATSAPP_PROFILE)
def delete_qr_code(call: Call[QrCodeInput]) -> Done:
    """Delete a code: printed codes and links stop working. A code that does not exist counts as deleted."""
    phone = participants.sender_of(call)
    graph = remote.graph_of(call, phone)
    path = (phone.phone, _EDGE, call.input.code)
    deletion.delete(
        lambda: graph.attempt("DELETE", *path),
        lambda: deletion.is_unknown(lambda: graph.get(*path)),
    )
    return Done()


def _view(entry: dict[str, Any]) -> QrCode:
    return QrCode(
        code=str(entry.get("code", "")),
        prefilled_message=str(entry.get("prefilled_message", "")),
        deep_link_url=str(entry.get("deep_link_url", "")),
        qr_image_url=entry.get("qr_image_url"),
    )
