"""An answer that is kept for repeats has at most 4 KB in its item."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shared.api.opaque_ids import Seal
from whatsapp.actions.dispatch import kept_answers

SEAL = Seal("a secret of the tests")


@given(
    texts=st.dictionaries(
        st.text("abc", min_size=1, max_size=8), st.text(max_size=4_000), max_size=12
    )
)
def test_a_kept_answer_has_at_most_4_kb_and_only_parts_of_the_answer(texts: dict[str, str]) -> None:
    answer: dict[str, Any] = {"actionId": "a" * 26, "state": "sent", **texts}
    content = {"statusCode": 200, "result": answer}
    item = kept_answers.kept(SEAL, "cause", content)
    again = kept_answers.opened(SEAL, "cause", item)

    assert len(json.dumps(item)) <= 4_096
    assert again["statusCode"] == 200
    result = again["result"]
    is_shortened = result.pop("isShortened", False)
    assert result.items() <= answer.items()
    assert is_shortened == (result != answer)
    assert (result["actionId"], result["state"]) == ("a" * 26, "sent")
