"""
Links in a text: what phones and mail programs make clickable, and the host that each opens.

A link is
- a scheme followed by `//`, `http:` and `https:` also without slashes, `//host`, and schemes that start a program, such
  as `javascript:` or `tel:`;
- the destination of a Markdown link;
- a name with dots whose last part has letters only, at least two, or begins with `xn--`: any top-level domain, of any
  script, in any case; and every name that begins with `www.`;
- an IPv4 or IPv6 address.

No link is: a number (`3.50`, `12.30`, `1.2.3`), a name with a last part of one letter or with digits (`e.g.`, `p.m.`,
`v2.0b1`), a file name whose ending is no top-level domain (`report.pdf`, `Node.js`), the abbreviations below, an
initial before a capitalised word (`B.Sc`), a day or title before one (`5.Mai`, `Dr.Smith`), `Rg.Nr`, software such as
`ASP.NET`, a handle (`@ann.smith`), and a name next to an `@`, which is part of an e-mail
address. A blank that is missing after a full stop (`work.Please`) reads as a link.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

# Marks of scripts that write vowels as marks: `\w` excludes them.
_MARKS = r"\u0300-\u036f\u064b-\u0652\u0900-\u0963\u0966-\u0df3\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e\u17b4-\u17d3"
_IN_NAMES = rf"\w{_MARKS}"
_CHARACTERS = rf"[{_IN_NAMES}.~:/?#@!$&'*+,;=%\\-]"
# Brackets belong to a link if they open in it: `[text](link)` and `(see link)` end before theirs.
_REST = rf"(?:{_CHARACTERS}|\({_CHARACTERS}*\)|\[{_CHARACTERS}*\])*"
_LINK = (
    rf"(?P<scheme>(?<![a-z0-9])(?i:https?:(?=[\w\[%/\\])|[a-z][a-z0-9+.-]{{1,30}}:[/\\]{{2}}){_REST})"
    r"|(?P<program>(?<![a-z0-9])(?i:javascript|data|vbscript|file|blob|tel|sms|smsto|callto|intent|market|whatsapp|tg"
    rf"|viber|skype|facetime|geo|sips?|itms-apps):(?=\S){_REST})"
    rf"|(?P<relative>(?<![\w:/\\])[/\\]{{2}}(?=[\w\[%]){_REST})"
    r"|\]\(\s*<?(?P<markdown>[^\s<>()]+)"
    r"|^ {0,3}\[[^\]\n]+\]:\s*<?(?P<reference>[^\s<>]+)"
    r"|(?P<ipv6>(?<![\w:.])\[?(?=[0-9a-fA-F]*:[0-9a-fA-F:]*:)(?=[a-fA-F:]*\d)[0-9a-fA-F:]{3,39}(?:\.\d{1,3}){0,3}"
    r"\]?(?!\w))"
    rf"|(?P<name>[{_IN_NAMES}.-]+)(?P<rest>(?::\d{{1,5}})?(?:[/?#]{_REST})?)"
)
_SCHEME = re.compile(r"(?i:https?):[/\\]*")
_ANY_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:(?!\d)")
_AUTHORITY = re.compile(
    r"(?P<host>\[[0-9a-f:.]+\]|[^\s/\\?#:@\[\]]+)(?::(?P<port>\d{0,5}))?(?=[/\\?#]|$)"
)
_BEHIND_A_LINK = ".,;:!?)]}*_'\u2019\u201d"
_LABEL = re.compile(rf"[^\W_](?:[{_IN_NAMES}-]{{0,61}}[^\W_{_MARKS}]|[{_MARKS}]|)[{_MARKS}]*")
# Between these letters and ASCII ones: Chinese, Japanese, Korean and Thai put no blanks around a name.
_WITHOUT_BLANKS = "\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_BOUNDARY = rf"\.{{2,}}|[_-]+\.|\.[_-]+|(?<=[{_WITHOUT_BLANKS}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_WITHOUT_BLANKS}])"
_BEHIND_LOCAL_PART = re.compile(r"@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2}")
_END_OF_LOCAL_PART = re.compile(r"[\w.!#$%'+~-]@$")
_END_OF_DOMAIN = re.compile(r"\.(?:xn--[\w-]+|[^\W\d_]{2,63})$")
_PLAIN_PORTS = {None, "", "80", "443"}
_IPV4_PARTS = 4
_LARGEST_BYTE = 255

# Endings of files, and of programs named after them, that are no top-level domains.
_FILE_ENDINGS = frozenset(
    re.findall(
        r"\w+",
        """asp aspx avi bat bmp conf cpp css csv doc docm docx dotx eml exe flac gif heic heif htm html ics ini jpeg jpg
        js json jsx key log mkv msg odp ods odt ogg pdf php png potx pps ppt pptm pptx psd rar rtf sql svg tar tif tiff
        ts tsv tsx txt vcf vue wav webm webp wma wmv xls xlsm xlsx xml yaml yml""",
    )
)
# Abbreviations that are written without blanks, in several languages.
_ABBREVIATIONS = frozenset(
    (
        "bl.a",
        "ee.uu",
        "f.eks",
        "m.fl",
        "m.in",
        "o.dyl",
        "p.ej",
        "p.es",
        "p.ex",
        "pgs.ts",
        "t.ex",
        "tp.hcm",
    )
)
_LONGEST_DAY = 2  # digits
# Names of software that end like a domain.
_SOFTWARE = frozenset(("ado.net", "asp.net", "ml.net", "vb.net"))
# Titles and abbreviations that are written before a name without a blank: `Ms.Taylor`.
_TITLES = frozenset(
    re.findall(
        r"\w+",
        """dipl dott dr fr frau hr herr ing inh jr lic mag mgr mlle mme mr mrs ms prof sig sr sra srta st ste""",
    )
)
_BEHIND_ABBREVIATIONS = frozenset(("Nr", "Nrn"))  # `Rg.Nr.`, `Kd.Nr.`
# Endings under which names next to an `@` are taken for links; with others, `@ann.smith` is a handle.
_COMMON_ENDINGS = frozenset(
    re.findall(
        r"\w+",
        """app biz click cloud com dev example info io link live me museum net news online org page pay shop site store
        support tech top travel vip website xyz zip""",
    )
)


@dataclass(frozen=True, slots=True)
class Link:
    """A link as *written*, and the *host* that it opens; None unless it is plain HTTP or HTTPS with a readable host."""

    written: str = field(repr=False)
    host: str | None


def as_read(text: str) -> str:
    """Return *text* as a phone interprets it: NFKC-normalised, without characters that have no width."""
    plain = unicodedata.normalize("NFKC", text)
    # Browsers take the ideographic full stop for a dot; between ideographs it ends a sentence.
    plain = re.sub(r"(?<=\w)[\u3002\uff61](?=[A-Za-z0-9])", ".", plain)
    return "".join(sign for sign in plain if not _is_invisible(sign))


def links_in(text: str) -> list[Link]:
    """
    Return the links in *text*.

    A character without width may join or separate: the links of both readings are returned.
    """
    joined = as_read(text)
    links = list(_links(joined))
    if any(map(_is_invisible, text)):
        links += _links(as_read("".join(" " if _is_invisible(sign) else sign for sign in text)))
    return links


def plain_host(host: str) -> str:
    """Return *host* for comparison: lower case, ASCII (Punycode), without `www.` and the dot of the root."""
    plain = unicodedata.normalize("NFKC", host).lower().strip().rstrip(".").removeprefix("www.")
    return ".".join(_ascii(label) for label in plain.split("."))


def is_allowed(link: Link, hosts: frozenset[str]) -> bool:
    """Return whether the link's host is one of *hosts*, each `name` or `*.name` (all names below it)."""
    if link.host is None:
        return False
    host, allowed = link.host, {plain_host(entry) for entry in hosts}
    above = (f"*.{host.split('.', count)[-1]}" for count in range(1, host.count(".") + 1))
    return host in allowed or not allowed.isdisjoint(above)


