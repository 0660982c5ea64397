"""Tracking links of customers."""

from richpanel.decisions.shipping.carriers import tracking_link
from tests.cases import each

UPS = "https://www.ups.com/track?tracknum="
USPS = "https://tools.usps.com/go/TrackConfirmAction?tLabels="
FEDEX = "https://www.fedex.com/fedextrack/?trknbr="


@each(
    ("company", "number", "link"),
    [
        ("UPS", "1Z999", UPS + "1Z999"),
        ("ups_ground", "1Z999", UPS + "1Z999"),
        ("United Parcel Service", "1Z999", UPS + "1Z999"),
        ("USPS", "9400", USPS + "9400"),
        ("usps priority via UPS", "9400", USPS + "9400"),
        ("United States Postal Service", "9400", USPS + "9400"),
        ("U.S.P.S.", "9400", USPS + "9400"),
        ("FedEx", "7777", FEDEX + "7777"),
        ("Federal Express", "7777", FEDEX + "7777"),
        ("UPS", " 1Z/9&x=1#?é ", UPS + "1Z%2F9%26x%3D1%23%3F%C3%A9"),
        ("DHL", "123", None),
        ("Groups courier", "123", None),  # whole words only
        (None, "1Z999", None),
        ("UPS", None, None),
        ("UPS", "", None),
    ],
)
def test_a_known_carriers_link_is_built_from_the_number(
    company: str | None, number: str | None, link: str | None
) -> None:
    assert tracking_link(url=None, number=number, company=company) == link


def test_the_providers_link_is_used_on_a_listed_host() -> None:
    url = "https://track.shop.example/p/1?x=1&y=2"

    assert tracking_link(url=url, number="1", company="UPS", hosts={"track.shop.example"}) == url


@each(
    "url",
    [
        "http://www.ups.com/track?tracknum=1",
        "https://ups.com.evil.example/track",
        "https://evil.example/www.ups.com",
        "https://www.ups.com@evil.example/",
        "https://user:pw@www.ups.com/",
        "https://www.ups.com:8443/",
        "https://www.ups.com:bad/",
        "https://www.ups.com/a b",
        "https://www.ups.com/\nX",
        "https://www.ups.com\\@evil.example/",
        'https://www.ups.com/"onclick=',
        "https://[www.ups.com/",
        "//www.ups.com/",
        "javascript:alert(1)",
        "",
    ],
)
def test_another_link_is_replaced_by_the_carriers_own(url: str) -> None:
    assert tracking_link(url=url, number="1Z9", company="UPS") == UPS + "1Z9"
    assert tracking_link(url=url, number=None, company=None) is None
