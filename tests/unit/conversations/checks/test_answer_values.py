"""Values of an answer are known if they, or the parts of a total, stand in the known texts."""

from datetime import date

from conversations.ai.checks.values.comparison import KnownTexts, unknown_values
from tests.cases import each

KNOWN = KnownTexts(
    frozenset(
        {
            "89 € a night, breakfast 7.50 €, 30 % deposit", "2026-07-20", "2026-07-24", "kl 17.30-19.00",
            "open 10-16", "closed 24/12", "+7 495 000-12-34", "ул. Садовая, 17", "checkout 11:40",
            "free until 3 days before", "a visit takes 25 minutes", "Kungsgatan 54",
            "Am Bach 3, 99084 Erfurt", "Fibre 500 £38",
        }
    ),
    date(2026, 7, 15),
)  # fmt: skip


@each(
    "text",
    [
        "356 € for four nights", "356 € in all", "96,50 € with breakfast", "26.70 € now", "62,30 € later",
        "by 24/12/2026", "4 pm", "kl. 17.30", "24 июля", "24 Temmuz", "7月24日", "на Садовой, 17", "try 2 of them",
        "breakfast at 7.50 EUR", "ab 7.50 Euro", "from 7.50 euros",
        "3 days before, so until 17 July", "3 dias antes, até 17 de julho", "25 Minuten, also bis 12:05 Uhr",
        "three days before: 17 July", "Am Bach 3", "£38", "89 € instead of £38, so 51 € more",
    ],
)  # fmt: skip
def test_values_and_totals_of_known_parts_are_known(text: str) -> None:
    assert not list(unknown_values(text, KNOWN))


@each(
    ("text", "fault"),
    [
        ("88 € a night", "unknown_amount"), ("11 € each", "unknown_amount"), ("445,01 € in all", "unknown_amount"),
        ("%20 off", "unknown_amount"), ("350 ريال", "unknown_amount"), ("٣٥٠ ريال", "unknown_amount"),
        ("620 TL", "unknown_amount"), ("25 июля", "unknown_date"), ("25 Temmuz'da", "unknown_date"),
        ("7月25日", "unknown_date"), ("kl 21", "unknown_time"), ("om 9.45", "unknown_time"),
        ("18時30分", "unknown_time"), ("ул. Марата, 14", "unknown_address"), ("Kungsgatan 55", "unknown_address"),
        ("Prinsengracht 9", "unknown_address"), ("Am Bach 13", "unknown_address"), ("51 € more", "unknown_amount"),
        ("until 17 July", "unknown_date"), ("4 days before, so until 16 July", "unknown_date"),
        ("30 minutes, so until 12:10", "unknown_time"), ("54 € more", "unknown_amount"),
    ],
)  # fmt: skip
def test_other_values_are_named_by_kind(text: str, fault: str) -> None:
    assert [str(one) for one in unknown_values(text, KNOWN)] == [fault]
