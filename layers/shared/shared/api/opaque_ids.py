"""Opaque texts for URLs: encrypted and authenticated, bound to who may use them."""

import base64
import binascii
import hashlib
from contextlib import suppress
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from shared.aws.secrets import JsonSecret, SecretUnreadable, texts


class NotOurs(Exception):
    """The text was not sealed by us for this use, or was changed since."""


@dataclass(frozen=True)
class Seal:
    """
    Seals texts with AES-SIV (RFC 5297): the same text gives the same seal, so a sealed key is a stable address.

    *secret* is any high-entropy text; the key is derived from it. *older* ones open what they sealed, while the secret
    rotates.
    """

    secret: str
    older: tuple[str, ...] = ()

    def seal(self, text: str, *, bound_to: str) -> str:
        """*text*, unreadable and unchangeable, in characters that need no escaping in a URL."""
        return _as_text(_cipher(self.secret).encrypt(text.encode(), [bound_to.encode()]))

    def open(self, sealed: str, *, bound_to: str) -> str:
        """The text that `seal` took. Raises NotOurs for anything that was not sealed with the same *bound_to*."""
        try:
            raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise NotOurs("not sealed by us for this use") from None
        # One text per seal: base64 has spare bits at its end, and Python reads `+` and `/` beside the URL-safe letters.
        if _as_text(raw) == sealed:
            for secret in (self.secret, *self.older):
                with suppress(InvalidTag, ValueError):
                    return _cipher(secret).decrypt(raw, [bound_to.encode()]).decode()
        raise NotOurs("not sealed by us for this use")


def seal_of(secret: JsonSecret) -> Seal:
    """
    The seal of a secret with `seal_key`: a text, or while it rotates a list with the newest first.

    Raises SecretUnreadable.
    """
    keys = texts(secret.value().get("seal_key"))
    if not keys:
        raise SecretUnreadable("the seal secret has no seal_key")
    return Seal(keys[0], tuple(keys[1:]))


def _as_text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _cipher(secret: str) -> AESSIV:
    return AESSIV(hashlib.sha512(secret.encode()).digest())
