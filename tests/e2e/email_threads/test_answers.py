"""Answers by mail on the deployed stack: a draft by a model, an approval, SES and its events, the customer's answer."""

from __future__ import annotations

import pytest

from local.demo.chapter import Chapter
from local.demo.chapters import email_answers
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e


def test_a_draft_is_approved_and_sent_and_the_customers_answer_joins_its_thread(
    deployed: Deployed,
) -> None:
    assert email_answers.play(deployed.stack, Chapter("answers"))