def _links(text: str) -> Iterator[Link]:
    # Compiled by the first text, not at a cold start: it takes milliseconds.
    position, pattern = 0, re.compile(_LINK, re.MULTILINE)
    while match := pattern.search(text, position):
        links = list(_links_of(match))
        yield from links
        # What follows a word that is no link may contain one: `and/example.com`.
        is_word = match["name"] is not None and not links
        position = match.end("name") if is_word else match.end()


def _links_of(match: re.Match[str]) -> Iterator[Link]:
    kind = match.lastgroup
    if match["name"] is not None:
        yield from _names(match)
    elif kind in {"markdown", "reference"}:
        if not match[kind].casefold().startswith("mailto:"):  # The address in it is checked as one.
            yield _link(match[kind])
    elif kind in {"program", "relative"}:
        yield Link(match[0].rstrip(_BEHIND_A_LINK), None)
    elif kind == "ipv6":
        yield from _ipv6(match["ipv6"])
    else:
        yield _link(match[0])


def _link(written: str) -> Link:
    """Read a URL as browsers do: any number of slashes, also backward ones, follows the scheme."""
    link = written.rstrip(_BEHIND_A_LINK)
    scheme = _SCHEME.match(link)
    if scheme is None and (_ANY_SCHEME.match(link) or link.startswith(("/", "\\"))):
        return Link(link, None)
    rest = link[scheme.end() :] if scheme else link
    authority = _AUTHORITY.match(rest)
    if authority is None or authority["port"] not in _PLAIN_PORTS or "\\" in link:
        return Link(link, None)
    return Link(link, _host(authority["host"]))


