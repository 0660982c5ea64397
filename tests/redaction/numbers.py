"""Fictitious numbers of orders, parcels, cards and accounts, and keys; with the check digits of their kind."""

from __future__ import annotations

import base64
from random import Random

from tests.redaction.made_up import ALNUM, ANYWHERE, around, digits, in_fours

IBANS = {
    "DE": "n18", "GB": "a4n14", "FR": "n10x11n2", "ES": "n20", "IT": "a1n10x12", "NL": "a4n10", "AT": "n16",
    "BE": "n12", "PL": "n24", "CH": "n5x12", "PT": "n21", "SE": "n20", "NO": "n11", "DK": "n14", "IE": "a4n14",
    "AE": "n19", "SA": "n2x18", "TR": "n6x16",
}  # fmt: skip


def order(random: Random) -> tuple[str, str]:
    number = random.choice([
        digits(random, random.choice([4, 5, 6, 7, 8, 10]), "123456789"),
        random.choice(["SH-", "R", "WEB", "PO-", "EU-", "AB"]) + digits(random, random.choice([4, 5, 6, 9]),
        "123456789"),
        digits(random, 5, "123456789") + "-" + digits(random, 1, "123456789"),
        digits(random, 3, "123456789"),
    ])  # fmt: skip
    if number in {"2024", "2025", "2026"}:
        number = "20418"
    count = "".join(filter(str.isdecimal, number))
    mask = "***" + (count[-4:] if len(count) >= 4 else "")
    sentences = [
        "Where is order #{}?", "order {} has not arrived", "my order number is {}.", "Order no. {} please",
        "order: {}",
        "#{} still nothing", "purchase #{}", "Order ID: {}", "confirmation number {}",
        "I am asking about my order {}",
        "order number: {}, thanks", "mi pedido {} no llega", "número de pedido: {}", "Bestellung {} fehlt",
        "ORDER {}", "order_number={}", "Re: Order #{} confirmed", "it was order {}, I think", "cancel order #{} now",
        "ma commande {} svp", "orders {} and #20991",
    ]  # fmt: skip
    text, expected = around(random, sentences, number, mask)
    return text, expected.replace("#20991", "#***0991")


def s10(random: Random) -> str:
    body = digits(random, 8)
    rest = 11 - sum(int(d) * w for d, w in zip(body, (8, 6, 4, 2, 3, 5, 9, 7), strict=True)) % 11
    check = {10: "0", 11: "5"}.get(rest, str(rest))
    service = random.choice("RCELUV") + random.choice("ABCDEFGHJKLMNPRSTXYZ")
    return (
        f"{service}{body}{check}{random.choice(['GB', 'DE', 'CN', 'US', 'FR', 'SE', 'JP', 'AU'])}"
    )


def tracking(random: Random) -> tuple[str, str]:
    """Numbers whose format alone identifies the carrier."""
    usps = random.choice(["9400", "9205", "9361", "9274", "9505"]) + digits(random, 18)
    number = random.choice([
        "1Z" + "".join(random.choices(ALNUM, k=6)) + digits(random, 10),
        "1z" + "".join(random.choices(ALNUM, k=6)).lower() + digits(random, 10),
        usps, in_fours(usps), "420" + digits(random, 5) + usps, s10(random), s10(random),
        random.choice(["TBA", "TBC", "TBM"]) + digits(random, 12),
        "JJD" + digits(random, 18), "JD" + digits(random, 18), "JJD0" + digits(random, 17),
        "1LS" + digits(random, 12), "C" + digits(random, 14), "YT" + digits(random, 16), "LP" + digits(random, 14),
    ])  # fmt: skip
    return around(
        random, [*ANYWHERE, "Tracking {} shows nothing", "tracking number: {}"], number, "***"
    )


def tracking_beside_a_carrier(random: Random) -> tuple[str, str]:
    number = random.choice([
        digits(random, 12, "123456789"), digits(random, 15, "123456789"), digits(random, 10, "123456789"),
        in_fours(digits(random, 12, "123456789")), digits(random, 14, "123456789"), digits(random, 16, "123456789"),
        digits(random, 20, "12345678"),
    ])  # fmt: skip
    sentences = [
        "FedEx tracking number {} not moving", "tracking number is {}", "tracking: {}", "DHL says {} was delivered",
        "the tracking # {} is invalid", "My UPS parcel {} is late", "{} is my FedEx number", "USPS {}",
        "Tracking id {}, please check", "waybill {} from DHL", "Canada Post {} stuck", "tracking no. {}",
        "DPD Sendungsnummer {}", "número de seguimiento: {}", "Royal Mail ref {}", "Purolator PIN {}",
    ]  # fmt: skip
    return around(random, sentences, number, "***")


