"""The errors of steps and exports: a code for programs, and a fixed sentence for people."""

from __future__ import annotations

from typing import Final

SENTENCES: Final = {
    "no_results": "No passages were found for the selected topics.",
    "retriever_unavailable": "The document search did not answer.",
    "corpus_too_large": "The company has more documents than the embedded search can hold.",
    "knowledge_base_refused": "The knowledge base refused the search; check its id in the settings, and its grant.",
    "ai_not_configured": "The company has no valid settings of a language model.",
    "ai_unavailable": "The language model did not answer.",
    "ai_refused": "The language model refused to write this text.",
    "output_truncated": "The language model's answer was cut off twice.",
    "outline_invalid": "The language model's outline broke the rules twice.",
    "draft_invalid": "The language model's text broke the rules twice.",
    "outline_changed": "The outline has changed since the section was asked for.",
    "quota_exceeded": "The company has used up its calls of the language model for today.",
    "spending_limit": "The company has spent its limit on language models for the day or the month.",
    "timeout": "The work took longer than twenty minutes.",
    "internal_error": "The work failed because of an error in Parley.",
}


class StepFailed(Exception):
    """A job cannot succeed: *code* is one of SENTENCES. Contains no content."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        self.sentence = SENTENCES[code]
