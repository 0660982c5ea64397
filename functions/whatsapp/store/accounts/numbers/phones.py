"""The business's numbers, cached for a minute because every event reads one."""

from collections.abc import Callable
from functools import partial

from boto3.dynamodb.conditions import Attr, ConditionBase

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.analytics import changed_hours
from whatsapp.store.items import AccountOwner, Phone, PhoneCompanies, PhoneList, pk
from whatsapp.store.items.item import PARTITION_KEY

CACHE_MS = 60 * clock.SECOND_MS
LONGEST_LIST = (
    500  # Of a company: a single item, read in full by every listing that gives no number.
)
ROUNDS = 5
# Causes that stop a number from sending, worst first. The worst active cause is shown, not the newest.
WORST_FIRST = ("ban", "connection", "restriction")

_cache: dict[tuple[str, str], tuple[int, Phone]] = {}
_accounts: dict[tuple[str, str], tuple[int, list[Phone]]] = {}
_companies: dict[tuple[str, str], tuple[int, list[Attributes]]] = {}


class PhoneTaken(Exception):
    """The number, its ARN or its account is already registered to another number or company."""


class ListFull(Exception):
    """A company has at most 500 numbers."""


def get(table: Table, phone: str) -> Phone | None:
    """Return the number with Meta's id *phone*; None when it is not registered. Changes take effect within a minute."""
    # Keyed by table too, so that tests and second deployments do not share numbers.
    cached = _cache.get((table.name, phone))
    if cached and clock.now_ms() - cached[0] < CACHE_MS:
        return cached[1]
    item = table.get(pk(Phone.key(phone))) if phone else None
    if item is None:
        return None  # Not cached: a newly registered number works at once.
    phone_record = Phone.read(item)
    _cache[table.name, phone] = (clock.now_ms(), phone_record)
    return phone_record


def of_account(table: Table, waba: str) -> list[Phone]:
    """Return the numbers of the account with Meta's id *waba*, possibly none. Changes take effect within a minute."""
    cached = _accounts.get((table.name, waba))
    if cached and clock.now_ms() - cached[0] < CACHE_MS:
        return cached[1]
    item = table.get(pk(AccountOwner.key(waba)))
    company = AccountOwner.read(item).company if item else None
    entries = of_company(table, company) if company else []
    ids = [entry["phone"] for entry in entries if entry["waba"] == waba]
    candidates = [phone for phone in map(partial(get, table), ids) if phone]
    phones = [phone for phone in candidates if phone.waba_meta_id == waba]
    if phones:
        _accounts[table.name, waba] = (clock.now_ms(), phones)
    return phones


def addressed(table: Table, company: str, address: str, waba: str) -> list[Phone]:
    """
    Return the numbers of a company that match *address*: Meta's id, AWS's id or ARN, or the number in E.164; usually
    one.

    *waba* is Meta's id of their account, if known.
    """
    if address.isdecimal():
        phone = get(table, address)
        return [phone] if phone and phone.company == company else []
    entries = [entry for entry in of_company(table, company) if not waba or entry["waba"] == waba]
    candidates = [phone for entry in entries if (phone := get(table, entry["phone"]))]
    return [
        phone
        for phone in candidates
        if address in {phone.aws_phone, phone.phone_arn}
        or (address.startswith("+") and phone.has_number(address))
    ]


def forget() -> None:
    """Clear the caches, which may hold another run's data."""
    _cache.clear()
    _accounts.clear()
    _companies.clear()


def listed(table: Table) -> list[Attributes]:
    """Return all numbers of the deployment, by company: phone, company, phoneArn, displayPhone, waba of each."""
    item = table.get(pk(PhoneCompanies.pk_pattern))
    companies = sorted(PhoneCompanies.read(item).companies) if item else []
    lists = table.get_many([pk(PhoneList.key(company)) for company in companies])
    found = sorted((PhoneList.read(one) for one in lists), key=lambda one: str(one.company))
    return [entry for one in found for entry in one.phones]


def of_company(table: Table, company: str) -> list[Attributes]:
    """Return the entries of one company, oldest first."""
    item = table.get(pk(PhoneList.key(company)))
    return PhoneList.read(item).phones if item else []