def tracking_link(random: Random) -> tuple[str, str]:
    number = digits(random, 12)
    link = random.choice([
        f"https://www.fedex.com/fedextrack/?trknbr={number}",
        f"https://www.ups.com/track?tracknum=1Z999AA1{number[:10]}",
        f"https://tools.usps.com/go/TrackConfirmAction?tLabels=9400{number}{number[:6]}",
        f"ups.com/track?tracknum={number}",
        f"https://www.dhl.com/en/express/tracking.html?AWB={number}", f"www.17track.net/en#nums={number}",
        f"https://track.example.com/{number}", f"https://shop.example.com/apps/track123?nums={number}",
        f"https://t.17track.net/en#nums=LP{number}", f"https://parcelsapp.com/en/tracking/{number}",
        f"http://www.royalmail.com/track-your-item#/tracking-results/{s10(random)}",
        f"https://www.dpd.co.uk/apps/tracking/?reference={number}&postcode=SW1A1AA",
        f"https://shop.aftership.com/{number}",
    ])  # fmt: skip
    return around(
        random, ["{}", "see {} please", "The link {} is dead.", "({})", "<{}>"], link, "***"
    )


def luhn(body: str) -> str:
    total = sum(
        d if position % 2 else d * 2 - 9 * (d > 4)
        for position, d in enumerate(map(int, reversed(body)))
    )
    return body + str(-total % 10)


def card(random: Random) -> tuple[str, str]:
    prefix, length = random.choice([
        ("4", 16), ("4", 16), ("4", 13), ("51", 16), ("55", 16), ("2221", 16), ("34", 15), ("37", 15), ("36", 14),
        ("6011", 16), ("65", 16), ("3530", 16), ("62", 16), ("62", 19), ("5018", 16),
    ])  # fmt: skip
    number = luhn(prefix + digits(random, length - 1 - len(prefix)))
    is_amex = length == 15
    grouped = f"{number[:4]} {number[4:10]} {number[10:]}" if is_amex else in_fours(number)
    written = random.choice([number, grouped, grouped.replace(" ", "-")])
    sentences = [
        *ANYWHERE,
        "my card {} exp 09/27",
        "Visa {} was charged twice",
        "card number: {}",
        "amex {} declined",
    ]
    return around(random, sentences, written, "***")


def account(random: Random) -> tuple[str, str]:
    country, layout = random.choice(list(IBANS.items()))
    body = ""
    for kind, count in zip(
        filter(str.isalpha, layout),
        map(int, "".join(c if c.isdigit() else " " for c in layout).split()),
        strict=True,
    ):
        letters = {"n": "0123456789", "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "x": ALNUM}[kind]
        body += "".join(random.choices(letters, k=count))
    turned = "".join(str(int(c, 36)) for c in body + country + "00")
    number = f"{country}{98 - int(turned) % 97:02d}{body}"
    written = random.choice([number, in_fours(number), in_fours(number), number.lower()])
    return around(
        random,
        [*ANYWHERE, "IBAN: {}", "refund to {} please", "my account {} at the bank"],
        written,
        "***",
    )


def token(random: Random) -> tuple[str, str]:
    def letters(
        count: int, of: str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    ) -> str:
        return "".join(random.choices(of, k=count))

    def jwt_part(count: int) -> str:
        return base64.urlsafe_b64encode(random.randbytes(count)).decode().rstrip("=")

    written, before = random.choice([
        ("EAA" + letters(40), ""), ("sk-" + letters(32), ""), ("sk-proj-" + letters(40), ""), ("AKIA" + letters(16,
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), ""),
        ("pk_" + letters(8) + "_" + letters(32), ""), ("shpat_" + letters(32, "0123456789abcdef"), ""),
        ("ghp_" + letters(36), ""),
        ("xoxb-" + digits(random, 11) + "-" + letters(24), ""),
        ("eyJ" + jwt_part(20) + "." + jwt_part(40) + "." + jwt_part(32), ""),
        ("sha256=" + letters(64, "0123456789abcdef"), ""), (letters(24) + ".5", "Bearer "), (letters(24) + "==",
        "Basic "),
        (letters(12) + "9", "password: "), (letters(16) + "1", "api_key="), (letters(20) + "7", "x-richpanel-key: "),
        (letters(10) + "3", "my password is "),
        ("sk_live_" + letters(24), ""), ("AIza" + letters(35), ""), ("AC" + letters(32, "0123456789abcdef"), ""),
    ])  # fmt: skip
    sentence = random.choice(["{}", "Authorization {} sent", "here: {} ok", "config {}\nend"])
    return sentence.replace("{}", before + written), sentence.replace("{}", before + "***")
