"""
Tokens find the contacts of a company: words of names, ends of phone numbers and beginnings of addresses, as keyed
hashes.

    word      each word of the name, without accents                doe
    digits    the last six digits of a phone number                 900101
              and all of a shorter national number                  22123
    start     the first 3 and 8 characters of an address            ann, ann.doe@
    signed    an address in a signature of the person, whole          ann@work.example
    id        an external id or user id, with and without its
              system or portfolio                                   shop:c-1001, c-1001
    label, owner, attribute                                         vip, team:night, tier=gold

A token leads to one item per contact that has it, so a search reads as much in a company of 100 contacts as in one of
100,000. A search that knows more than a token says, such as a whole number, compares what the contacts' conversations
show.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from shared.identity import keyed_hashes
from shared.identity.addresses import national_number
from shared.identity.contacts.items import Found
from shared.identity.contacts.words import contracted, folded, words_of
from shared.identity.identifiers import IdentifierKind, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table
    from shared.identity.identifiers import Identifier

DIGITS: Final = 6
FEWEST_DIGITS: Final = 4  # of the shortest national numbers
STARTS: Final = (3, 8)  # each is a write when an address is new
MOST_WORDS: Final = 8  # of a name: each is a write when a contact is made
HASH_CHARACTERS: Final = 26  # base32: 130 bits


class TokenKind(StrEnum):
    """The kinds of tokens."""

    WORD = "word"
    DIGITS = "digits"
    START = "start"
    ID = "id"
    SIGNED = "signed"
    LABEL = "label"
    OWNER = "owner"
    ATTRIBUTE = "attribute"


type Token = tuple[TokenKind, str]


def of_name(name: str | None) -> list[Token]:
    """Return the tokens of a person's name."""
    return [(TokenKind.WORD, word) for word in words_of(name or "")[:MOST_WORDS]]


def of_identifier(identifier: Identifier) -> list[Token]:
    """Return the tokens of an identifier."""
    value = folded(identifier.value)
    if identifier.kind is IdentifierKind.PHONE:
        national = national_number(number_of(identifier))
        ends = (number_of(identifier)[-DIGITS:], *([national] if len(national) < DIGITS else []))
        return [(TokenKind.DIGITS, end) for end in ends]
    if identifier.kind is IdentifierKind.EMAIL:
        return [(TokenKind.START, value[:length]) for length in STARTS if len(value) >= length]
    return [(TokenKind.ID, value), (TokenKind.ID, value.partition(":")[2])]


def of_id(text: str) -> Token:
    """Return the token that every contact has with *text* as its external id or user id."""
    return (TokenKind.ID, folded(text))


def of_signed(addresses: Iterable[Identifier]) -> list[Token]:
    """Return the tokens of the addresses in a signature of a person; no search has them."""
    return [(TokenKind.SIGNED, folded(one.value)) for one in addresses]


def of_label(label: str) -> Token:
    """Return the token of a label, which is compared as it is."""
    return (TokenKind.LABEL, label)


def of_owner(owner: str) -> Token:
    """Return the token of the owner of a contact."""
    return (TokenKind.OWNER, owner)


def of_attribute(name: str, value: str) -> Token:
    """Return the token of a value of a filterable attribute."""
    return (TokenKind.ATTRIBUTE, f"{name}={value}")


def of_number(digits: str) -> list[Token]:
    """
    Return the token that every contact has whose number ends with *digits*, of fewer than six whose whole national
    number they are; none for fewer than four.
    """
    return [(TokenKind.DIGITS, digits[-DIGITS:])] if len(digits) >= FEWEST_DIGITS else []


def of_text(text: str) -> list[Token]:
    """Return tokens: each contact has one of them that has *text* as words of its name, or as start of its address."""
    value = folded(text)
    words = sorted(words_of(text), key=len)
    start = max((length for length in STARTS if length <= len(value)), default=0)
    spellings = [one for word in words[-1:] for one in dict.fromkeys((word, contracted(word)))]
    return [
        *((TokenKind.WORD, word) for word in spellings),
        *([(TokenKind.START, value[:start])] if start else []),
    ]


def hashes(company: str, tokens: Iterable[Token]) -> set[str]:
    """Return the hashes of tokens with the write key. Raises as `keyed_hashes.all_keys`."""
    return {_hash(keyed_hashes.all_keys()[0], company, token) for token in tokens}


def partitions(company: str, tokens: Iterable[Token]) -> list[str]:
    """Return where the contacts with *tokens* are, with all keys. Raises as `keyed_hashes.all_keys`."""
    keys = keyed_hashes.all_keys()
    return [Found.list_of(company, _hash(key, company, token)) for token in tokens for key in keys]


def write(table: Table, company: str, contact_id: str, hashed: Sequence[str]) -> None:
    """Make a contact found by tokens. Safe to repeat. Raises Transient and ClientError."""
    items = [Found.of(company, one, contact_id) for one in hashed]
    stored = {item["pk"] for item in table.get_many([item.key() for item in items])}
    for item in items:
        if item.pk not in stored:
            table.put(item.attributes())


def found(
    table: Table, partition: str, *, limit: int, after: str | None = None
) -> tuple[list[str], bool]:
    """Return ids of contacts in a partition, and whether there are more. Strongly consistent."""
    condition: ConditionBase = Key(Found.name_of("pk")).eq(partition)
    if after is not None:
        condition &= Key(Found.name_of("sk")).gt(after)
    items, last = table.query(None, condition, limit=limit)
    return [Found.read(item).sk for item in items], last is not None


def _hash(key: keyed_hashes.Key, company: str, token: Token) -> str:
    return key.base32("contact token", company, *token)[:HASH_CHARACTERS]
