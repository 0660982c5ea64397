"""The words of mails to people who are absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.inbox.notifications.items import NotificationKind
from shared.providers.email.mime import Body
from shared.providers.email.mime import body_of as rendered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from console.store.notification_states import Language

_SUBJECT: Final = {
    "en": "Unread notifications: {count}",
    "de": "Ungelesene Benachrichtigungen: {count}",
    "ar": "إشعارات غير مقروءة: {count}",
}
_LINK: Final = {"en": "Open the inbox", "de": "Posteingang öffnen", "ar": "فتح صندوق الوارد"}
_END: Final = {
    "en": "You chose this mail in the settings of notifications, where you can also end it.",
    "de": "Sie haben diese Mail in den Einstellungen der Benachrichtigungen gewählt und können sie dort beenden.",
    "ar": "اخترت هذه الرسالة في إعدادات الإشعارات، ويمكنك إيقافها هناك.",
}
_KINDS: Final[Mapping[str, Mapping[NotificationKind, str]]] = {
    "en": {
        NotificationKind.ASSIGNED: "Assigned",
        NotificationKind.MENTIONED: "Mentioned in a note",
        NotificationKind.REPLIED: "Customer answered",
        NotificationKind.AT_RISK: "Target at risk",
        NotificationKind.OVERDUE: "Overdue",
        NotificationKind.DRAFT: "Draft waits",
        NotificationKind.CAMPAIGN: "Campaign ended or stopped",
        NotificationKind.ISSUE: "Newsletter sent or stopped",
        NotificationKind.WEBHOOK: "Webhook paused",
    },
    "de": {
        NotificationKind.ASSIGNED: "Zugewiesen",
        NotificationKind.MENTIONED: "In einer Notiz erwähnt",
        NotificationKind.REPLIED: "Kunde hat geantwortet",
        NotificationKind.AT_RISK: "Ziel gefährdet",
        NotificationKind.OVERDUE: "Überfällig",
        NotificationKind.DRAFT: "Entwurf wartet",
        NotificationKind.CAMPAIGN: "Kampagne beendet oder angehalten",
        NotificationKind.ISSUE: "Newsletter gesendet oder angehalten",
        NotificationKind.WEBHOOK: "Webhook angehalten",
    },
    "ar": {
        NotificationKind.ASSIGNED: "أُسندت",
        NotificationKind.MENTIONED: "ذُكرت في ملاحظة",
        NotificationKind.REPLIED: "رد العميل",
        NotificationKind.AT_RISK: "هدف مهدد",
        NotificationKind.OVERDUE: "تجاوز الموعد",
        NotificationKind.DRAFT: "مسودة تنتظر",
        NotificationKind.CAMPAIGN: "حملة انتهت أو توقفت",
        NotificationKind.ISSUE: "نشرة أُرسلت أو توقفت",
        NotificationKind.WEBHOOK: "أُوقف خطاف ويب مؤقتًا",
    },
}


def subject_of(language: Language, count: int) -> str:
    """Return the subject of a mail about *count* notifications."""
    return _SUBJECT[language].format(count=count)


def body_of(language: Language, counts: Mapping[str, int], url: str) -> Body:
    """Return the text of a mail: how many notifications of each kind, and the address of the console."""
    names = _KINDS[language]
    lines = [f"- {name}: {counts[kind]}" for kind, name in names.items() if counts.get(kind)]
    link = f"[{_LINK[language]}]({url})"
    return rendered("\n".join([*lines, "", link, "", _END[language]]))
