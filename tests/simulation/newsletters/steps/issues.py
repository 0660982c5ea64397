"""Steps of issues: readers with consent in a list, an issue of an exported newsletter, and what its readers get."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from email.utils import parseaddr
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from newsletters.store import issues
from newsletters.store.items import Issue
from newsletters.store.items.issues import SHARDS
from newsletters.store.items.recipients import ENDED
from newsletters.store.readers import recipients
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from shared.contacts import lists
from shared.events.issue_feedback import ISSUE, RECIPIENT, feedback_entry
from shared.identity.contacts import resolution
from shared.identity.contacts.items import Profile
from shared.identity.identifiers import IdentifierKind, identifier
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.policy.consent.subscriptions import EMAIL
from shared.runtime import clock
from tests import keyring
from tests.simulation.interceptor import Died
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.system import ANN, COMPANY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from newsletters.store.items import Recipient
    from tests.simulation.newsletters.system import System

    type Steps = Callable[[System], Any]

ALL: Final = "/newsletters/issues"
ONE: Final = f"{ALL}/{{issue}}"
SENDER: Final = "news@shop.example"
KEYS: Final = keyring.Keys(keyring.KEY)
READERS: Final = ("ann@orchard.example", "bob@mill.example", "cleo@farm.example")


def contacts_of(system: System) -> Table:
    return Table(system.dynamodb, system.contacts)


def consents_of(system: System) -> Consents:
    return Consents(Table(system.dynamodb, system.log))


def reader(
    system: System, list_id: str, address: str, *, company: str = COMPANY, **details: Any
) -> Profile:
    """A person of a list, whom people of the company have named, with stored *details*."""
    with keyring.held(KEYS):
        own = resolution.ids_of(company, identifier(IdentifierKind.EMAIL, address))[0]
    person = Profile.read(
        {
            **Profile.key(company, own),
            "company_id": company,
            "contact_id": own,
            "kind": IdentifierKind.EMAIL,
            "created_at": clock.to_text(system.clock.ms),
            "value": address,
            "named_by": "test",
            **({"details": {"changed_at": "-", "cause": "-", **details}} if details else {}),
        }
    )
    table = contacts_of(system)
    table.put(person.attributes())
    assert lists.add(table, company, list_id, person)
    return person


def opted(
    system: System, address: str, scope: str = EMAIL, *, out: bool = False, company: str = COMPANY
) -> None:
    """A reader opts in or out."""
    statement = Statement(source=Source.OPERATOR, at_ms=system.clock.ms, evidence="test")
    consents = consents_of(system)
    record = consents.record_opt_out if out else consents.record_opt_in
    with keyring.held(KEYS):
        record(company, [address], statement, channels=[scope])


def made_list(system: System, name: str = "Readers", company: str = COMPANY) -> str:
    return lists.create(contacts_of(system), company, name, by="ann", cause=name).sk


def granted(system: System, company: str = COMPANY, domain: str = "@shop.example") -> None:
    """An operator grants the sender's domain to the company."""
    claimed = claims.new(company, Proof.GRANTED)
    claims.hand_over(Table(system.dynamodb, system.log), ids.email(domain), claimed)


def warm(system: System, *limits: int, **fields: Any) -> None:
    """People change the plan of the sender's domain; without limits it is warm."""
    path = "/newsletters/warm-ups/shop.example"
    version = system.read(path)["version"]
    plan = {"version": version, "limits": [*limits], **fields}
    system.act("PUT", path, plan, key=f"warm-up {version}")


def with_readers(*addresses: str) -> Steps:
    def step(system: System) -> None:
        granted(system)
        list_id = made_list(system)
        for address in addresses or READERS:
            reader(system, list_id, address)
            opted(system, address)

    return step


def drafted(system: System, *, key: str = "issue", **fields: Any) -> None:
    """An issue to the list."""
    body = {
        "newsletter_code": system.code,
        "list_ids": [made_list(system)],
        "sender": SENDER,
        "sender_name": "The Shop",
        "subject": "News of the week",
        "postal_address": "1 Mill Lane, Leeds",
        "permission_line": "You get this mail because you asked for it.",
        **fields,
    }
    made = system.act("POST", ALL, body, key=key)
    system.issue_id = made.get("issue_id") or newest_issue(system)


def newest_issue(system: System) -> str:
    found = [
        row["issue_id"]
        for key, row in system.rows().items()
        if key.endswith(" HEAD") and key.startswith("NLISSUE#")
    ]
    return str(max(found))


def issue_of(system: System) -> Issue:
    found = issues.get(Table(system.dynamodb, system.table), system.issue_id)
    assert found is not None
    return found


def notified(system: System) -> list[str]:
    """The issues whose end or stop a person is notified of, once for each item."""
    found = system.dynamodb.scan(TableName=system.tables["live"])["Items"]
    assert all(one["pk"]["S"] == f"NOTIFIED#{COMPANY}#{ANN}" for one in found)
    return [one["issue"]["S"] for one in found]


def approved(system: System, key: str = "") -> None:
    version = system.read(ONE)["version"]
    body = {"version": version, "content_id": shown(system), "acknowledge_warnings": True}
    system.act("POST", f"{ONE}/approve", body, key=f"approve {key}")


