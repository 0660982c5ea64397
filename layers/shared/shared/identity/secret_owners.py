"""
Decides which company a secret or an access token belongs to, from its name alone, without a table lookup.

    secret of AWS Secrets Manager                 parley/<stage>/companies/<company>/<name>
    key in the secret of WhatsApp access tokens   <company>, or <company>/<name>

Company ids contain no slash, so no company's names are a prefix of another's. ARNs are refused, since they are a second
name for the same secret.
"""

import re

_COMPANY = r"[A-Za-z0-9._-]{1,64}"
_SECRET = re.compile(
    rf"parley/[A-Za-z0-9-]{{1,64}}/companies/({_COMPANY})/([A-Za-z0-9_+=.@-]{{1,256}})"
)
_TOKEN = re.compile(rf"({_COMPANY})(?:/[A-Za-z0-9._-]{{1,64}})?")
SECRET_RULE = "must be named parley/<stage>/companies/<company_id>/<name>"  # noqa: S105 - a rule
TOKEN_RULE = "must be <company>, or <company>/<name>"  # noqa: S105 - a rule


def owns_secret(company: str, name: str) -> bool:
    """Whether the secret with this name belongs to the company."""
    owner = company_and_name(name)
    return owner is not None and owner[0] == company


def company_and_name(secret: str) -> tuple[str, str] | None:
    """Return the company of a secret and the last part of its name; None for a secret of no company."""
    match = _SECRET.fullmatch(secret)
    return (match[1], match[2]) if match else None


def owns_token(company: str, name: str) -> bool:
    """Whether the access token with this name belongs to the company."""
    match = _TOKEN.fullmatch(name)
    return match is not None and match[1] == company
