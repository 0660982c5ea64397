"""Read access to the daily counts of an account."""

from datetime import timedelta

from shared.api.cursors import Page
from shared.aws.dynamodb import Table
from whatsapp import store
from whatsapp.api.inputs import AnalyticsQuery
from whatsapp.api.queries import NotFound
from whatsapp.api.views import AnalyticsDay, AnalyticsDays
from whatsapp.store.items.analytics.counts import Analytics


def analytics(table: Table, company: str, query: AnalyticsQuery) -> Page[AnalyticsDays]:
    """
    Return the counted days of an account of *company*, oldest first. Days without messages are omitted.

    Raises NotFound.
    """
    phones = store.phones.of_company(table, company)
    if not any(entry.get("waba") == query.waba for entry in phones):
        raise NotFound("waba: account not found")
    span = range((query.last - query.first).days + 1)
    dates = [(query.first + timedelta(days=ahead)).isoformat() for ahead in span]
    counted_days = store.counts.days(table, [Analytics.key(query.waba, day) for day in dates])
    company_days = sorted(
        (day for day in counted_days if day.company == company), key=lambda day: day.date
    )
    shown = [
        AnalyticsDay(**day.model_dump(include=set(AnalyticsDay.model_fields)))
        for day in company_days
    ]
    return Page(AnalyticsDays(analytics=shown), cursor=None)
