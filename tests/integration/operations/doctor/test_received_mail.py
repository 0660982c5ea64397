"""A mail that a mailbox has received is checked for what mail programs need to offer one click to leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.command_line.arguments import Refused
from operations.doctor import received_mail
from operations.doctor.findings import Status
from tests.cases import each

if TYPE_CHECKING:
    from pathlib import Path

OF_SES = "v=1; a=rsa-sha256; d=amazonses.com; h=From:List-Unsubscribe:List-Unsubscribe-Post; b=QUJD"
BOTH = "From:To:Subject:List-Unsubscribe:\r\n\tList-Unsubscribe-Post:Date"
POST = "List-Unsubscribe=One-Click"


def received(
    folder: Path,
    *,
    covered: str = BOTH,
    signer: str = "shop.example",
    uri: str = "",
    post: str = POST,
) -> Path:
    uri = uri or "<https://api.example.org/prod/u/abc>"
    file = folder / "mail.eml"
    file.write_bytes(
        f"DKIM-Signature: {OF_SES}\r\n"
        f"DKIM-Signature: v=1; a=rsa-sha256; d={signer};\r\n\th={covered};\r\n\tbh=QQ==; b=QUJD\r\n"
        "From: =?utf-8?q?The_Shop?= <news@Shop.example>\r\n"
        f"List-Unsubscribe: {uri}\r\nList-Unsubscribe-Post: {post}\r\n\r\nSecret text\r\n".encode()
    )
    return file


@each(
    ("changed", "subject", "said"),
    [
        ({}, None, ""),
        ({"signer": "example"}, None, ""),
        ({"covered": "From:List-Unsubscribe"}, "signature", "list-unsubscribe-post"),
        ({"covered": "From:X-List-Unsubscribe"}, "signature", "list-unsubscribe"),
        ({"signer": "amazonses.com"}, "signature", "no DKIM signature of shop.example"),
        ({"signer": "op.example"}, "signature", "no DKIM signature of shop.example"),
        ({"uri": "<mailto:leave@shop.example>"}, "headers", "https"),
        ({"post": "One-Click"}, "headers", "List-Unsubscribe=One-Click"),
    ],
)
def test_a_received_mail_says_whether_one_click_is_offered(
    tmp_path: Path, changed: dict[str, str], subject: str | None, said: str
) -> None:
    found = received_mail.of_file(received(tmp_path, **changed))

    open_steps = [one for one in found if one.status is not Status.OK]
    assert [one.subject for one in open_steps] == ([subject] if subject else [])
    assert all(said in one.text and one.step for one in open_steps)
    assert "Secret" not in str(found)


def test_a_file_that_is_no_mail_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"\x00\xff")
    for path in (tmp_path / "absent.eml", empty):
        with pytest.raises(Refused, match="--mail"):
            received_mail.of_file(path)
