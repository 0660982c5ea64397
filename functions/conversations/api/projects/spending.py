"""The costs of a project's models in a month, its budget, and the prices that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.config import AiConfig, AiConfigBroken
from conversations.api.projects.versions import item_of
from conversations.api.projects.views import PriceView, ProjectSpendingView, SpentDayView
from conversations.configuration import projects
from conversations.configuration.projects import ConfigurationInvalid, Policy
from conversations.store.items.conversation import ChannelMethod
from conversations.store.limits import quotas
from shared.ai.spending import prices
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.ai.config import ConversationModel
    from conversations.api.access import ApiDependencies
    from conversations.api.projects.inputs import SpendingQuery
    from shared.ai.settings import EmbeddingSettings
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Attributes

_MONTH = len("2026-03")


def of_month(
    deps: ApiDependencies, caller: Caller, project_id: str, query: SpendingQuery
) -> ProjectSpendingView:
    """Return the days of a month (UTC) with calls. Raises NotFound."""
    item = item_of(deps, caller, project_id)
    month = query.month or clock.to_text(clock.now_ms())[:_MONTH]
    days = quotas.month(deps.resources.log, caller.company, project_id, month)
    policy = _policy(item)
    return ProjectSpendingView(
        project_id=project_id,
        month=month,
        dollars=prices.dollars(sum(spent.micros for _, spent in days)),
        days=[
            SpentDayView(
                day=day,
                calls=spent.calls,
                tokens_in=spent.tokens_in,
                tokens_out=spent.tokens_out,
                dollars=prices.dollars(spent.micros),
            )
            for day, spent in days
        ],
        dollars_per_day=policy.dollars_per_day,
        dollars_per_month=policy.dollars_per_month,
        warn_at_percent=policy.warn_at_percent,
        prices=_prices(item),
        list_prices_of=prices.AS_OF,
        list_price_sources=list(prices.SOURCES),
    )


def _policy(item: Attributes) -> Policy:
    try:
        return projects.parse(item).policy
    except ConfigurationInvalid:
        return Policy()


def _prices(item: Attributes) -> list[PriceView]:
    """Return the prices of the models of all channels, each model once."""
    found: dict[str, PriceView] = {}
    for channel in ChannelMethod:
        try:
            config = AiConfig.read(item.get("ai_config"), channel.value)
        except AiConfigBroken:
            continue
        for model in filter(None, (config, config.fallback)):
            view = _price(model)
            found.setdefault(view.model, view)
        if embedding := config.embedding:
            view = _price_of_embeddings(embedding)
            found.setdefault(view.model, view)
    return list(found.values())


def _price_of_embeddings(embedding: EmbeddingSettings) -> PriceView:
    return PriceView(
        model=embedding.model or embedding.provider,
        input=prices.price_of_embeddings(embedding).token_in,
        output=0,
        cached_input=0,
        is_list_price=embedding.price is None,
    )


def _price(model: ConversationModel) -> PriceView:
    price = prices.price_for(model)
    cached = price.token_in * prices.CACHED_SHARE if price.cached_in is None else price.cached_in
    return PriceView(
        model=model.model or model.provider,
        input=price.token_in,
        output=price.token_out,
        cached_input=cached,
        is_list_price=model.price is None,
    )
