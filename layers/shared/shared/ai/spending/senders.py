"""The hash under which the costs of one person's messages are counted."""

from shared.identity import addresses
from shared.identity.keyed_hashes import keyed_hash


def sender_hash(company: str, address: str) -> str:
    """
    Return the hash of a normalised address. All labels (`name+label@host`) of a mailbox have the same one, and all
    spellings of a number.

    Raises KeysUnreadable and NotConfigured.
    """
    name, at, host = addresses.normal_form(address).rpartition("@")
    return keyed_hash("spending", company, f"{name.partition('+')[0]}{at}{host}")
