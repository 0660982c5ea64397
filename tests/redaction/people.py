"""Fictitious phone numbers, e-mail addresses, postal addresses and names."""

from __future__ import annotations

from random import Random

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType

from tests.redaction.made_up import ANYWHERE, around, digits

CALL = [
    *ANYWHERE,
    "Call me at {} tomorrow",
    "my cell is {}",
    "Tel.: {}",
    "Reach me on {} after 5 pm",
    "phone {} or mail",
    "WhatsApp: {}",
]
GIVEN = "ann bob chen dmitri elena fatima goran hana ivan jose kim lars maria nils olga priya ravi sofia tomas uma"
FAMILY = "lee smith garcia muller novak okafor rossi silva tanaka nguyen kowalski haddad jensen byrne costa"
HOSTS = [
    "example.com", "example.co.uk", "mail.example.org", "beispiel.de", "shop.example.io", "exämple.fr",
    "example.xn--p1ai", "sub.a-b.example.museum",
]  # fmt: skip
REGIONS = """
    US CA GB IE AU NZ DE AT CH FR BE NL LU ES PT IT GR SE NO DK FI PL CZ HU RO BG HR TR IL AE SA EG ZA NG KE IN PK BD LK
    CN HK TW JP KR SG MY TH VN PH ID BR AR CL CO MX PE UA RU
"""
FIRST = [
    "Ann", "John", "María", "José", "Priya", "Søren", "Zoë", "Jürgen", "Łukasz", "Fatima", "Chen", "Olga",
    "Mary-Jane", "Jean-Luc", "D'Arcy", "Aisha",
]  # fmt: skip
LAST = [
    "Smith", "O'Connor", "Müller", "García", "van der Berg", "de la Cruz", "Nguyen", "Okafor", "Kowalski", "Øster",
    "Lee", "McDonald", "Şahin", "St. John",
]  # fmt: skip


def email(random: Random) -> tuple[str, str]:
    given, family = random.choice(GIVEN.split()), random.choice(FAMILY.split())
    local = random.choice([
        f"{given}.{family}", f"{given}{digits(random, 2)}", f"{given[0]}{family}", f"{given}+shop",
        f"{given}_{family}",
        f"{given}-{family}", f"{family}.{digits(random, 4)}", f"o'{family}", f"{given}.{family}.{digits(random, 1)}",
        given.upper(), f"jürgen.{family}", f"x{digits(random, 12)}",
    ])  # fmt: skip
    host = random.choice(HOSTS)
    address = f"{local}@{host}"
    hidden = random.random()
    if hidden < 0.08:
        address = f"{local} (at) {host}"
    elif hidden < 0.12:
        address = f"{local}[at]{host.replace('.', '[dot]')}"
    sentences = [*ANYWHERE, "mailto:{}", "Contact: {}", "<{}>", "my mail is {} ok?", "email={}&x=1"]
    return around(random, sentences, address, "***@***")


def number_of(random: Random, region: str) -> phonenumbers.PhoneNumber | None:
    """A valid layout of a country with other last digits; None if the result is not a possible number."""
    kind = random.choice([PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE])
    example = phonenumbers.example_number_for_type(region, kind)
    if example is None or example.national_number is None:
        return None
    text = str(example.national_number)
    changed = phonenumbers.PhoneNumber(
        country_code=example.country_code,
        national_number=int(text[:-5] + digits(random, 5)),
        italian_leading_zero=example.italian_leading_zero,
        number_of_leading_zeros=example.number_of_leading_zeros,
    )
    return changed if phonenumbers.is_valid_number(changed) else None


def phone_written(random: Random, form: int) -> str:
    while True:
        number = number_of(random, random.choice(REGIONS.split()))
        if number is not None:
            return phonenumbers.format_number(number, form)


def masked_phone(written: str) -> str:
    return "***-***-" + "".join(filter(str.isdecimal, written))[-4:]


def phone_international(random: Random) -> tuple[str, str]:
    form = random.choice([PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.E164])
    written = phone_written(random, form)
    written = random.choice(
        [written, written, written.replace(" ", "-"), written.replace("+", "00", 1)]
    )
    return around(random, CALL, written, masked_phone(written))


def phone_national(random: Random) -> tuple[str, str]:
    """In national format beside a word for a telephone, since eight digits alone are ambiguous."""
    written = phone_written(random, PhoneNumberFormat.NATIONAL)
    said = [sentence for sentence in CALL if sentence not in ANYWHERE]
    return around(random, said, written, masked_phone(written))


def phone_american(random: Random) -> tuple[str, str]:
    area, office, line = (
        digits(random, 3, "23456789"),
        digits(random, 3, "23456789"),
        digits(random, 4),
    )
    layout = random.choice([
        "({}) {}-{}", "{}-{}-{}", "{}.{}.{}", "{} {} {}", "1-{}-{}-{}", "+1 {} {} {}", "({}){}-{}", "{}{}{}",
        "+1({}){}-{}", "1 ({}) {}-{}", "{}-{}{}",
    ])  # fmt: skip
    written = layout.format(area, office, line)
    return around(random, CALL, written, f"***-***-{line}")


