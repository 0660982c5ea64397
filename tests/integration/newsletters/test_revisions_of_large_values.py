"""Revisions of content that its item has shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store.bucket import revisions
from tests.integration.newsletters.deployment import USER, many_chunks, topics

if TYPE_CHECKING:
    from tests.integration.newsletters.deployment import Deployment


def test_content_that_is_shortened_in_its_item_is_kept_whole(newsletters: Deployment) -> None:
    code = newsletters.complete()
    newsletters.write(code, many_chunks(code))
    large = newsletters.read(code).topics
    assert large is not None
    assert newsletters.item(f"NEWSLETTER#{code}", "TOPICS")["spilled"]["M"]
    kept = revisions.to_keep(newsletters.store, code, large, by=USER, cause="generated")
    newsletters.table.transact(kept)
    present = newsletters.write(code, topics(code)).topics
    assert present is not None

    (revision,) = revisions.of_step(newsletters.table, code, "topics")
    restored = revisions.restored(newsletters.store, code, present, revision)

    assert restored.retrieved_content == large.retrieved_content
    assert restored.version == present.version
    newsletters.write(code, restored)
    found = newsletters.read(code).topics
    assert found is not None
    assert found.retrieved_content == large.retrieved_content
