"""Opaque texts for URLs: encrypted and authenticated, bound to who may use them."""

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV


class NotOurs(Exception):
    """The text was not sealed by us for this use, or was changed since."""


@dataclass(frozen=True)
class Seal:
    """
    Seals texts with AES-SIV (RFC 5297): the same text gives the same seal, so a sealed key is a stable address.

    *secret* is any high-entropy text; the key is derived from it.
    """

    secret: str

    def seal(self, text: str, *, bound_to: str) -> str:
        """*text*, unreadable and unchangeable, in characters that need no escaping in a URL."""
        sealed = self._cipher().encrypt(text.encode(), [bound_to.encode()])
        return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()

    def open(self, sealed: str, *, bound_to: str) -> str:
        """The text that `seal` took. Raises NotOurs for anything that was not sealed with the same *bound_to*."""
        try:
            raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
            return self._cipher().decrypt(raw, [bound_to.encode()]).decode()
        except (binascii.Error, InvalidTag, ValueError):
            raise NotOurs("not sealed by us for this use") from None

    def _cipher(self) -> AESSIV:
        return AESSIV(hashlib.sha512(self.secret.encode()).digest())
