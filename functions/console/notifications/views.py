"""Response models of notifications."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.models import views
from shared.inbox.items import Channel, Context, DueFor  # noqa: TC001 - fields of models
from shared.inbox.notifications.items import NotificationKind  # noqa: TC001 - fields of models

_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class NotifiedConversation(views.View):
    """The conversation of a notification, by what the inbox shows of it now; `key` as in a row of the inbox."""

    model_config = _IN_CAMEL

    context: Context
    key: str
    channel: Channel
    contact: str | None
    handle_text: str | None
    subject: str | None
    due_at: str | None
    due_for: DueFor | None


class NotificationView(views.View):
    """
    A notification. `owner`: the caller, or a team of the query. `by`: who caused it. Without `conversation` it does not
    exist any more, or it is about a `campaign`, whose id the action `get_campaign` takes, about an `issue` of a
    newsletter, or about a `webhook`.
    """

    model_config = _IN_CAMEL

    id: str
    kind: NotificationKind
    at: str
    owner: str
    by: str | None
    is_read: bool
    conversation: NotifiedConversation | None
    campaign: str | None
    issue: str | None
    webhook: str | None


class NotificationSettings(views.View):
    """
    A person's settings of notifications. `isDigestOffered`: whether this deployment can send mails. `lacksAddress`: the
    mails have ended because the person's login has no proven mail address.
    """

    model_config = _IN_CAMEL

    muted: list[NotificationKind]
    quiet_until: str | None
    quiet_from: str | None
    quiet_to: str | None
    zone: str | None
    digest_hours: int | None
    is_digest_offered: bool
    lacks_address: bool


class Notifications(views.View):
    """
    The newest notifications of the caller and of teams. `unread` counts all kinds that are not muted; at most 200 of
    each owner are read.
    """

    notifications: list[NotificationView]
    unread: int
    settings: NotificationSettings


class PushKey(views.View):
    """The key that a browser names to its push service: only this deployment can send to it then."""

    key: str


class Subscribed(views.View):
    """Whether a browser gets pushes now."""

    model_config = _IN_CAMEL

    is_subscribed: bool


class ReadState(views.View):
    """All notifications up to this time are read."""

    model_config = _IN_CAMEL

    read_to: str