def known_of_company(table: Table, company: str) -> list[Attributes]:
    """Return the entries of one company as `of_company`, at most a minute old."""
    cached = _companies.get((table.name, company))
    if cached and clock.now_ms() - cached[0] < CACHE_MS:
        return cached[1]
    entries = of_company(table, company)
    _companies[table.name, company] = (clock.now_ms(), entries)
    return entries


def records_of_company(table: Table, company: str) -> list[Phone]:
    """Return the numbers of one company with their settings, oldest first (strongly consistent read)."""
    keys = [Phone.key(entry["phone"]) for entry in of_company(table, company)]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    phones = [Phone.read(items[key]) for key in keys if key in items]
    return [phone for phone in phones if phone.company == company]


def register(table: Table, phone: Phone) -> None:
    """
    Write a number and list it; an existing number gets the new settings and is enabled again.

    The caller has proven that the number is the company's (`whatsapp.store.accounts.numbers.ownership`). Safe to
    repeat and to run concurrently for the same number. Raises PhoneTaken or ListFull, and ValueError without a proof.
    """
    if phone.proof is None:
        raise ValueError("proof: a number is registered with the proof of its owner")
    # Checked first, so that nothing is written for a number that cannot be listed. The number is written before its
    # list entry, so that every listed number exists, and leaves the list of an earlier company before.
    _with(of_company(table, phone.company), phone)
    stored = table.get(pk(phone.pk))
    earlier = Phone.read(stored) if stored else None
    if earlier and earlier.company != phone.company and earlier.proof is None:
        _leave(table, earlier)
    if earlier and earlier.waba_meta_id != phone.waba_meta_id:
        changed_hours.note_all(table)
    settings = phone.attributes()
    field_names = phone.model_dump(by_alias=True, exclude=set(Phone.reported))
    absent = [name for name in field_names if name not in settings]
    try:
        table.update(
            pk(phone.pk),
            put={name: value for name, value in settings.items() if name != PARTITION_KEY},
            drop=absent,
            when=_may_become(phone),
        )
    except ConditionFailed:
        raise PhoneTaken("is registered for another company or under another ARN") from None
    _enter(table, phone)


def _may_become(phone: Phone) -> ConditionBase:
    """The condition of registering a number: it is new, unchanged, or of a company whose proof has ended."""
    new = Attr(PARTITION_KEY).not_exists()
    # Conversations are keyed by ARN, and the company controls access: neither changes while the proof lasts.
    same = Phone.attr("company").eq(phone.company) & Phone.attr("phone_arn").eq(phone.phone_arn)
    left = Phone.attr("proof").not_exists() & Phone.attr("company").ne(phone.company)
    return new | same | left


def register_unlisted(table: Table, phone: Phone) -> None:
    """Write a number that listings do not show, because no business owns it. Safe to repeat: overwrites the item."""
    table.put(phone.attributes())


def set_enabled(table: Table, phone: str, *, enabled: bool) -> bool:
    """Enable or disable a number; False when it is not registered. Workers pick it up within a minute."""
    facts = Phone.named(enabled=enabled)
    try:
        table.update(pk(Phone.key(phone)), put=facts, when=Attr(PARTITION_KEY).exists())
    except ConditionFailed:
        return False
    return True


def end_proof(table: Table, phone: Phone) -> None:
    """Disable a number, and take its proof away: events and sends of it end within a minute. Safe to repeat."""
    try:
        table.update(
            pk(phone.pk),
            put=Phone.named(enabled=False),
            drop=[Phone.name_of("proof"), Phone.name_of("proof_failing_since")],
            when=Phone.attr("company").eq(phone.company),
        )
    except ConditionFailed:
        return  # Another company has registered it.
    forget()


def note_proof(table: Table, phone: Phone, failing_since: str | None) -> None:
    """Store since when the provider does not list a number for its company's token; None: it does. Safe to repeat."""
    name = Phone.name_of("proof_failing_since")
    put = {name: failing_since} if failing_since else {}
    try:
        table.update(
            pk(phone.pk),
            put=put,
            drop=[] if failing_since else [name],
            when=Phone.attr("company").eq(phone.company),
        )
    except ConditionFailed:
        return
    forget()


