"""Fetching customers' media files through Meta's Graph API."""

import base64
import hashlib

import pytest

from local.sandbox import Sandbox
from local.sandbox.accounts.media import WEBHOOK_MEDIA
from tests.integration.sandbox.client import GRAPH_NUMBER, Client

JPEG = "1003383421387256"
FIRST_BYTES = {
    "1003383421387256": b"\xff\xd8\xff",
    "1003383421387257": b"\x89PNG\r\n\x1a\n",
    "1003383421387258": b"%PDF-",
    "1003383421387259": b"OggS",
    "1003383421387260": b"\0\0\0\x1cftyp",
    "1003383421387261": b"RIFF\x14\0\0\0WEBP",
    "1003383421387262": b"MZ",
    "1003383421387263": b"\xff\xd8\xff",
}


def test_a_listing_has_the_type_size_and_digest_of_the_file(
    client: Client, sandbox: Sandbox
) -> None:
    listing = client.get(f"/v23.0/{JPEG}?phone_number_id={GRAPH_NUMBER}").json()

    assert listing.pop("url").startswith(sandbox.url + "/")
    assert listing == {
        "messaging_product": "whatsapp",
        "mime_type": "image/jpeg",
        "sha256": "eabd11d3fd11bb2469661b827ec4e75724bccbb586e63f9c457b2707d26891b3",
        "file_size": 159,
        "id": JPEG,
    }


@pytest.mark.parametrize(("media_id", "first_bytes"), FIRST_BYTES.items())
def test_the_url_in_a_listing_returns_the_file(
    client: Client, media_id: str, first_bytes: bytes
) -> None:
    listing = client.get(f"/v23.0/{media_id}").json()

    reply = client.get(listing["url"])

    assert reply.status == 200
    assert reply.headers["content-type"] == listing["mime_type"]
    assert len(reply.content) == listing["file_size"]
    assert reply.content.startswith(first_bytes)


@pytest.mark.parametrize("media_id", sorted(FIRST_BYTES.keys() - {"1003383421387263"}))
def test_the_digest_of_a_file_is_the_one_that_webhook_and_listing_name(
    client: Client, media_id: str
) -> None:
    listing = client.get(f"/v23.0/{media_id}").json()

    digest = hashlib.sha256(client.get(listing["url"]).content)

    assert listing["sha256"] == digest.hexdigest()
    assert WEBHOOK_MEDIA[media_id].sha256 == base64.b64encode(digest.digest()).decode()


def test_one_file_does_not_match_its_stated_digest(client: Client) -> None:
    listing = client.get("/v23.0/1003383421387263").json()

    digest = hashlib.sha256(client.get(listing["url"]).content)

    assert listing["sha256"] != digest.hexdigest()
    assert bytes.fromhex(listing["sha256"]) == base64.b64decode(
        WEBHOOK_MEDIA["1003383421387263"].sha256
    )


def test_deleted_media_is_a_404(client: Client, sandbox: Sandbox) -> None:
    reply = client.get("/v23.0/1003383421387264")

    assert (reply.status, reply.json()["error"]["code"]) == (404, 100)
    assert sandbox.sent == []


@pytest.mark.parametrize(
    "path",
    ["/v23.0/999", f"/v23.0/{JPEG}?phone_number_id=999"],
    ids=["unknown media", "unknown number"],
)
def test_unknown_media_or_an_unknown_number_is_refused(
    client: Client, sandbox: Sandbox, path: str
) -> None:
    reply = client.get(path)

    error = reply.json()["error"]
    assert (reply.status, error["code"], error["error_subcode"]) == (400, 100, 33)
    assert sandbox.sent == []


def test_a_listing_needs_a_token_and_a_version(client: Client) -> None:
    assert client.get(f"/v23.0/{JPEG}", authorization=None).status == 401
    assert client.get(f"/23/{JPEG}").json()["error"]["code"] == 2500


def test_a_download_needs_a_token(client: Client, sandbox: Sandbox) -> None:
    url = client.get(f"/v23.0/{JPEG}").json()["url"]
    sandbox.forget_sent()

    reply = client.get(url, authorization=None)

    assert (reply.status, reply.json()["error"]["code"]) == (401, 190)
    assert sandbox.sent == []


def test_a_url_is_valid_for_five_minutes(client: Client, sandbox: Sandbox) -> None:
    url = client.get(f"/v23.0/{JPEG}").json()["url"]

    sandbox.clock.advance(280)
    assert client.get(url).status == 200
    sandbox.clock.advance(20)
    assert client.get(url).status == 404


@pytest.mark.parametrize(
    "change",
    [
        ("mid=1003383421387256", "mid=1003383421387257"),
        ("ext=", "ext=9"),
        ("ext=", "ext=x"),
        ("hash=", "hash=0"),
        ("hash=", "hash=%C3%A9"),
        ("&hash=", "&no="),
    ],
)
def test_a_changed_url_is_not_found(client: Client, change: tuple[str, str]) -> None:
    url = client.get(f"/v23.0/{JPEG}").json()["url"]

    assert client.get(url.replace(*change)).status == 404


def test_listing_and_download_are_recorded(client: Client, sandbox: Sandbox) -> None:
    client.get(client.get(f"/v23.0/{JPEG}?phone_number_id={GRAPH_NUMBER}").json()["url"])

    listed, downloaded = sandbox.sent
    assert listed.operation == "get_media"
    assert listed.query == {"phone_number_id": GRAPH_NUMBER}
    assert (downloaded.operation, downloaded.answer) == ("download_media", None)