def shown(system: System) -> str:
    """The id of the content that the checklist shows."""
    return str(system.read(f"{ONE}/checklist")["content_id"])


def changed(act: str, *, key: str = "", **fields: Any) -> Steps:
    """A change of the issue's state that names the version as read."""

    def step(system: System) -> None:
        body = {"version": system.read(ONE)["version"], **fields}
        system.act("POST", f"{ONE}/{act}", body, key=f"{act} {key}")

    return step


def ordered(act: str, key: str = "") -> Steps:
    """A change of the issue's state that names no version."""
    return lambda system: system.act("POST", f"{ONE}/{act}", {}, key=f"{act} {key}")


sent = changed("send")
READY: Final = settled(EXPORTED, with_readers(), drafted, approved)


# Outcomes


def mails(system: System) -> list[dict[str, Any]]:
    """The requests that SES has accepted, oldest first, each with its `ses_id`."""
    requests: list[Any] = [
        (one.body, one.answer) for one in system.sandbox.sent if one.provider == "ses"
    ]
    accepted = [(body, answer) for body, answer in requests if "FromEmailAddress" in body]
    return [{**body, "ses_id": answer["MessageId"]} for body, answer in accepted]


def addressed(system: System) -> list[str]:
    """To whom SES has accepted mails."""
    every = [one for mail in mails(system) for one in mail["Destination"]["ToAddresses"]]
    return sorted(parseaddr(one)[1] for one in every)


def ledger(system: System) -> list[Recipient]:
    """All recipients of the issue: no shard has more than a page."""
    table = Table(system.dynamodb, system.table)
    pages = [recipients.page(table, system.issue_id, n, limit=1_000) for n in range(SHARDS)]
    assert all(after is None for _, after in pages)
    return [one for found, _ in pages for one in found]


def stats(system: System) -> dict[str, int]:
    """The counters, which equal a recount."""
    found = recipients.stats(Table(system.dynamodb, system.table), system.issue_id)
    every = {
        name: value
        for name, value in found.model_dump().items()
        if isinstance(value, int) and value
    }
    recipients_of_issue = ledger(system)
    counts = _recounted(recipients_of_issue)
    assert every == counts | _recounted_by_provider(recipients_of_issue)
    return dict(+counts)


def _recounted_by_provider(found: Sequence[Recipient]) -> Counter[str]:
    counts = Counter[str]()
    for one in found:
        provider = one.mailbox_provider or "other"
        counts[f"{provider}_waiting"] += one.state not in ENDED
        counts[f"{provider}_sent"] += one.state.value == "sent"
        for each in ("delivered", "delayed", "bounced", "complained"):
            counts[f"{provider}_{each}"] += getattr(one, f"{each}_at") is not None
    return +counts


def _recounted(found: Sequence[Recipient]) -> Counter[str]:
    ended = Counter(one.state.value for one in found if one.state in ENDED)
    events = (
        "delivered", "delayed", "bounced", "complained", "unsubscribed", "clicked", "likely_automated",
    )  # fmt: skip
    noted = Counter(each for one in found for each in events if getattr(one, f"{each}_at"))
    return Counter(audience=len(found)) + ended + noted


def reported(system: System, mail: Mapping[str, Any], event: str, **detail: str) -> None:
    """SES reports an event of a mail."""
    tags = {tag["Name"]: tag["Value"] for tag in mail["EmailTags"]}
    assert {ISSUE, RECIPIENT} <= tags.keys()
    at = clock.to_text(system.clock.ms)
    entry = feedback_entry(event, at, mail["ses_id"], tags, detail)
    assert entry is not None
    system.fifo_queues.put(system.steps_queue, entry)


def headers(mail: Mapping[str, Any]) -> dict[str, str]:
    listed: Sequence[Any] = mail["Content"]["Simple"]["Headers"]
    return {one["Name"]: one["Value"] for one in listed}


@dataclass(frozen=True)
class Page:
    """An answer to a browser or a mail program."""

    status: int
    text: str
    headers: Mapping[str, str]


def unsubscribe_url(mail: Mapping[str, Any]) -> str:
    return headers(mail)["List-Unsubscribe"].strip("<>")


def opened(system: System, url: str, method: str = "GET", body: str = "") -> Page:
    """A page of a signed link, as API Gateway calls the function."""
    path, token = url.rsplit("/", 2)[1:]
    event = {
        "resource": f"/{path}/{{proxy+}}",
        "httpMethod": method,
        "pathParameters": {"proxy": token},
        "body": body,
    }
    answer = sent_by(system, event)
    return Page(answer["statusCode"], answer["body"], answer["headers"])


def sent_by(system: System, event: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request of a browser or a mail program; one without an answer repeats it."""
    for _ in range(12):
        system.interceptor.start_run()
        try:
            answer: dict[str, Any] = system.api.handler(event, system.invocation("NewslettersApi"))
        except Died:
            system.new_process()
        except (ClientError, BotoCoreError):
            pass
        else:
            if answer["statusCode"] != HTTPStatus.SERVICE_UNAVAILABLE:
                return answer
        system.clock.ms += 1_000
    raise AssertionError("the page never answers")
