"""The normal form of e-mail addresses, for modules that read no headers."""

from __future__ import annotations

from shared.identity.addresses import AddressInvalid, email_address


def normal(address: str) -> str:
    """
    Return an address in lower case, with its domain in ASCII and without a final dot.

    Case folding would turn `straße.example` into another domain.
    """
    name, _, domain = address.removesuffix(".").rpartition("@")
    if not domain.isascii():
        try:
            domain = email_address(f"postmaster@{domain}").rpartition("@")[2]
        except AddressInvalid:
            return address.casefold()
    return f"{name}@{domain}".casefold()
