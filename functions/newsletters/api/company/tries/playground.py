"""
Tries a version of a company's settings on one step of a newsletter: finds its passages, or has the model plan its
outline or write a section. Nothing is stored, and the newsletter stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from newsletters.api.access import NotFound, readable
from newsletters.api.company import proven, versions
from newsletters.api.company.tries.views import FindingView, StepTrialView, TriedPassageView
from newsletters.api.company.tries.written import SECTION
from newsletters.drafting.outlines.changes import reference_of
from newsletters.drafting.retrieval.passages import retrieved
from newsletters.drafting.tried_steps import NoSection, StepWork, severity_of
from newsletters.jobs.failures import StepFailed
from shared.ai import port as ai
from shared.ai.calls.model_calls import NO_TIME_LEFT, ModelCalls
from shared.ai.playground.failures import ModelUnavailable, ModelUnusable
from shared.ai.playground.traces import Traced
from shared.ai.providers.model_creation import model_for
from shared.ai.retrieval import RetrievalRefused, RetrieverUnavailable
from shared.ai.retrieval.settings import RetrievalSettings, retriever_for
from shared.ai.settings import ModelSettings
from shared.ai.spending import prices
from shared.ai.spending.company_model import CompanyModel
from shared.api.errors import InvalidInput
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import Misconfigured, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.api.company.tries.inputs import StepTrialInput
    from newsletters.api.inputs import SettingsInput
    from newsletters.api.queries import ApiDependencies
    from newsletters.drafting.tried_steps import Made, TriedStep
    from newsletters.store.content.newsletters import Newsletter
    from newsletters.store.items import Chunk, Reference
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.ai.retrieval.port import Passage, Query, Retriever
    from shared.ai.retrieval.settings import RetrievalDependencies
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table

SPARE_MS: Final = 3 * clock.SECOND_MS  # to build and send the response
NO_RESULTS: Final = "no_results"


@dataclass(frozen=True, slots=True)
class TrialDependencies:
    """The models and documents of all companies. *spending*: the counts of what models cost them."""

    models: ModelDependencies
    retrieval: RetrievalDependencies
    spending: Table


@dataclass(frozen=True, slots=True)
class StepPlayground:
    """Tries over the table of newsletters; calls of models count for the companies' ceilings."""

    deps: ApiDependencies
    tries: TrialDependencies

    def answer(self, caller: Caller, given: StepTrialInput, remaining_ms: int) -> StepTrialView:
        """
        Return what the step makes. Raises NotFound, NoVersion, InvalidInput, NotProven, CorpusTooLarge,
        ModelUnavailable and ModelUnusable.
        """
        deadline_ms = clock.now_ms() + remaining_ms - SPARE_MS
        changes = given.settings.values()
        settings, version = versions.to_try(self.deps, caller.company, given.version, changes)
        proven.require(self.deps, caller.company, settings)
        newsletter = self._newsletter(caller, given)
        if given.step == "topics":
            return self._searched(newsletter, settings, version, deadline_ms)
        return self._written(newsletter, given, settings, version, deadline_ms)

    def _newsletter(self, caller: Caller, given: StepTrialInput) -> Newsletter:
        if given.newsletter is not None:
            return given.newsletter.as_newsletter(caller.company)
        return readable(self.deps.resources.store, caller, given.code or "")

    def _searched(
        self,
        newsletter: Newsletter,
        settings: SettingsInput,
        version: int | None,
        deadline_ms: int,
    ) -> StepTrialView:
        topics = newsletter.topics
        if topics is None or not topics.selected_types:
            raise InvalidInput([{"field": "code", "problem": "the newsletter has no topics yet"}])
        retrieval = RetrievalSettings.model_validate(settings.retrieval.model_dump())
        began = clock.now_ms()
        try:
            whole = retriever_for(retrieval, self.tries.retrieval)
            retriever = _UntilDeadline(whole, deadline_ms)
            found = retrieved(retriever, retrieval, newsletter.metadata, topics)
        except RetrieverUnavailable:
            raise ModelUnavailable("retriever_unavailable") from None
        except RetrievalRefused:
            raise ModelUnusable("knowledge_base_refused") from None
        chunks = found.retrieved_content
        return StepTrialView(
            version=version,
            step="topics",
            text=None,
            failure=None if chunks else NO_RESULTS,
            findings=[],
            passages=[_passage(reference_of(one), one) for one in chunks],
            queries=found.queries,
            repairs=0,
            model=retrieval.retriever,
            model_calls=[],
            tokens_in=0,
            tokens_out=0,
            ms=clock.now_ms() - began,
            dollars=prices.dollars(0),
        )

    def _written(
        self,
        newsletter: Newsletter,
        given: StepTrialInput,
        settings: SettingsInput,
        version: int | None,
        deadline_ms: int,
    ) -> StepTrialView:
        if settings.ai is None:
            raise InvalidInput([{"field": "settings.ai", "problem": "is needed: the model"}])
        configured = ModelSettings.model_validate(settings.ai.model_dump())
        step: TriedStep = "outline" if given.step == "outline" else "section"
        work = StepWork(
            newsletter=newsletter,
            step=step,
            configured=configured,
            checks_claims=settings.check_claims,
            section=SECTION if given.newsletter else given.section,
            words=given.newsletter.words if given.newsletter else None,
        )
        try:
            read = work.passages
        except NoSection:
            raise NotFound(
                "section: section not found, or nothing of it is to be written"
            ) from None
        except StepFailed:
            problem = "the newsletter has no passages yet"
            raise InvalidInput([{"field": "code", "problem": problem}]) from None
        tried = self._tried(work, newsletter.metadata.company_id, deadline_ms)
        return StepTrialView(
            version=version,
            step=given.step,
            text=tried.made.text if tried.made else None,
            failure=tried.failure,
            findings=_findings(tried.made),
            passages=_passages(newsletter, read, tried.made),
            queries=[],
            repairs=sum(len(one.history) > 1 for one in tried.traced.calls),
            **tried.traced.trace(tried.usage),
        )

    def _tried(self, work: StepWork, company: str, deadline_ms: int) -> _Tried:
        try:
            model = model_for(work.configured, self.tries.models, company)
            price = prices.price_for(work.configured)
            counted = CompanyModel(model, price, self.tries.spending, company, spares=True)
            tried = _Tried(Traced(counted))
            calls = ModelCalls(model=tried.traced, deadline_ms=deadline_ms)
            try:
                tried.made = work.made(calls)
            except StepFailed as failure:
                tried.failure = failure.code
            tried.usage = calls.usage
        except ai.Unavailable as failure:
            may_pass = failure.repeat is ai.Repeat.LATER
            raise (ModelUnavailable if may_pass else ModelUnusable)(failure.code) from None
        except SecretUnreadable:
            raise ModelUnusable("secrets_missing") from None
        except Misconfigured as refusal:
            raise ModelUnusable(refusal.code) from None
        except NotSent as failure:
            raise ModelUnavailable(failure.code) from None
        return tried


