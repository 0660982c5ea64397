"""
The page on which a reader chooses lists, topics, name, language and frequency, leaves all, reads the stored data, and
asks for its erasure, which a mail confirms.

The link in each issue names the hash of the address. What a reader leaves or confirms counts at once, by a consent
record; contacts and lists follow by a worker. A reader changes what the page showed: a list that was confirmed, joined
or left after the page was shown stays as it is. Lists that the company has not published are not shown.
"""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from newsletters.inbound.events import ReaderRequested
from newsletters.issues.links import ERASE, PREFERENCES, LinkInvalid
from newsletters.issues.readers import acts, forms, reader_data
from newsletters.issues.readers.reader_data import read
from newsletters.issues.readers.requests import link_request, signup
from newsletters.issues.readers.texts import LANGUAGES, page_texts
from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import Choices
from newsletters.store.readers import choices
from shared.api.errors import InvalidInput
from shared.policy.consent.items import State
from shared.policy.consent.subscriptions import NEWSLETTERS, list_scope
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.issues.links import Link
    from newsletters.issues.readers.reader_data import Reader
    from newsletters.issues.readers.texts import PageTexts
    from newsletters.issues.readers.visits import Visit
    from newsletters.store.items import ConsentEvidence, PublicList
    from newsletters.store.items.readers import Frequency

LEAVE_ALL, DATA = "leave_all", "data"
SHOWN, _NOT = "shown", "-"
NAME, SHOWS_NAME = "first_name", "shows_name"  # a form leaves an empty field out
FREQUENCIES: Final[tuple[Frequency, ...]] = ("all", "weekly", "monthly")


def respond(deps: IssueDependencies, visit: Visit, link: Link) -> dict[str, Any]:
    """Return the page, or the answer to it. Raises LinkInvalid and Transient."""
    if link.purpose != PREFERENCES:
        raise LinkInvalid
    reader = read(deps, link)
    language = visit.language(reader.language)
    if reader.is_erased:
        return forms.sentence(HTTPStatus.OK, language, page_texts(language).erased)
    return (
        _answered(deps, visit, link, reader, language)
        if visit.is_post
        else _page(visit, reader, language)
    )


def _answered(
    deps: IssueDependencies, visit: Visit, link: Link, reader: Reader, language: str
) -> dict[str, Any]:
    """Carry out what the form asks for; return the answer. Raises Transient."""
    act = visit.first("act")
    if act == DATA:
        named = 'attachment; filename="my-data.json"'
        stored = reader_data.everything(deps, link, reader)
        return forms.answer(HTTPStatus.OK, stored, **{"Content-Disposition": named})
    if act == LEAVE_ALL:
        return _left_all(deps, visit, link, reader, language)
    if act == ERASE and reader.sender is not None and reader.email is not None:
        link_request.ask(
            deps, reader.sender, reader.email, language, asks=ERASE, recipient=link.recipient
        )
        texts = page_texts(language)
        return forms.sentence(HTTPStatus.OK, language, texts.look_in_inbox, texts.erase_comes)
    try:
        _save(deps, visit, link, reader)
    except InvalidInput:
        status, problem = HTTPStatus.UNPROCESSABLE_ENTITY, page_texts(language).first_name
        return _page(visit, reader, language, status, problem)
    except StaleVersion:
        said = page_texts(language).changed_meanwhile
        return _page(visit, read(deps, link), language, HTTPStatus.CONFLICT, said)
    chosen = visit.first("language")
    language = chosen if chosen in LANGUAGES else language
    return _page(visit, read(deps, link), language, said=page_texts(language).saved)


def _left_all(
    deps: IssueDependencies, visit: Visit, link: Link, reader: Reader, language: str
) -> dict[str, Any]:
    acts.record(deps, link, NEWSLETTERS, State.OPTED_OUT)
    left = _evidence(visit, link, reader, action="left_all")
    deps.store.table.put(left.attributes())
    acts.count_left(deps, link)
    said = page_texts(language).saved
    return _page(visit, read(deps, link), language, said=said)


def _save(deps: IssueDependencies, visit: Visit, link: Link, reader: Reader) -> None:
    """Store what the form says. Raises InvalidInput, and StaleVersion, also if the form was of an older page."""
    shown, first_name = _shown(visit), _new_name(visit, reader)
    if visit.first("version") != str(reader.version) or (reader.lists and not shown):
        raise StaleVersion("version: the choices have changed; read them again")
    wanted = {*visit.fields.get("list", [])}
    own = [one.list_id for one in reader.lists if one.list_id in shown]
    joins = sorted(one for one in own if one in wanted and not shown[one])
    leaves = sorted(one for one in own if one not in wanted and shown[one])
    for list_id in leaves:
        acts.record(deps, link, list_scope(list_id), State.OPTED_OUT)
    for list_id in joins:
        acts.record(deps, link, list_scope(list_id), State.OPTED_IN)
    evidence = [
        *(_evidence(visit, link, reader, action="left", list_id=one) for one in leaves),
        *(_evidence(visit, link, reader, action="joined", list_id=one) for one in joins),
    ]
    chosen = _chosen(visit, link, reader, joins, leaves)
    if first_name is not None:
        chosen = chosen.model_copy(update={"first_name": first_name})
    made = choices.put(deps.store.table, reader.choices, chosen, evidence)
    if link.list_id in leaves:
        acts.count_left(deps, link)
    if made.changes_contact:
        signup.enqueue(deps, ReaderRequested.of(made))


