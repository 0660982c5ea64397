"""The hash under which the costs of one person's messages are counted."""

from shared.identity.keyed_hashes import keyed_hash


def sender_hash(company: str, address: str) -> str:
    """
    Return the hash of a normalised address; all labels (`name+label@host`) of a mailbox have the same one.

    Raises KeysUnreadable and NotConfigured.
    """
    name, at, host = address.rpartition("@")
    return keyed_hash("spending", company, f"{name.partition('+')[0]}{at}{host}")
