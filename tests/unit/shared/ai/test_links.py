"""Links are found as phones, browsers and mail programs find them, and only allowed hosts pass."""
# ruff: noqa: RUF001 - characters that look like others are the subject of these tests

import pytest

from shared.ai.texts.links import Link, is_allowed, links_in
from tests.cases import each

ALLOWED = frozenset({"acme.com", "*.shop.example", "www.listed.org", "bücher.de", "192.0.2.7"})

FOREIGN = [
    "https://evil.com/pay", "HTTPS://EVIL.COM", "Evil.Com", "https:evil.com", "http:/evil.com",
    "https:\\\\evil.com", "//evil.com/pay", "ftp://evil.com", "foo://evil", "javascript:alert(1)", "tel:+4420",
    "https://localhost/x",
    # Any top-level domain
    "evil.museum", "evil.it", "evil.zip", "evil.berlin", "evil.anything", "163.com", "x.com", "t.me/x",
    "a.b.evil.to", "пример.рф", "ПРИМЕР.РФ", "例え.テスト", "उदाहरण.भारत", "xn--80ak6aa92e.com",
    "evil.xn--p1ai",
    # Addresses
    "203.0.113.9", "203.0.113.9:8080/x", "http://203.0.113.9", "http://3405803785", "http://0x7f.1",
    "2001:db8::1", "[2001:db8::1]:80", "http://[2001:db8::1]/x",
    # Markdown
    "[acme.com](https://evil.com)", "[here](evil.com)", "[here](//evil)", "[here]( <https://evil.com> )",
    "[here][1]\n\n[1]: //evil", "[https://acme.com](https://evil.com)", "<https://evil>",
    # Disguises
    "https://acme.com@evil.com", "https://acme.com:x@evil.com/", "https://evil.com#@acme.com",
    "https://acme.com.evil.com", "https://acme.com\\@evil.com", "https://%65vil.com", "https://acme.com:8443",
    "https://аcme.com", "аcme.com", "ev\u200bil.com", "evil.com\u200b.shop.example", "ev\u00adil.com",
    "ev\u2060il.com", "ev\u034fil.com", "evil\uff0ecom", "evil\u3002com", "https://acme.com\u200b.evil.com",
    "evil.com.", "https://evil.com./x", "shop.example",
    # Around other text
    "see/evil.com", "请访问evil.com谢谢", "-evil.com", "@evil.com", "Wait...evil.com", "_evil.com_",
    "acme.com,evil.com", "https://acme.com|evil.com", "(evil.com)", "evil.com: pay now", "www.evil",
    "evil.com@x", "see-.evil.com", "_.evil.com",
    f"{'a' * 64}.evil.com", "x@203.0.113.9",
]  # fmt: skip


@each("text", FOREIGN)
def test_a_link_to_another_host_is_found(text: str) -> None:
    assert not all(is_allowed(link, ALLOWED) for link in links_in(f"Look: {text} now"))
    assert links_in(text)


@each(
    "text",
    [
        "https://acme.com/a.b.c?u=evil.com", "HTTPS://WWW.ACME.COM/x", "acme.com.", "https://acme.com./x",
        "https:acme.com", "[our page](https://acme.com/x_(y))", "(see acme.com)", "a.shop.example",
        "https://b.a.shop.example:443/x", "listed.org", "www.listed.org", "bücher.de", "xn--bcher-kva.de",
        "BÜCHER.DE", "192.0.2.7", "请访问acme.com谢谢", "acme.com에서", "acme.com/jobs/john.doe",
    ],
)  # fmt: skip
def test_a_link_to_an_allowed_host_passes(text: str) -> None:
    links = links_in(f"Look: {text} now")

    assert links
    assert all(is_allowed(link, ALLOWED) for link in links)


@each(
    "text",
    [
        "3.50 or £3.50/hour, 1.234,56 or 1.234.567, 3.5kg, 14.50€",
        "e.g. this, i.e. that, z.B. das, d.h. so, a.k.a.",
        "9 a.m. to 5 p.m., 10.30am, 10.30Uhr, 12:30, 10:30:45, 9.00-17.30",
        "12.11.2026, 2026-11-23, 5.Mai, am 1.April",
        "Node.js, Vue.js, D3.js, cv.pdf, photo.JPG, data.csv and v2.0.1b2",
        "B.Sc., M.Sc., Ph.D., J.Smith, U.S.A., v.Chr.",
        "S.p.A., s.r.o., e.V., S.A., d.o.o., EE.UU., p.ej., p.ex., t.ex., f.eks., m.in., TP.HCM",
        "Mon.-Fri., Jan.-Mar.", "你好。请问您什么时候可以开始？", "まだ募集中です。いつから始められますか？",
        "г.Москва, ул.Ленина, т.е.", "จ.เชียงใหม่", "د.محمد", "π.χ. αυτό", "है। मैं",
        "and/or, his/her, 24/7, w/o, km/h", "ann.doe@example.com or ann@mail.example.com", "Well... ok. Yes",
        "Ms.Taylor, Dr.Smith, Hr.Weber, Mme.Durand, Sra.López", "Rg.Nr., Kd.Nr. 4", "ASP.NET, VB.NET",
        "We are @northgate.dental, ask @ann.smith",
        "Do you have a B.Sc? Or on the 5.Mai?",
        "std::vector, C++, C#", "Note:this, Time:10:30", "Thanks.", "[1] and (2)", "version 1.2.3",
    ],
)  # fmt: skip
def test_ordinary_text_has_no_links(text: str) -> None:
    assert links_in(text) == []


@pytest.mark.parametrize("text", ["work.Please", "work.no", "@shop.com", "rg.nr", "1.2.3.4"])
def test_what_phones_may_take_for_a_link_is_one(text: str) -> None:
    assert [link.written for link in links_in(text)] == [text.removeprefix("@")]


def test_a_link_without_a_readable_host_is_never_allowed() -> None:
    assert not is_allowed(Link("tel:1", None), frozenset({"*.com", "tel:1"}))
