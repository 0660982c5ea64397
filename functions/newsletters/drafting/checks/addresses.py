"""
Addresses in a text: with a scheme, of e-mail, and bare ones such as `bad.example/x`, which mail programs make links.

A bare host must end with a known top-level domain. Those that are also words or endings of files count only with a path
or a third label, so that `setup.py` and a missing blank after a full stop stay.
"""

from __future__ import annotations

import re
from typing import Final

_GENERIC: Final = """com org net edu gov mil int info biz app dev io ai co eu news online site shop store xyz cloud blog
    agency africa asia tech page link click live top club pro mobi name test example invalid рф 中国 भारत موقع"""
_COUNTRIES: Final = """ac ad ae af ag an ao aq ar au aw ax az ba bb bd bf bg bh bi bj bm bn bo br bs bt bw bz ca
    cd cf cg ch ci ck cl cm cn cr cu cv cw cx cy cz de dj dk dm dz ec ee eg er es fi fj fk fm
    fr ga gb ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu ie il im iq ir
    je jm jo jp ke kg kh ki km kn kp kr kw ky kz lb lc li lk lr ls lt lu lv ly ma mc mg mh mk
    mm mn mo mp mq mr mt mu mv mw mx mz nc nf ng nl np nr nu nz om pa pe pf pg ph pk pn pr pt
    pw qa re ro ru rw sa sb sc sd sg si sk sl sm sn sr ss st su sv sx sy sz tc td tf tg th tj
    tk tl tm tn tr tt tv tw tz ua ug uk uy uz va vc ve vg vi vn vu wf ws ye yt zm zw"""
_WORDS: Final = """al am as at be by cc do et gd hm id in is it la me md ml my na ne ni no pl pm ps py rs se sh sj so to
    tu um us za"""
_PATH: Final = r"[\w.~:/?#\[\]@!$&'()*+,;=%|\\^{}`-]*"
_LABEL: Final = r"[^\W_](?:[\w-]{0,61}[^\W_])?"


def _any(words: str) -> str:
    return "|".join(words.split())


_ADDRESS: Final = re.compile(
    rf"""
    (?: (?<![a-z0-9])[a-z][a-z0-9+.-]{{1,30}}:// | (?<!\w)(?:mailto|javascript):(?=\S) | (?<![^\W_])www\. ) {_PATH}
    | [\w.+-]+@{_LABEL}(?:\.{_LABEL})+
    | (?<![\w@.-]) (?:
        (?:{_LABEL}\.)+ (?-i:{_any(_GENERIC)}|{_any(_COUNTRIES)}) (?![\w-]|\.[^\W_]) (?:[/?\#:](?=\S){_PATH})?
        | (?:{_LABEL}\.){{2,}} (?-i:{_any(_WORDS)}) (?![\w-]|\.[^\W_]) (?:[/?\#:](?=\S){_PATH})?
        | {_LABEL}\. (?-i:{_any(_WORDS)}) /{_PATH}
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEHIND: Final = re.compile(r"[.,;:!?)\]'*]+$")


def without_addresses(text: str) -> str:
    """Return *text* without addresses; the punctuation after one, which belongs to the sentence, stays."""
    return _ADDRESS.sub(_punctuation, text)


def _punctuation(match: re.Match[str]) -> str:
    address = match.group()
    behind = _BEHIND.search(address)
    if behind is None:
        return ""
    opened = address.count("(") - address[: behind.start()].count(")")
    return behind.group().replace(")", "", max(0, opened))  # `/maize_(crop)` ends with its own
