"""
Checks that a model's answer must pass before it is sent (spec, section 9, "Checks before T3"), one fault per check.

The rules work on text only, independent of model and provider. `tests/answers` measures them: at most 3 % of right
answers refused, at least 80 % of bad ones caught.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conversations.ai.checks.division import divided
from conversations.ai.checks.faults import Fault
from shared.ai.port import Stop
from shared.ai.texts.languages.function_words import plain_words
from shared.ai.texts.links import Link, as_read, is_allowed, links_in
from shared.ai.texts.values import has_control_character, has_placeholder
from shared.runtime.redaction.links_and_emails import emails_in
from shared.runtime.redaction.phone_numbers import phones_in
from shared.runtime.redaction.secrets import tokens_in

if TYPE_CHECKING:
    from datetime import date

    from conversations.ai.schemas.output_schema import Output
    from shared.providers.sms.segments import SmsLength

LONGEST_SUBJECT = 120
_STOPS = {Stop.LENGTH: Fault.CUT_OFF, Stop.MALFORMED: Fault.MALFORMED, Stop.OTHER: Fault.MALFORMED}
_DIGITS = re.compile(r"\+?\d[\d\s().\u00a0/-]{4,}\d")
_FEWEST_DIGITS = 7
_RUSSIAN = re.compile(r"8[3489]\d{9}")
_ECHOED_WORDS = 8
_SHORTEST_FACT = 4
_QUOTATION = re.compile(
    r"\u201c[^\u201c\u201d]+\u201d|\u201e[^\u201c\u201d]+[\u201c\u201d]|\u00ab[^\u00ab\u00bb]+\u00bb"
    r"|\u00bb[^\u00ab\u00bb]+\u00ab|\"[^\"]+\"|(?<!\w)['\u2018][^'\u2018\u2019]{3,}['\u2019](?!\w)"
)
# The plain address of a device at home, such as a router.
_OF_A_DEVICE = re.compile(
    r"(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\.?"
)
_AROUND_A_WORD = ".,;:!?()[]{}<>*_\"'"


@dataclass(frozen=True, slots=True)
class Contacts:
    """Numbers (digits only) and addresses (case-folded) that an answer may contain."""

    numbers: frozenset[str] = field(default=frozenset(), repr=False)
    addresses: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Contacts:
        """Collect the contacts in *texts* of the company, the customer and the project's prompts."""
        read = list(texts)
        digits = (_digits(match) for text in read for match in _DIGITS.findall(text))
        addresses = (address.casefold() for text in read for address in emails_in(text))
        return cls(frozenset(digits), frozenset(addresses))

    def with_those_of(self, texts: Iterable[str]) -> Contacts:
        """Return these contacts and the contacts in *texts*."""
        added = Contacts.of(texts)
        return Contacts(self.numbers | added.numbers, self.addresses | added.addresses)

    def has_number(self, number: str) -> bool:
        """Return whether *number* is one of these, with or without its country code."""
        digits = _digits(number)
        return any(
            len(min(digits, own_digits, key=len)) >= _FEWEST_DIGITS
            and (digits.endswith(own_digits) or own_digits.endswith(digits))
            for own_digits in self.numbers
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """
    Limits of an answer.

    *longest* is in characters; *sms_length* applies to SMS only: with *is_divisible*, to each of several messages.
    *language* is the one that is wanted, as returned by `certain_language`; None if it is not certain. *hosts* are the
    allowed hosts of links (see `hosts_in`), *contacts* the allowed numbers and addresses, *fact_texts* the texts of the
    facts, *given_words* words of the conversation so far: they are known to the customer. *links* are allowed whole
    links, of documents and results (see `links_of`).
    An answer may call an action done if one of *acts* (names and descriptions of the project's functions that have
    succeeded) can have done it, or *company_texts* (facts, and actions that sent messages called done) have its verb.
    Values must occur in *known_texts*: facts, prompt, results and the conversation; *today* is the customer's date.
    *secret_words* are the names of functions. *has_unheard*: the model does not have a voice note of the customer.
    *has_recorded*: an answer of the customer was recorded.
    """

    longest: int
    language: str | None
    hosts: frozenset[str] = frozenset()
    contacts: Contacts = Contacts()
    fact_texts: frozenset[str] = field(default=frozenset(), repr=False)
    given_words: frozenset[str] = field(default=frozenset(), repr=False)
    rules: str = field(default="", repr=False)
    secret_words: frozenset[str] = frozenset()
    sms_length: SmsLength | None = None
    is_divisible: bool = False
    links: frozenset[str] = field(default=frozenset(), repr=False)
    company_texts: frozenset[str] = field(default=frozenset(), repr=False)
    known_texts: frozenset[str] = field(default=frozenset(), repr=False)
    today: date | None = None
    acts: frozenset[str] = field(default=frozenset(), repr=False)
    has_unheard: bool = False
    has_recorded: bool = False

    def has_room_for(self, content: str) -> bool:
        """Return whether a message with this *content* is short enough."""
        if self.sms_length is None:
            return len(content) <= self.longest
        if self.is_divisible:
            return bool(divided(content, self.sms_length))
        return len(content) <= self.longest and not self.sms_length.is_exceeded_by(content)

    def with_facts(self, texts: Iterable[str], acts: Iterable[str] = ()) -> Bounds:
        """Return these limits with further facts: results of functions and passages. Their whole links are allowed."""
        added = frozenset(texts)
        return replace(
            self,
            contacts=self.contacts.with_those_of(added),
            fact_texts=self.fact_texts | added,
            links=self.links | links_of(added),
            known_texts=self.known_texts | added,
            acts=self.acts.union(acts),
        )

    def allows(self, link: Link) -> bool:
        """Return whether an answer may contain *link*."""
        return (
            is_allowed(link, self.hosts)
            or _plain_link(link) in self.links
            or _OF_A_DEVICE.fullmatch(link.written) is not None
        )


def fault_of_stop(stop: Stop) -> Fault | None:
    """Map a stop reason to a fault; None for a complete answer and for a refusal, which is not a fault."""
    return _STOPS.get(stop)


def faults_of(output: Output, bounds: Bounds) -> tuple[Fault, ...]:
    """Return all faults of an answer, in the order of `Fault`."""
    faults = set() if output.says_something else {Fault.EMPTY}
    for text in (output.content, output.subject or "", *(output.variables or {}).values()):
        faults |= set(_faults_of_text(text, bounds))
    if not bounds.has_room_for(output.content):
        faults.add(Fault.TOO_LONG)
    if output.subject and len(output.subject) > LONGEST_SUBJECT:
        faults.add(Fault.SUBJECT_TOO_LONG)
    if output.subject and not output.subject.isprintable():
        faults.add(Fault.CONTROL_CHARACTER)
    return tuple(fault for fault in Fault if fault in faults)


def has_fault(text: str, bounds: Bounds) -> bool:
    """Return whether *text*, a part of an answer, has a fault of its own."""
    return any(True for _ in _faults_of_text(text, bounds))


def hosts_in(value: Any) -> frozenset[str]:  # noqa: ANN401 - any JSON value
    """
    Return the hosts of all links in a JSON value. Pass data of the integrating system only.

    Customers' answers must not be included: a customer could otherwise add an allowed host.
    """
    hosts = (link.host for text in texts_in(value) for link in links_in(text))
    return frozenset(host for host in hosts if host)


def links_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the plain HTTP and HTTPS links in *texts* for comparison: without scheme and `www.`."""
    return frozenset(_plain_link(link) for text in texts for link in links_in(text) if link.host)


def _plain_link(link: Link) -> str:
    """Return a link without scheme and `www.`; empty for a link that is never allowed."""
    if link.host is None:
        return ""
    written = re.sub(r"(?i)^https?:[/\\]*", "", link.written)
    rest = re.search(r"[/?#].*", written)
    return (link.host + (rest[0] if rest else "")).rstrip("/")


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of *texts* as written, without punctuation around them."""
    return frozenset(word.strip(_AROUND_A_WORD) for text in texts for word in as_read(text).split())


def texts_in(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """Yield every text and number in a JSON value, numbers as text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from texts_in(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from texts_in(entry)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _faults_of_text(text: str, bounds: Bounds) -> Iterator[Fault]:
    from conversations.ai.checks.values import comparison  # noqa: PLC0415 - not at a cold start

    if has_control_character(text):
        yield Fault.CONTROL_CHARACTER
    seen = as_read(text)
    if not all(map(bounds.allows, links_in(text))):
        yield Fault.FOREIGN_LINK
    if _echoes(seen, bounds):
        yield Fault.ECHOED_RULES
    # Text from the facts is always allowed.
    rest = _without_facts(seen, bounds)
    if has_placeholder(rest):
        yield Fault.PLACEHOLDER
    secrets = filter(_is_generated, tokens_in(rest))
    if not words_in(secrets) <= bounds.given_words:
        yield Fault.SECRET
    rest = comparison.without_ibans(rest)
    if not all(bounds.contacts.has_number(number) for number in phones_in(rest)) or not all(
        address.casefold() in bounds.contacts.addresses for address in emails_in(rest)
    ):
        yield Fault.CONTACT_OF_OTHERS
    if bounds.language and _is_foreign(without_quotations(rest), bounds.language):
        yield Fault.LANGUAGE
    known = comparison.KnownTexts(bounds.known_texts, bounds.today)
    yield from comparison.unknown_values(seen, known)
    yield from _faults_of_statements(seen, bounds)


def _faults_of_statements(seen: str, bounds: Bounds) -> Iterator[Fault]:
    from conversations.ai.checks.statements import claims  # noqa: PLC0415 - not at a cold start

    if claims.has_unproven_action(
        seen, bounds.company_texts, bounds.acts, has_recorded=bounds.has_recorded
    ):
        yield Fault.UNPROVEN_ACTION
    if claims.claims_to_be_human(seen):
        yield Fault.CLAIMS_TO_BE_HUMAN
    if bounds.has_unheard and claims.claims_to_have_heard(seen):
        yield Fault.UNHEARD_VOICE_NOTE


def without_quotations(text: str) -> str:
    """Return *text* without the passages in quotation marks: they may be in another language."""
    return _QUOTATION.sub(" ", text)


def _is_generated(secret: str) -> bool:
    """Whether a secret looks generated: "password: open the app" names none."""
    return secret.startswith("-----") or any(sign.isdecimal() for sign in secret)


def _is_foreign(text: str, language: str) -> bool:
    """Return whether *text* is certainly in another language."""
    from shared.ai.texts.languages.certain_languages import certain_language  # noqa: PLC0415 - not at a cold start

    return certain_language(text) not in {None, language}


def _without_facts(text: str, bounds: Bounds) -> str:
    for link in sorted(links_in(text), key=lambda link: len(link.written), reverse=True):
        if bounds.allows(link):
            text = text.replace(link.written, "*")
    for fact in sorted(map(as_read, bounds.fact_texts), key=len, reverse=True):
        if len(fact) >= _SHORTEST_FACT:
            text = text.replace(fact, "*")
    return text


def _echoes(text: str, bounds: Bounds) -> bool:
    folded = text.casefold()
    if any(word.casefold() in folded for word in bounds.secret_words if "_" in word):
        return True
    return not _runs(text).isdisjoint(_runs_of_rules(bounds.rules))


@functools.lru_cache(maxsize=16)
def _runs_of_rules(rules: str) -> set[tuple[str, ...]]:
    return _runs(rules)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = plain_words(text)
    return {tuple(words[at : at + _ECHOED_WORDS]) for at in range(len(words) - _ECHOED_WORDS + 1)}


def _digits(number: str) -> str:
    """Return the digits of a telephone number without the prefix of calls within its country: 0, in Russia 8."""
    digits = re.sub(r"\D", "", number).lstrip("0")
    return digits[1:] if _RUSSIAN.fullmatch(digits) else digits
