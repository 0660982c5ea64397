"""The files of the console as a browser gets them."""

from __future__ import annotations

import base64
import gzip
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from console.api import pages
from tests.template import environment

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = "assets/index-Ab12.js"
SECRET = "not for browsers"
LOGIN = {
    "provider": "cognito",
    "issuer": "https://cognito-idp.us-east-1.amazonaws.com/pool",
    "client_id": "client-1",
    "audience": "",
    "groups_claim": "cognito:groups",
    "keys_url": "https://cognito-idp.us-east-1.amazonaws.com/pool/.well-known/jwks.json",
    "authorize_url": "https://login.example.com/oauth2/authorize",
    "token_url": "https://login.example.com/oauth2/token",
    "logout_url": "https://login.example.com/logout",
    "revoke_url": "https://login.example.com/oauth2/revoke",
    "other_clients": "",
    "machine_clients": "till",
}
ADDRESSES = {
    "LIVE_URL": "wss://live.example.com/dev",
    "UPLOAD_ORIGIN": "https://files.example.com",
    "PREVIEW_ORIGIN": "https://newsletters.example.com",
}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A layer with a page and a script; a file that does not belong to it lies beside."""
    folder = tmp_path / "layer" / pages.PACKAGE
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><p>Größe</p>")
    (folder / SCRIPT).write_text("let x = 1;")
    (folder / f"{SCRIPT}.gz").write_bytes(gzip.compress(b"let x = 1;", mtime=0))
    (folder / f"{SCRIPT}.br").write_bytes(b"brotli of the script")
    (folder / "notes.bin").write_text(SECRET)
    (tmp_path / "layer" / "secret.txt").write_text(SECRET)
    return folder


@pytest.fixture
def assets(built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(built.parent))
    for name, value in (environment("Console") | ADDRESSES).items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        boto3.client("ssm").put_parameter(
            Name=environment("Console")["LOGIN_SETTINGS_NAME"],
            Value=json.dumps(LOGIN),
            Type="String",
        )
        yield importlib.reload(importlib.import_module("console.handlers.assets"))
    sys.modules.pop(pages.PACKAGE, None)


def get(assets: ModuleType, path: str | None = None, **headers: str) -> dict[str, Any]:
    """Request /console, or a file below it; a header's name has `_` for each `-`."""
    sent = {"Accept": "*/*"} | {name.replace("_", "-"): text for name, text in headers.items()}
    answer: dict[str, Any] = assets.handler(
        {
            "resource": "/console" if path is None else "/console/{proxy+}",
            "path": "/console" if path is None else f"/console/{path}",
            "httpMethod": "GET",
            "headers": sent,
            "multiValueHeaders": {name: [text] for name, text in sent.items()},
            "pathParameters": None if path is None else {"proxy": path},
            "requestContext": {"requestId": "r-1"},
        },
        None,
    )
    return answer


def test_the_page_is_checked_for_a_newer_one_at_each_visit(assets: ModuleType) -> None:
    answer = get(assets)

    assert answer["statusCode"] == 200
    assert answer["body"] == "<!doctype html><p>Größe</p>"
    assert answer["headers"]["Content-Type"] == "text/html; charset=utf-8"
    assert answer["headers"]["Cache-Control"] == "no-cache"


def test_a_hashed_file_is_kept_for_a_year(assets: ModuleType) -> None:
    headers = get(assets, SCRIPT)["headers"]

    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("accepted", "encoding", "content"),
    [
        ("gzip, deflate, br, zstd", "br", b"brotli of the script"),
        ("gzip;q=1.0, br;q=0", "gzip", gzip.compress(b"let x = 1;", mtime=0)),
        ("GZIP", "gzip", gzip.compress(b"let x = 1;", mtime=0)),
        ("br;q=0.000, gzip;q=0", None, b"let x = 1;"),
        ("identity", None, b"let x = 1;"),
        ("", None, b"let x = 1;"),
    ],
)
def test_a_browser_gets_the_best_encoding_that_it_accepts(
    assets: ModuleType, accepted: str, encoding: str | None, content: bytes
) -> None:
    answer = get(assets, SCRIPT, Accept_Encoding=accepted)

    body = answer["body"]
    sent = base64.b64decode(body) if answer["isBase64Encoded"] else body.encode()
    if encoding == "gzip":
        assert gzip.decompress(sent) == b"let x = 1;"
    else:
        assert sent == content
    assert answer["headers"].get("Content-Encoding") == encoding


