"""All item types of the whatsapp table: key patterns and attribute names, as in the contract."""

from whatsapp.store.items.accounts.accounts import (
    BusinessProfile,
    InfraConfig,
    MediaTypesConfig,
    QualityEntry,
    QualityRating,
    WebhookConfig,
)
from whatsapp.store.items.accounts.catalogs import Catalog, Product
from whatsapp.store.items.accounts.phones import AccountOwner, Phone, PhoneCompanies, PhoneList
from whatsapp.store.items.accounts.refreshes import NumberRefresh
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMedia, TemplateMeta
from whatsapp.store.items.accounts.tenants import (
    PaymentConfig,
    PaymentOrder,
    PaymentTransaction,
    Refund,
    Tenant,
)
from whatsapp.store.items.analytics.changed_hours import ChangedHours
from whatsapp.store.items.analytics.counts import Analytics, Counting, CountingPart, Hour
from whatsapp.store.items.analytics.exports import ExportJob
from whatsapp.store.items.analytics.job_positions import JobPositions
from whatsapp.store.items.contacts.aliases import Alias
from whatsapp.store.items.contacts.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.contacts.customers import (
    Address,
    AddressDefault,
    FlowConfig,
    FlowKeys,
    FlowResponse,
    FlowToken,
)
from whatsapp.store.items.contacts.privacy import ErasedContact, PrivacyJob
from whatsapp.store.items.conversations.agents import ConversationChange, Note
from whatsapp.store.items.conversations.conversations import Conversation
from whatsapp.store.items.conversations.edit_authors import EditAuthor
from whatsapp.store.items.conversations.groups import Call, Group, GroupParticipant, GroupRequest
from whatsapp.store.items.conversations.media import Media
from whatsapp.store.items.conversations.messages import Edit, Intent, Message, Reaction, Status
from whatsapp.store.items.events.events import ParkedEntry, WebhookEvent
from whatsapp.store.items.events.quotas import ParkedQuota
from whatsapp.store.items.item import WhatsAppItem
from whatsapp.store.items.sending.campaigns import (
    Campaign,
    CampaignPage,
    MessagePrices,
    OpenCampaigns,
)
from whatsapp.store.items.sending.canned_replies import CannedReply, CannedReplyList
from whatsapp.store.items.sending.rates import SendRate
from whatsapp.store.items.sending.requests import Idempotency
from whatsapp.store.items.sending.sequences import Sequence, SequenceRun, Timer
from whatsapp.store.items.sending.unknown_sends import UnknownSend

# In the contract's order.
CONTRACTED: tuple[type[WhatsAppItem], ...] = (
    Message, Conversation, Tenant, PaymentConfig, PaymentOrder, Refund, BusinessProfile, TemplateEum, TemplateMeta,
    TemplateMedia, Media, Group, Catalog, Product, Campaign, WebhookEvent, WebhookConfig, Call, Analytics,
    QualityRating, InfraConfig, MediaTypesConfig, Address, FlowResponse, Idempotency,
)  # fmt: skip
SUPPORT: tuple[type[WhatsAppItem], ...] = (
    Phone, PhoneList, PhoneCompanies, AccountOwner,
    Alias, Status, Reaction, Edit, EditAuthor, Intent, QualityEntry, GroupParticipant, GroupRequest,
    AddressDefault, PaymentTransaction, CampaignPage, OpenCampaigns, MessagePrices, Hour, FlowToken, FlowConfig,
    FlowKeys,
    ChangedHours, Counting, CountingPart, ParkedEntry, ParkedQuota, PrivacyJob, ErasedContact, ContactLink,
    ContactLinkChange, Note, ConversationChange, SendRate, CannedReply, CannedReplyList, ExportJob, UnknownSend,
    NumberRefresh, JobPositions, Sequence, SequenceRun, Timer,
)  # fmt: skip

__all__ = [
    "CONTRACTED", "SUPPORT", "AccountOwner",
    "Address", "AddressDefault", "Alias", "Analytics", "BusinessProfile", "Call", "Campaign",
    "CampaignPage", "CannedReply", "CannedReplyList", "Catalog", "ChangedHours", "ContactLink",
    "ContactLinkChange", "Conversation", "ConversationChange", "Counting",
    "CountingPart", "Edit", "EditAuthor", "ExportJob", "FlowConfig", "FlowKeys",
    "FlowResponse", "FlowToken", "Group",
    "GroupParticipant", "GroupRequest", "Hour", "Idempotency", "InfraConfig", "Intent", "JobPositions", "Media",
    "MediaTypesConfig", "Message", "MessagePrices", "Note", "NumberRefresh", "OpenCampaigns", "ParkedEntry",
    "ParkedQuota", "PaymentConfig", "PaymentOrder",
    "PaymentTransaction", "Phone", "PhoneCompanies", "PhoneList", "PrivacyJob", "Product", "QualityEntry",
    "QualityRating", "Reaction", "Refund", "SendRate", "Sequence", "SequenceRun", "Status",
    "TemplateEum", "TemplateMedia", "TemplateMeta", "Tenant", "Timer", "UnknownSend", "WebhookConfig", "WebhookEvent",
]  # fmt: skip
_patterns = [item.pk_pattern for item in (*CONTRACTED, *SUPPORT)]
if len(set(_patterns)) != len(_patterns):
    raise TypeError("two item types share a key pattern")
