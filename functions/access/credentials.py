"""Descriptions of refused credentials, for all kinds."""


class CredentialsRefused(Exception):
    """
    The call has no valid credentials.

    *reason* (words joined by underscores) and *kind*, which names the credentials, are for logs, not for the caller.
    """

    kind = "none"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