def test_a_client_without_an_accept_header_gets_text(assets: ModuleType) -> None:
    """API Gateway would pass it the base64."""
    answer = get(assets, SCRIPT, Accept="", Accept_Encoding="gzip, br")

    assert (answer["body"], answer["isBase64Encoded"]) == ("let x = 1;", False)


def test_a_page_that_has_not_changed_is_not_sent_again(assets: ModuleType) -> None:
    first = get(assets)
    again = get(assets, If_None_Match=f"W/{first['headers']['ETag']}")
    other = get(assets, If_None_Match='"something-else"')

    assert (again["statusCode"], again["body"]) == (304, "")
    assert other["statusCode"] == 200


def test_each_encoding_of_a_file_has_a_validator_of_its_own(assets: ModuleType) -> None:
    tags = {get(assets, SCRIPT, Accept_Encoding=e)["headers"]["ETag"] for e in ("br", "gzip", "")}

    assert len(tags) == 3


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.txt", "..%2fsecret.txt", "assets/../../secret.txt", "/etc/passwd"),
        *("....//secret.txt", "assets\\..\\..\\secret.txt", "\x00", "notes.bin", "assets"),
        *("index.html", f"{SCRIPT}.gz", "inbox/abc", "assets/index-0000.js", "assets/"),
    ],
)
def test_no_path_reaches_another_file(assets: ModuleType, path: str) -> None:
    answer = get(assets, path)

    assert answer["statusCode"] == 404
    assert answer["body"] == "there is no such page\n"
    assert answer["headers"]["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", [None, SCRIPT, "config.json", "no-such-page"])
def test_every_answer_forbids_foreign_scripts_frames_and_types(
    assets: ModuleType, path: str | None
) -> None:
    headers = get(assets, path)["headers"]
    policy = dict(
        part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
    )

    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' https: blob: data:",
        "media-src": "'self' https: blob:",
        "connect-src": "'self' https://files.example.com https://login.example.com wss://live.example.com",
        "frame-src": "https://newsletters.example.com",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "push-worker",
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_the_page_learns_where_to_sign_in(assets: ModuleType) -> None:
    answer = get(assets, "config.json")

    assert answer["headers"]["Cache-Control"] == "no-store"
    assert json.loads(answer["body"]) == {
        "apiUrl": "..",
        "login": {
            "provider": "cognito",
            "authorizeUrl": "https://login.example.com/oauth2/authorize",
            "tokenUrl": "https://login.example.com/oauth2/token",
            "logoutUrl": "https://login.example.com/logout",
            "revokeUrl": "https://login.example.com/oauth2/revoke",
            "clientId": "client-1",
            "scopes": "openid email profile",
            "groupsClaim": "cognito:groups",
        },
        "liveUrl": "wss://live.example.com/dev",
        "stage": "dev",
    }


def test_pages_are_served_while_the_settings_of_the_login_cannot_be_read(
    assets: ModuleType,
) -> None:
    boto3.client("ssm").delete_parameter(Name=environment("Console")["LOGIN_SETTINGS_NAME"])

    assert get(assets)["statusCode"] == 200
    assert json.loads(get(assets, "config.json")["body"])["login"] is None
    assert "login.example.com" not in get(assets)["headers"]["Content-Security-Policy"]


def test_an_address_with_a_slash_at_its_end_leads_to_the_page(assets: ModuleType) -> None:
    """Relative addresses of the page would name other files there."""
    answer = get(assets, "")

    assert (answer["statusCode"], answer["headers"]["Location"]) == (308, "../console")


def test_a_layer_without_pages_names_the_command_that_builds_them(
    assets: ModuleType, built: Path
) -> None:
    (built / "index.html").unlink()

    with pytest.raises(pages.NotBuilt, match="make build"):
        get(assets)
    with pytest.raises(pages.NotBuilt, match="make build"):
        pages.load("no_such_layer")