def _new_name(visit: Visit, reader: Reader) -> str | None:
    """Return the name that a form changes, empty if it removes it; None if it stays. Raises InvalidInput."""
    if not visit.first(SHOWS_NAME):
        return None
    name = signup.name_of(visit)
    return name if name != reader.first_name else None


def _shown(visit: Visit) -> dict[str, bool]:
    """Return the lists of the page that the form is of, and whether the reader was subscribed to them."""
    named = visit.first(SHOWN).split()
    return {one.removeprefix(_NOT): not one.startswith(_NOT) for one in named}


def _chosen(
    visit: Visit, link: Link, reader: Reader, joins: list[str], leaves: list[str]
) -> Choices:
    present = reader.choices
    language, often = visit.first("language"), visit.first("frequency")
    shown = _shown(visit)
    topics = {
        one.list_id: [
            each for each in one.topics if each in visit.fields.get(f"topic.{one.list_id}", [])
        ]
        for one in reader.lists
        if one.list_id in shown
    }
    kept = {
        name: of for name, of in (present.topics if present else {}).items() if name not in topics
    }
    known = language if language in LANGUAGES else reader.language
    is_new = known != reader.language or bool(present and present.is_language_new)
    return Choices(
        **Choices.key(link.company_id, link.recipient),
        company_id=link.company_id,
        recipient=link.recipient,
        contact_id=reader.contact_id,
        language=known,
        frequency=next((one for one in FREQUENCIES if one == often), "all"),
        topics={list_id: chosen for list_id, chosen in (kept | topics).items() if chosen},
        joins=sorted({*joins, *(present.joins if present else [])} - {*leaves}),
        is_language_new=is_new,
        first_name=present.first_name if present else None,
        last_issue_at=present.last_issue_at if present else None,
        last_issue_id=present.last_issue_id if present else None,
        changed_at=clock.to_text(clock.now_ms()),
    )


def _evidence(visit: Visit, link: Link, reader: Reader, **act: Any) -> ConsentEvidence:  # noqa: ANN401 - fields of the item
    keeps_ip = any(one.keeps_ip for one in reader.lists if one.list_id == act.get("list_id"))
    return acts.evidence_of(
        link.company_id,
        link.recipient,
        visit,
        keeps_ip=keeps_ip,
        source="preferences",
        language=reader.language,
        **act,
    )


def _page(
    visit: Visit,
    reader: Reader,
    language: str,
    status: HTTPStatus = HTTPStatus.OK,
    problem: str = "",
    *,
    said: str = "",
) -> dict[str, Any]:
    texts = page_texts(language)
    answer = f'<p role="status">{escape(said)}</p>' if said else ""
    fields = (
        _lists(reader, texts),
        *(_topics(reader, one, texts) for one in reader.lists if one.topics),
        _often(reader, texts),
        forms.text_field(
            NAME, texts.first_name, autocomplete="given-name", value=reader.first_name
        ),
        forms.hidden(SHOWS_NAME, "1"),
        forms.menu(
            "language",
            texts.language,
            [(one, page_texts(one).name) for one in LANGUAGES],
            reader.language,
        ),
        forms.hidden("version", str(reader.version)),
        forms.hidden(SHOWN, _state_of(reader)),
        forms.button(texts.save),
        forms.button(texts.leave_all, value=LEAVE_ALL),
        forms.button(texts.my_data, value=DATA),
        forms.button(texts.erase, value=ERASE) if reader.sender and reader.email else "",
    )
    return forms.page(
        status,
        language,
        texts.choices,
        answer,
        forms.alert(problem),
        forms.form(visit.action, *fields),
    )


def _state_of(reader: Reader) -> str:
    """Return what the page shows of lists, in one field: their ids, with a sign if the reader is not subscribed."""
    ids = (one.list_id for one in reader.lists)
    return " ".join(one if one in reader.subscribed else f"{_NOT}{one}" for one in ids)


def _lists(reader: Reader, texts: PageTexts) -> str:
    boxes = (
        forms.choice(
            "checkbox", "list", one.list_id, one.title, is_chosen=one.list_id in reader.subscribed
        )
        for one in reader.lists
    )
    return forms.group(texts.lists, *boxes) if reader.lists else ""


def _topics(reader: Reader, of: PublicList, texts: PageTexts) -> str:
    chosen = reader.choices.topics.get(of.list_id, []) if reader.choices else []
    boxes = (
        forms.choice("checkbox", f"topic.{of.list_id}", topic, topic, is_chosen=topic in chosen)
        for topic in of.topics
    )
    hint = forms.paragraph(texts.topics_hint)
    return forms.group(forms.filled_in(texts.topics, title=of.title), hint, *boxes)


def _often(reader: Reader, texts: PageTexts) -> str:
    labels = {"all": texts.every_issue, "weekly": texts.weekly, "monthly": texts.monthly}
    present = reader.choices.frequency if reader.choices else "all"
    radios = (
        forms.choice("radio", "frequency", one, labels[one], is_chosen=one == present)
        for one in FREQUENCIES
    )
    return forms.group(texts.how_often, *radios)
