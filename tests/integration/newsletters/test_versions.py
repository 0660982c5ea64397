"""Concurrent writes: each holds the version that its writer has read, and exports are never lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.drafting.drafts import changes as draft_changes
from newsletters.store.content.newsletters import (
    StaleVersion,
    change_metadata,
    configure,
    delete_newsletter,
)
from newsletters.store.content.step_inputs import content_hash, status_of
from newsletters.store.content.steps import (
    save_draft,
    save_export,
    save_outline,
    save_status,
    save_topics,
)
from newsletters.store.items import Draft, Export, NewsletterStatus
from tests.integration.newsletters.deployment import draft, outline, topics

if TYPE_CHECKING:
    from newsletters.store.content.newsletters import Newsletter
    from tests.integration.newsletters.deployment import Deployment

STEPS = ("topics", "outline", "draft")
SAVES: dict[str, Any] = {"topics": save_topics, "outline": save_outline, "draft": save_draft}
NEW: dict[str, Any] = {"topics": topics, "outline": outline, "draft": draft}


def export_of(newsletter: Newsletter, name: str = "pdf") -> tuple[str, Export]:
    """An export of the present content."""
    assert newsletter.draft is not None
    export = Export(
        s3_key=f"newsletters/{newsletter.code}/export.{name}",
        generated_at="2026-11-02T12:00:00Z",
        file_size=9,
        content_hash=content_hash(newsletter.metadata, newsletter.draft),
    )
    return name, export


def record(newsletters: Deployment, before: Newsletter, name: str = "pdf") -> None:
    """Record an export as its worker does."""
    assert before.draft is not None
    export = export_of(before, name)
    exports = {**before.draft.exports, name: export[1]}
    with_file = before.draft.model_copy(update={"exports": exports})
    status = status_of(before.metadata, with_file)
    save_export(newsletters.store, before, export, {"status": status})


def edit(newsletters: Deployment, before: Newsletter, text: str) -> Draft:
    """A person edits the draft."""
    assert before.draft is not None
    edited = draft_changes.counted(draft_changes.edited(before.draft, text))
    present = status_of(before.metadata, edited)
    return save_draft(newsletters.store, before, edited, {"status": present})


def status(newsletters: Deployment, code: str) -> NewsletterStatus:
    return newsletters.read(code).metadata.status


@pytest.mark.parametrize("name", STEPS)
def test_of_two_writers_of_the_same_version_the_second_is_refused(
    newsletters: Deployment, name: Any
) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)
    step = before.step(name)
    assert step is not None

    saved = SAVES[name](newsletters.store, before, step, {})
    stored = newsletters.items()
    with pytest.raises(StaleVersion):
        SAVES[name](newsletters.store, before, step, {})

    assert saved.version == step.version + 1
    assert newsletters.items() == stored


@pytest.mark.parametrize("name", STEPS)
def test_of_two_first_writers_of_a_step_the_second_is_refused(
    newsletters: Deployment, name: str
) -> None:
    code = newsletters.create()
    before = newsletters.read(code)

    SAVES[name](newsletters.store, before, NEW[name](code), {})

    with pytest.raises(StaleVersion):
        SAVES[name](newsletters.store, before, NEW[name](code), {})


def test_of_two_changes_of_the_same_configuration_the_second_is_refused(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    before = newsletters.read(code).metadata

    change_metadata(newsletters.table, before, {"frequency": "daily"})
    with pytest.raises(StaleVersion):
        change_metadata(newsletters.table, before, {"frequency": "monthly"})

    found = newsletters.read(code).metadata
    assert (found.frequency, found.version) == ("daily", 2)


@pytest.mark.parametrize("name", STEPS)
def test_a_late_write_cannot_bring_a_deleted_newsletter_back(
    newsletters: Deployment, name: Any
) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)
    step = before.step(name)
    assert step is not None
    delete_newsletter(newsletters.store, before.metadata)
    stored = newsletters.items()

    with pytest.raises(StaleVersion):
        SAVES[name](newsletters.store, before, step, {})
    with pytest.raises(StaleVersion):
        save_status(newsletters.store, before, step, {})
    with pytest.raises(StaleVersion):
        change_metadata(newsletters.table, before.metadata, {"title": "Back"})
    with pytest.raises(StaleVersion):
        configure(newsletters.store, before, {"title": "Back"})
    with pytest.raises(StaleVersion):
        record(newsletters, before)

    assert newsletters.items() == stored
    assert not [key for key in stored if key[0].startswith("NEWSLETTER#")]


@pytest.mark.parametrize("name", STEPS)
def test_a_late_first_write_cannot_bring_a_deleted_newsletter_back(
    newsletters: Deployment, name: str
) -> None:
    code = newsletters.create()
    before = newsletters.read(code)
    delete_newsletter(newsletters.store, before.metadata)

    with pytest.raises(StaleVersion):
        SAVES[name](newsletters.store, before, NEW[name](code), {})

    assert not [key for key in newsletters.items() if key[0].startswith("NEWSLETTER#")]


def test_an_export_does_not_change_the_version_of_the_draft(newsletters: Deployment) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)
    assert before.draft is not None

    record(newsletters, before)

    found = newsletters.read(code)
    assert found.draft is not None
    assert found.draft.version == before.draft.version
    assert found.metadata.version == before.metadata.version
    assert set(found.draft.exports) == {"pdf"}


def test_two_exports_that_end_at_the_same_time_are_both_kept(newsletters: Deployment) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)

    record(newsletters, before, "pdf")
    with pytest.raises(StaleVersion):
        record(newsletters, before, "docx")
    record(newsletters, newsletters.read(code), "docx")

    found = newsletters.read(code)
    assert found.draft is not None
    assert set(found.draft.exports) == {"pdf", "docx"}


def test_a_change_of_the_text_keeps_an_export_that_was_recorded_meanwhile(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)
    record(newsletters, before)

    saved = edit(newsletters, before, "# Edited")

    found = newsletters.read(code)
    assert found.draft is not None
    assert (found.draft.user_edits, found.draft.version) == ("# Edited", saved.version)
    assert set(found.draft.exports) == {"pdf"}
    assert found.metadata.status is NewsletterStatus.COMPLETED


def test_the_status_follows_the_draft_and_its_exports(newsletters: Deployment) -> None:
    code = newsletters.create()
    assert status(newsletters, code) is NewsletterStatus.DRAFT
    newsletters.write(code, topics(code))
    newsletters.write(code, outline(code))
    assert status(newsletters, code) is NewsletterStatus.DRAFT
    newsletters.write(code, draft(code))
    assert status(newsletters, code) is NewsletterStatus.COMPLETED

    record(newsletters, newsletters.read(code))
    assert status(newsletters, code) is NewsletterStatus.EXPORTED
    edit(newsletters, newsletters.read(code), "# Edited")
    assert status(newsletters, code) is NewsletterStatus.COMPLETED

    record(newsletters, newsletters.read(code), "html")
    assert status(newsletters, code) is NewsletterStatus.EXPORTED
    configure(newsletters.store, newsletters.read(code), {"title": "Another title"})
    assert status(newsletters, code) is NewsletterStatus.COMPLETED
    configure(newsletters.store, newsletters.read(code), {"title": "Field notes"})
    assert status(newsletters, code) is NewsletterStatus.EXPORTED
    configure(newsletters.store, newsletters.read(code), {"frequency": "daily"})
    assert status(newsletters, code) is NewsletterStatus.EXPORTED


def test_a_change_of_the_configuration_does_not_undo_the_status_of_a_draft_written_meanwhile(
    newsletters: Deployment,
) -> None:
    code = newsletters.create()
    before = newsletters.read(code)
    newsletters.write(code, draft(code))

    configure(newsletters.store, before, {"frequency": "daily"})
    assert status(newsletters, code) is NewsletterStatus.COMPLETED
    old = newsletters.read(code)
    record(newsletters, old)
    with pytest.raises(StaleVersion):
        configure(newsletters.store, old, {"title": "Another title"})
    assert status(newsletters, code) is NewsletterStatus.EXPORTED


SHOWN: dict[str, Any] = {
    "title": "Another title",
    "language": "fr",
    "user_name": "Ann Example",  # the author of a file
    "description": "The season in numbers",
    "preview": "Three numbers",  # the preview line of an e-mail
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_change_of_what_exports_show_makes_them_outdated(
    newsletters: Deployment, name: str
) -> None:
    code = newsletters.complete()
    record(newsletters, newsletters.read(code))

    configure(newsletters.store, newsletters.read(code), {name: SHOWN[name]})

    assert status(newsletters, code) is NewsletterStatus.COMPLETED


@pytest.mark.parametrize("name", SHOWN)
def test_an_export_of_old_values_is_not_recorded_as_one_of_the_present_content(
    newsletters: Deployment, name: str
) -> None:
    code = newsletters.complete()
    before = newsletters.read(code)
    configure(newsletters.store, before, {name: SHOWN[name]})

    with pytest.raises(StaleVersion):
        record(newsletters, before)

    assert status(newsletters, code) is NewsletterStatus.COMPLETED


def test_an_export_is_recorded_beside_one_of_an_older_version_without_its_newer_attributes(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    older = {"pdf": {"s3_key": "k", "generated_at": "2026-11-01T12:00:00Z", "file_size": 9}}
    newsletters.table.update(Draft.key(code), put={"exports": older})

    record(newsletters, newsletters.read(code), "docx")

    found = newsletters.read(code)
    assert found.draft is not None
    assert set(found.draft.exports) == {"pdf", "docx"}


def test_two_exports_of_the_same_format_at_the_same_time_are_told_apart(
    newsletters: Deployment,
) -> None:
    code = newsletters.complete()
    record(newsletters, newsletters.read(code))
    before = newsletters.read(code)
    newsletters.table.update(
        Draft.key(code),
        put={
            "exports": {
                "pdf": {"s3_key": "k", "generated_at": "2026-11-02T12:00:01Z", "file_size": 9}
            }
        },
    )

    with pytest.raises(StaleVersion):
        record(newsletters, before, "docx")
