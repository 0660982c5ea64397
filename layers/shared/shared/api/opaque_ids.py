"""Opaque texts for URLs: encrypted, authenticated and bound to a context of use."""

from __future__ import annotations

import base64
import binascii
import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.aws.secrets import JsonSecret, SecretUnreadable, texts

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV


class NotOurs(Exception):
    """The text was not sealed by this deployment for this use, or was altered."""


@dataclass(frozen=True)
class Seal:
    """
    Seals texts with AES-SIV (RFC 5297). Deterministic: the same text gives the same seal, so a sealed key is a stable
    id.

    *secret* is any high-entropy text; the key is derived from it. *older* secrets are used only to open existing seals
    during rotation.
    """

    secret: str
    older: tuple[str, ...] = ()

    def seal(self, text: str, *, bound_to: str) -> str:
        """Encrypt and authenticate *text*; the result needs no URL escaping."""
        return _as_text(_cipher(self.secret).encrypt(text.encode(), [bound_to.encode()]))

    def open(self, sealed: str, *, bound_to: str) -> str:
        """Return the text that `seal` encrypted. Raises NotOurs for any text not sealed with the same *bound_to*."""
        try:
            raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise NotOurs("the seal is invalid or made for another use") from None
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - few calls have an opaque text

        # Accept one spelling per seal: base64 has spare bits at its end, and Python decodes `+` and `/` beside the
        # URL-safe characters.
        if _as_text(raw) == sealed:
            for secret in (self.secret, *self.older):
                with suppress(InvalidTag, ValueError):
                    return _cipher(secret).decrypt(raw, [bound_to.encode()]).decode()
        raise NotOurs("the seal is invalid or made for another use")


def seal_of(secret: JsonSecret) -> Seal:
    """
    Build the seal from a secret with `seal_key`: a text, or during rotation a list with the newest first.

    Raises SecretUnreadable.
    """
    keys = texts(secret.value().get("seal_key"))
    if not keys:
        raise SecretUnreadable("the seal secret has no seal_key")
    return Seal(keys[0], tuple(keys[1:]))


def _as_text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _cipher(secret: str) -> AESSIV:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415 - few calls have an opaque text

    return AESSIV(hashlib.sha512(secret.encode()).digest())
