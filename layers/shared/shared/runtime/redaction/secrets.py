"""API keys, passwords, tokens and signatures."""

import re

# Tokens of known issuers are unmistakable; the last two patterns match by the words in front, and keep these words.
_OPENS = (
    r"-----BEGIN [A-Z ]{1,40}-----[^-]{0,8000}(?:-----END [A-Z ]{1,40}-----)?"
    r"|(?<![A-Za-z0-9_])(?:"
    r"EAA\w{16,}"  # Meta
    r"|sk-[\w-]{16,}"  # OpenAI
    r"|A[KS]IA[0-9A-Z]{12,}"  # AWS
    r"|pk_[0-9A-Za-z]{1,64}_[\w-]{16,}"  # Parley
    r"|[rsp]k_(?:live|test)_\w{16,}"  # Stripe
    r"|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{16,}"  # Shopify
    r"|(?:gh[pousr]|github_pat)_\w{16,}"
    r"|xox[abeprs]-[\w-]{10,}"  # Slack
    r"|AIza[\w-]{30,}"  # Google
    r"|(?:AC|SK)[0-9a-f]{32}(?![0-9a-f])"  # Twilio
    r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"  # JSON Web Tokens
    r"|sha(?:1|256|512)=[0-9A-Fa-f]{16,}"  # signatures of webhooks
    r")"
    r"|(?P<scheme>\b(?i:bearer|basic)\s{1,3})(?=\S{0,64}[\d=.])[\w.~+/=-]{6,}"
    r"|(?P<named>(?i:(?<![A-Za-z0-9:/])(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|contrase\u00f1a|passwort"
    r"|(?:api|access|secret|private|richpanel)[-_ ]?(?:key|token)))\"?\s{0,3}"
    r"(?:[:=]\s{0,3}|(?i:is|es|ist)\s{1,3}(?=\S{0,64}\d))\"?)(?!\*)[^\s\"',;&]{4,}"
)


def redact_tokens(text: str) -> str:
    """Return *text* without secrets; the words that introduce them stay."""
    return re.sub(_OPENS, lambda match: (match["scheme"] or match["named"] or "") + "***", text)


def tokens_in(text: str) -> list[str]:
    """Return the secrets in *text*, as written, without the words that introduce them."""
    matches = re.finditer(_OPENS, text)
    return [match[0].removeprefix(match["scheme"] or match["named"] or "") for match in matches]
