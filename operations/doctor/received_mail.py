"""
Check of a newsletter's mail as a mailbox has received it: whether mail programs may offer one click to leave.

They do only if `List-Unsubscribe` has an https address, `List-Unsubscribe-Post` says so, and a DKIM signature of the
sender's domain covers both (RFC 8058, sections 3 and 4). No text of the mail is printed.
"""

import re
from collections.abc import Sequence
from email import policy
from email.message import Message
from email.parser import BytesParser
from email.utils import parseaddr
from pathlib import Path
from typing import Final

from operations.command_line.arguments import Refused
from operations.doctor.findings import Finding, action, ok

_UNSUBSCRIBE: Final = ("list-unsubscribe", "list-unsubscribe-post")
_ONE_CLICK: Final = "List-Unsubscribe=One-Click"
_HTTPS: Final = re.compile(r"<\s*https://[^<>\s]+\s*>", re.IGNORECASE)
_TAG: Final = re.compile(r"\s*([a-z]+)\s*=\s*(.*?)\s*\Z", re.DOTALL)
_LARGEST: Final = 40 * 1024 * 1024  # bytes


def of_file(path: Path) -> list[Finding]:
    """Check a mail that was saved with its source (.eml). Raises Refused."""
    try:
        body = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    except OSError:
        raise Refused("--mail: the file cannot be read") from None
    mail = BytesParser(policy=policy.compat32).parsebytes(body)
    domain = parseaddr(str(mail.get("From", "")))[1].rpartition("@")[2].casefold()
    if not domain:
        raise Refused("--mail: the file is no mail with a From header")
    return [_headers(mail), _signed(mail, domain)]


def _headers(mail: Message) -> Finding:
    uri, post = (" ".join(str(mail.get(name, "")).split()) for name in _UNSUBSCRIBE)
    if not _HTTPS.search(uri):
        return action("headers", "List-Unsubscribe has no https address", "send a mail of an issue")
    if post != _ONE_CLICK:
        text = "List-Unsubscribe-Post is not List-Unsubscribe=One-Click"
        return action("headers", text, "send a mail of an issue")
    return ok("headers", "one click to leave")


def _signed(mail: Message, domain: str) -> Finding:
    """Return whether a signature of the sender's domain covers the headers. Whether it is valid the mailbox says."""
    signatures = [_tags(str(one)) for one in mail.get_all("DKIM-Signature", [])]
    own = [one for one in signatures if _is_of(one.get("d", "").casefold(), domain)]
    if not own:
        step = f"sign mails of {domain} with DKIM of this domain in SES, see docs/connect/ses.md"
        return action("signature", f"no DKIM signature of {domain}", step)
    missing = [name for name in _UNSUBSCRIBE if not any(name in _covered(one) for one in own)]
    if missing:
        text = f"the signature of {domain} does not cover {', '.join(missing)}"
        step = "mailbox providers offer no click to leave: write to the support of AWS"
        return action("signature", text, step)
    return ok("signature", f"{domain} signs both headers")


def _is_of(signer: str, domain: str) -> bool:
    """Whether a signature's domain is the sender's, or above it, as DMARC accepts it."""
    return bool(signer) and (domain == signer or domain.endswith(f".{signer}"))


def _covered(signature: dict[str, str]) -> Sequence[str]:
    return ["".join(one.split()).casefold() for one in signature.get("h", "").split(":")]


def _tags(signature: str) -> dict[str, str]:
    found = (_TAG.match(one) for one in signature.split(";"))
    return {one[1]: one[2] for one in found if one is not None}