@dataclass(frozen=True, slots=True)
class _UntilDeadline:
    """A retriever that begins no query after a time: the worker has minutes for what a call has seconds for."""

    retriever: Retriever
    deadline_ms: int

    def retrieve(self, company_id: str, query: Query, *, limit: int) -> list[Passage]:
        """See `Retriever`. Raises ModelUnavailable."""
        if clock.now_ms() >= self.deadline_ms:
            raise ModelUnavailable(NO_TIME_LEFT)
        return self.retriever.retrieve(company_id, query, limit=limit)


@dataclass(slots=True)
class _Tried:
    """What the model has written, or the code of the failure of its answer."""

    traced: Traced
    made: Made | None = field(default=None, repr=False)
    failure: str | None = None
    usage: ai.Usage = field(default_factory=ai.Usage)


def _findings(made: Made | None) -> list[FindingView]:
    return [
        FindingView(
            code=one.code,
            severity=severity_of(one.code),
            text=one.text,
            item=one.item,
            passage=one.passage,
        )
        for one in (made.warnings if made else ())
    ]


def _passages(
    newsletter: Newsletter, read: Sequence[Reference], made: Made | None
) -> list[TriedPassageView]:
    """Return the passages that the model has read; those of an earlier search have neither a topic nor a score."""
    found = newsletter.topics.retrieved_content if newsletter.topics else []
    known = {one.chunk_id: one for one in found}
    cited = {one.id for one in made.cited} if made else set()
    return [_passage(one, known.get(one.id), is_cited=one.id in cited) for one in read]


def _passage(one: Reference, found: Chunk | None, *, is_cited: bool = False) -> TriedPassageView:
    return TriedPassageView(
        chunk_id=one.id,
        title=one.title,
        date=one.date,
        text=one.text,
        url=one.url,
        topic=found.topic if found else None,
        score=f"{found.score:.3f}" if found else None,
        cited=is_cited,
    )