def report(table: Table, phone: str, order: str, **fact: str) -> None:
    """
    Write one provider-reported field of a number, such as `verified_name`, unless a newer report is stored.

    *order* ranks reports. A repeated report, or one about a removed number, changes nothing.
    """
    (field,) = fact.keys() & Phone.reported
    stored_order = Phone.attr(f"{field}_order")
    try:
        table.update(
            pk(Phone.key(phone)),
            put=Phone.named(**fact, **{f"{field}_order": order}),
            when=Attr(PARTITION_KEY).exists()
            & (stored_order.not_exists() | stored_order.lt(order)),
        )
    except ConditionFailed:
        return
    forget()


def block_sending(table: Table, phone: str, cause: str, block: Attributes) -> None:
    """
    Write the provider's report on one *cause* that blocks sending, or that this cause has ended.

    *block* has `order` and `at`, and while it is active `reason` (and `until`). Nothing is written for an older or
    repeated report, or for a removed number. Raises Transient after a concurrent write.
    """
    item = table.get(pk(Phone.key(phone)))
    if item is None:
        return
    seen = Phone.read(item).sending_blocks or {}
    if seen.get(cause, {}).get("order", "") >= block["order"]:
        return
    blocks = seen | {cause: block}
    lasting = [blocks[c] for c in WORST_FIRST if blocks.get(c, {}).get("reason")]
    shown: Attributes = lasting[0] if lasting else {}
    facts = Phone.named(
        sending_blocks=blocks,
        sending_blocked=bool(lasting),
        sending_blocked_reason=shown.get("reason"),
        sending_blocked_at=shown.get("at"),
        sending_blocked_until=shown.get("until"),
    )
    field = Phone.attr("sending_blocks")
    try:
        table.update(
            pk(Phone.key(phone)),
            put=facts,
            drop=[name for name, value in facts.items() if value is None],
            when=Attr(PARTITION_KEY).exists() & (field.eq(seen) if seen else field.not_exists()),
        )
    except ConditionFailed:
        raise Transient("phone_contended") from None
    forget()


def _enter(table: Table, phone: Phone) -> None:
    """Add a number to the list of its company, and the company to the companies with numbers."""
    kind = {"itemType": PhoneCompanies.item_type}
    table.update(pk(PhoneCompanies.pk_pattern), put=kind, add={"companies": {phone.company}})
    owner = AccountOwner(pk=AccountOwner.key(phone.waba_meta_id), company=phone.company)
    table.put(owner.attributes())
    _change_list(table, phone.company, lambda entries: _with(entries, phone))


def _leave(table: Table, phone: Phone) -> None:
    """Take a number off the list of its company."""
    _change_list(
        table,
        phone.company,
        lambda entries: [entry for entry in entries if entry["phone"] != phone.phone],
    )


def _change_list(
    table: Table, company: str, changed: Callable[[list[Attributes]], list[Attributes]]
) -> None:
    """Replace the list of a company; retries after concurrent writes. Raises Transient."""
    for _ in range(ROUNDS):
        seen = of_company(table, company)
        entries = changed(seen)
        if entries == seen:
            return
        field = PhoneList.attr("phones")
        whole = PhoneList(pk=PhoneList.key(company), company=company, phones=entries)
        try:
            table.put(whole.attributes(), when=field.eq(seen) if seen else field.not_exists())
        except ConditionFailed:
            continue  # A concurrent write, or the response to this write was lost: read again.
        return
    raise Transient("phone_list_contended")


def _with(entries: list[Attributes], phone: Phone) -> list[Attributes]:
    """Return the list with this number in its place, or appended. Raises PhoneTaken or ListFull."""
    other_entries = [entry for entry in entries if entry["phone"] != phone.phone]
    # Two numbers with one ARN would share one inbox.
    if any(entry["phoneArn"] == phone.phone_arn for entry in other_entries):
        raise PhoneTaken("ARN is registered for another number")
    entry = {
        "phone": phone.phone,
        "company": phone.company,
        "phoneArn": phone.phone_arn,
        "displayPhone": phone.display_phone,
        "waba": phone.waba_meta_id,
    }
    if len(other_entries) < len(entries):
        return [
            entry if listed_entry["phone"] == phone.phone else listed_entry
            for listed_entry in entries
        ]
    if len(entries) >= LONGEST_LIST:
        raise ListFull(f"the list is full: {LONGEST_LIST} numbers")
    return [*entries, entry]