def address(random: Random) -> tuple[str, str]:
    house = str(random.randint(1, 2999))

    def n(count: int) -> str:
        return digits(random, count, "123456789")

    street = random.choice(
        [
            "Maple",
            "Oak Hill",
            "Elm",
            "St. James",
            "Lincoln",
            "5th",
            "Martin Luther King",
            "Old Mill",
        ]
    )
    kind = random.choice(
        [
            "Street",
            "St",
            "St.",
            "Avenue",
            "Ave",
            "Road",
            "Rd",
            "Blvd",
            "Lane",
            "Drive",
            "Court",
            "Way",
            "Terrace",
        ]
    )
    city = random.choice(["Springfield", "San Jose", "Portland", "Salem", "St. Louis"])
    state = random.choice(["IL", "CA", "OR", "NY", "TX"])
    unit = random.choice(["", "", ", Apt 4B", " Apt. 12", ", Suite 300", ", Unit 7"])
    american = f"{house} {street} {kind}{unit}, {city}, {state} {n(5)}{random.choice(['', '', '-' + n(4)])}"
    written = random.choice([
        american, american, american.replace(", " + city, "\n" + city),
        f"{house} N {street} {kind}, {city} {state} {n(5)}",
        f"{house} Baker Street, London {random.choice(['NW1 6XE', 'SW1A 1AA', 'M1 1AE', 'EC1A 1BB'])}",
        f"{house}B High Street, Leeds LS{random.randint(1, 9)} {random.randint(1, 9)}AB",
        f"Hauptstraße {random.randint(1, 200)}, {n(5)} Berlin", f"Lindenweg {random.randint(1, 99)}a, {n(5)} Köln",
        f"Bahnhofstr. {random.randint(1, 99)}\n{n(5)} München",
        f"Mariahilfer Straße {random.randint(1, 99)}, {n(4)} Wien",
        f"{random.randint(1, 99)} rue de la Paix, {n(5)} Paris",
        f"{random.randint(1, 99)} avenue Victor Hugo, {n(5)} Lyon",
        f"Calle de Alcalá {random.randint(1, 99)}, {n(5)} Madrid",
        f"Avenida Libertad {random.randint(1, 99)}, {n(5)} Murcia",
        f"Via Roma {random.randint(1, 99)}, {n(5)} Milano",
        f"Piazza Garibaldi {random.randint(1, 99)}, {n(5)} Napoli",
        f"Damstraat {random.randint(1, 99)}, {n(4)} JM Amsterdam",
        f"Storgatan {random.randint(1, 99)}, {n(3)} {n(2)} Stockholm",
        f"{house} King Street West, Toronto, ON M5V {random.randint(1, 9)}T6",
        f"{random.randint(1, 99)} George Street, Sydney NSW {n(4)}",
        f"ul. Marszałkowska {random.randint(1, 99)}, {n(2)}-{n(3)} Warszawa",
        f"Rua das Flores {random.randint(1, 99)}, {n(5)}-{n(3)} São Paulo",
        f"{random.randint(1, 99)} MG Road, Bengaluru {n(6)}",
        f"PO Box {n(4)}, {city}, {state} {n(5)}",
    ])  # fmt: skip
    sentences = [
        "{}",
        "Please ship to {}.",
        "My address is {}",
        "I moved to {}\nThanks",
        "Send it to: {}, thanks",
        "old: {}",
    ]
    return around(random, sentences, written, "***")


def name(random: Random) -> tuple[str, str]:
    first, last = random.choice(FIRST), random.choice(LAST)
    written = random.choice(
        [first, f"{first} {last}", f"{first} {last}", f"{first} {last[0].upper()}."]
    )
    is_short = written.endswith(".")
    sentences = [
        "My name is {} and I bought a lamp", "Hello, I'm {}, a customer of yours", "I am {} and my lamp broke",
        "Hi, this is {} from Leeds", "This is {} again", "my name's {}, hello", "Name: {}\nwhere is it?",
        "me llamo {} y no llega", "Mi nombre es {}, gracias", "Ich heiße {} und warte",
        "je m'appelle {} et j'attends",
    ]  # fmt: skip
    signed = [
        "Where is it?\n\nBest regards,\n{}", "Please help.\nThanks,\n{}", "Thank you,\n{}",
        "Still waiting\n\nSincerely,\n{}",
        "It broke.\nKind regards\n{}", "Cheers, {}", "Thanks, {}", "Saludos,\n{}", "Mit freundlichen Grüßen\n{}",
        "Best,\n{}", "Regards,\n{}\n\nSent from my phone", "Thanks!\n{}", "Yours truly,\n{}",
    ]  # fmt: skip
    return around(random, sentences if is_short else [*sentences, *signed], written, "***")
