"""Links and e-mail addresses."""

import re

_CARRIERS = (
    r"ups|fedex|usps|dhl|dpd|gls|hermes|evri|royalmail|parcelforce|canadapost|auspost|ontrac|lasership|purolator"
    r"|postnl|bpost|chronopost|colissimo|laposte|correos|seur|mrw|poste|posten|postnord|17track|aftership|parcelsapp"
    r"|narvar|yunexpress|yodel|tnt|aramex|sf-express|deutschepost|swisspost"
)
# With a scheme, with www, or of a carrier without either.
_URL = (
    r"(?:(?i:https?|ftp)://|(?<![\w@.-])(?i:www)\.)[^\s<>\"'`|]+"
    rf"|(?<![\w@.-])(?:[\w-]{{1,30}}\.){{0,3}}(?i:{_CARRIERS})\.[A-Za-z.]{{2,10}}/[^\s<>\"'`|]+"
)
_TRACKING = (
    rf"(?i)^(?:https?://)?(?:[^/?#]*[.])?(?:{_CARRIERS}|track|tracking|parcel|sendung)[.][^/]*[/?]"
    r"|track|trk|tlabel|sendung|shipment|parcel|colis|envio|seguimiento|awb|waybill"
)
_LONG_NUMBER = r"\d{4}"
_LONGEST_WORD = 40  # of a path segment; longer segments are keys
_END = ".,;:!?)]}*"

_EMAIL = (
    r"(?:\"[^\"\s]{1,64}\"|[\w.!#$%'+~-]{1,64})"
    r"(?:[@\uff20\ufe6b]|\s?[\[({]\s?(?i:at)\s?[\])}]\s?)"
    r"(?:[\w-]{1,63}(?:\.|\s?[\[({]\s?(?i:dot)\s?[\])}]\s?)){1,8}(?:xn--[\w-]{2,59}|[^\W\d_]{2,63})"
)
_AT = r"[@\uff20\ufe6b]|[\[({]\s?(?i:at)\s?[\])}]"
_SPELT = r"(?i)[\w.+-]{1,64} at [\w-]{1,63}(?: dot [\w-]{2,20}){1,3}"


def redact_links(text: str) -> str:
    """Return *text* without tracking links, and with all other links stripped of personal data."""
    if "/" not in text and "www." not in text.lower():
        return text
    return re.sub(_URL, _link, text)


def _link(match: re.Match[str]) -> str:
    written = match[0]
    url = written.rstrip(_END)
    end = written[len(url) :]
    if re.search(_TRACKING, url[:2_000]):
        return f"***{end}"
    path, mark, query = url.partition("?")
    return "/".join(map(_step, path.split("/"))) + (f"{mark}***" if query else mark) + end


def _step(step: str) -> str:
    """Redact a path segment: `***` if it contains a number, an address, a key, or a host's user and password."""
    if "@" in step or "%40" in step or re.search(_LONG_NUMBER, step) or len(step) > _LONGEST_WORD:
        return "***"
    return step


def redact_emails(text: str) -> str:
    """Return *text* with e-mail addresses as `***@***`, including obfuscated ones (`ann (at) example.com`)."""
    text = re.sub(_SPELT, "***@***", text) if " dot " in text.lower() else text
    return re.sub(_EMAIL, "***@***", text) if re.search(_AT, text) else text


def emails_in(text: str) -> list[str]:
    """Return the e-mail addresses in *text*, as written, including obfuscated ones."""
    spelt = re.findall(_SPELT, text) if " dot " in text.lower() else []
    return spelt + (re.findall(_EMAIL, text) if re.search(_AT, text) else [])
