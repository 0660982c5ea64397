"""
Attachments of SES (API reference, Attachment; Developer Guide, "Amazon SES unsupported attachment types").

`/_sent` shows size and hash of their content; `GET /_sent/{id}.eml` has the content.
"""

import base64
import binascii
import hashlib
import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_REFUSED = """
    ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk
    mad maf mag mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh1xml msh2 msh2xml mshxml msi
    msp mst ops pcd pif plg prf prg ps1 ps1xml ps2 ps2xml psc1 psc2 reg scf scr sct shb shs sys tmp url vb vbe vbs vps
    vsmacros vss vst vsw vxd ws wsc wsf wsh xnk"""
_REFUSED_EXTENSIONS = frozenset(_REFUSED.split())


def _decoded(value: object) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except binascii.Error:
        raise ValueError("not base64") from None


def _summary(content: bytes) -> dict[str, object]:
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class Attachment(BaseModel):
    """A file of a mail."""

    model_config = ConfigDict(extra="forbid")

    RawContent: Annotated[bytes, BeforeValidator(_decoded), PlainSerializer(_summary)]
    FileName: Annotated[str, Field(min_length=1, max_length=255)]
    ContentType: Annotated[str, Field(min_length=1, max_length=78, pattern=r"^[!-~]+/[ -~]+$")] = (
        "application/octet-stream"
    )
    ContentDisposition: Literal["ATTACHMENT", "INLINE"] = "ATTACHMENT"
    ContentTransferEncoding: Literal["BASE64", "QUOTED_PRINTABLE", "SEVEN_BIT"] = "SEVEN_BIT"
    ContentId: Annotated[str, Field(min_length=1, max_length=78, pattern=r"^[!-~]+$")] | None = None
    ContentDescription: Annotated[str, Field(max_length=1000)] | None = None


def refused(attachment: Attachment) -> str | None:
    """Return the rule that an attachment breaks, None if SES accepts it."""
    name = attachment.FileName
    if _CONTROLS.search(name) or set(name) & set("/\\"):
        return "Attachments.FileName: contains a control character or a path separator"
    extension = name.rpartition(".")[2].strip().lower()
    if "." in name and extension in _REFUSED_EXTENSIONS:
        return f"Attachments.FileName: the extension .{extension} is not allowed"
    # Check: AWS documents the default encoding, not what becomes of content that it cannot represent.
    is_text = attachment.RawContent.isascii() and b"\0" not in attachment.RawContent
    if attachment.ContentTransferEncoding == "SEVEN_BIT" and not is_text:
        return "Attachments.ContentTransferEncoding: SEVEN_BIT, the default, cannot represent the content"
    return None
