"""
JSON secrets, cached for five minutes, refreshed early at most once a minute.

The id of a secret says where it is: the ARN of a parameter is a SecureString of the parameter store, any other id a
secret of Secrets Manager. The parameter store answers 40 calls a second of an account: while it throttles, the last
value stays in use for half an hour, and the store is asked every 30 seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

from shared.aws.client_configs import PATIENT
from shared.runtime import clock
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_secretsmanager import SecretsManagerClient

CACHE_MS = 300 * clock.SECOND_MS
REFRESH_AT_MOST_EVERY_MS = 60 * clock.SECOND_MS
THROTTLED_MS = 1_800 * clock.SECOND_MS
ASKED_AGAIN_MS = 30 * clock.SECOND_MS
_MISSING = frozenset({"ResourceNotFoundException", "ParameterNotFound"})
_PARAMETER = ":parameter/"


class SecretUnreadable(Exception):
    """The secret has no value yet or is not a JSON object. The message names the secret, never its content."""


class JsonSecret:
    """
    One secret whose value is a JSON object. The client is created at the first read, not at import.

    *make_client* makes the client of Secrets Manager; a parameter has its own.
    """

    def __init__(self, make_client: Callable[[], SecretsManagerClient], secret_id: str) -> None:
        self._make_client = make_client
        self._client: SecretsManagerClient | None = None
        self._parameters: Any = None  # of the parameter store, whose types are not installed
        self._secret_id = secret_id
        self._value: dict[str, Any] | None = None
        self._read_at = 0
        self._ask_at = 0  # while the store throttles

    @property
    def name(self) -> str:
        """The name of the secret, which is not secret itself; without the account and region of an ARN."""
        return self._secret_id.rpartition(":secret:")[2].rpartition(_PARAMETER)[2]

    def value(self) -> dict[str, Any]:
        """Return a value that is at most five minutes old. Raises SecretUnreadable, or ClientError when AWS fails."""
        now_ms = clock.now_ms()
        if self._value is None or now_ms >= max(self._read_at + CACHE_MS, self._ask_at):
            try:
                self._read()
            except ClientError as error:
                throttled = error.response["Error"]["Code"] == "ThrottlingException"
                until_ms = self._read_at + THROTTLED_MS
                if not throttled or self._value is None or now_ms >= until_ms:
                    raise
                self._ask_at = min(now_ms + ASKED_AGAIN_MS, until_ms)
        assert self._value is not None  # noqa: S101 - for mypy: _read sets it or raises
        return self._value

    def refreshed(self, at_most_every_ms: int = REFRESH_AT_MOST_EVERY_MS) -> bool:
        """
        Read again because the cached value did not match; False if the last read was less than a minute ago.

        Without this limit, every request with an invalid signature would cause a paid API call. *at_most_every_ms*:
        another limit, for calls that outsiders cannot make.
        """
        if clock.now_ms() - self._read_at < at_most_every_ms:
            return False
        self._read()
        return True

    def _read(self) -> None:
        try:
            text = self._stored_text()
        except ClientError as error:
            if error.response["Error"]["Code"] in _MISSING:
                raise SecretUnreadable(f"{self.name} has no value") from None
            raise
        value = json_object(text)
        if value is None:
            raise SecretUnreadable(f"{self.name} is not a JSON object")
        self._value, self._read_at = value, clock.now_ms()

    def _stored_text(self) -> str:
        if _PARAMETER in self._secret_id:
            self._parameters = self._parameters or boto3.client("ssm", config=PATIENT)
            name = "/" + self._secret_id.rpartition(_PARAMETER)[2]
            stored = self._parameters.get_parameter(Name=name, WithDecryption=True)
            return str(stored["Parameter"]["Value"])
        self._client = self._client or self._make_client()
        current = {"SecretId": self._secret_id, "VersionStage": "AWSCURRENT"}
        return self._client.get_secret_value(**current)["SecretString"]


def texts(value: object) -> list[str]:
    """Return a secret's text or (during rotation) list of texts as a list. Other values give an empty list."""
    entries = value if isinstance(value, list) else [value]
    return [entry for entry in entries if isinstance(entry, str) and entry]