def _host(written: str) -> str | None:
    if written.startswith("["):
        return written.lower()
    host = plain_host(written)
    labels = host.split(".")
    return host if all(map(_LABEL.fullmatch, labels)) and host.isascii() else None


def _names(match: re.Match[str]) -> Iterator[Link]:
    """Yield the links in a run of letters, digits, dots, hyphens and underscores, with what follows it."""
    if _is_in_address(match.string, match.start("name"), match.end("name")):
        return
    # `Wait...example.com`, `see-.example.com` and `_example.com_` contain a name.
    parts = [part.strip("._-") for part in re.split(_BOUNDARY, match["name"])]
    for position, part in enumerate(parts):
        rest = match["rest"] if position == len(parts) - 1 else ""
        has_path = bool(rest.rstrip(_BEHIND_A_LINK))
        is_handle = position == 0 and not has_path and _is_handle(match, part)
        if _is_host(part, has_path=has_path) and not is_handle:
            yield _link(part + rest)


def _is_handle(match: re.Match[str], name: str) -> bool:
    """Whether the name is an account of a social network: behind an `@`, with an ending that is no common domain."""
    start, ending = match.start("name"), name.rpartition(".")[2].casefold()
    is_of_a_country = len(ending) == 2  # noqa: PLR2004 - letters
    is_common = is_of_a_country or ending in _COMMON_ENDINGS
    is_word = ending.isascii() and ending.isalpha()
    return match.string[start - 1 : start] == "@" and is_word and not is_common


def _is_in_address(text: str, start: int, end: int) -> bool:
    """Whether the run is a part of an e-mail address, which has a separate check."""
    if _BEHIND_LOCAL_PART.match(text, end):
        return True
    return bool(
        _END_OF_LOCAL_PART.search(text[:start][-2:])
        and _END_OF_DOMAIN.search(text[start:end].rstrip("._-"))
    )


def _is_host(name: str, *, has_path: bool) -> bool:
    labels: list[str] = []
    for label in name.split("."):
        if _LABEL.fullmatch(label):
            labels.append(label)
        else:
            labels.clear()
    if len(labels) <= 1:
        return False
    if all(label.isascii() and label.isdecimal() for label in labels):
        return len(labels) == _IPV4_PARTS and all(int(label) <= _LARGEST_BYTE for label in labels)
    last = labels[-1]
    if labels[0].casefold() == "www" or last.casefold().startswith("xn--"):
        return True
    is_end = len(last) >= 2 and _is_word(last) and last.casefold() not in _FILE_ENDINGS  # noqa: PLR2004 - the shortest
    return is_end and (has_path or not _is_ordinary(labels))


def _is_word(label: str) -> bool:
    return all(unicodedata.category(sign)[0] in "LM" for sign in label)


def _is_ordinary(labels: list[str]) -> bool:
    """Whether the name is an abbreviation, an initial with a name, or a day with its month."""
    if ".".join(labels).casefold() in _ABBREVIATIONS | _SOFTWARE:
        return True
    before, last = labels[-2:]
    is_capitalised = last.istitle()
    if not last.isascii():
        # Abbreviated words stand before names in many scripts, without a blank.
        return len(before) == 1 or is_capitalised
    is_day = before.isdecimal() and len(before) <= _LONGEST_DAY
    if len(labels) != 2 or not is_capitalised:  # noqa: PLR2004 - both labels
        return False
    is_abbreviated = before.casefold() in _TITLES or last in _BEHIND_ABBREVIATIONS
    return len(before) == 1 or is_day or is_abbreviated


def _ipv6(written: str) -> Iterator[Link]:
    import ipaddress  # noqa: PLC0415 - for very few texts

    try:
        address = ipaddress.IPv6Address(written.strip("[]"))
    except ValueError:
        return
    yield Link(written, f"[{address}]")


def _is_invisible(sign: str) -> bool:
    """Whether *sign* has no width: format characters, variation selectors, joiners and fillers."""
    return sign > "\x7f" and (
        unicodedata.category(sign) == "Cf"
        or sign in "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
        or "\ufe00" <= sign <= "\ufe0f"
    )


def _ascii(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()
