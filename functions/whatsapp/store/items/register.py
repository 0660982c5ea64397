"""All item types of the whatsapp table: key patterns and attribute names, as in the contract."""

from whatsapp.store.items.accounts import (
    BusinessProfile,
    InfraConfig,
    MediaTypesConfig,
    QualityEntry,
    QualityRating,
    WebhookConfig,
)
from whatsapp.store.items.agents import ConversationChange, Note
from whatsapp.store.items.aliases import Alias
from whatsapp.store.items.campaigns import Campaign, CampaignPage, MessagePrices, OpenCampaigns
from whatsapp.store.items.canned_replies import CannedReply, CannedReplyList
from whatsapp.store.items.catalogs import Catalog, Product
from whatsapp.store.items.changed_hours import ChangedHours
from whatsapp.store.items.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.conversations import Conversation
from whatsapp.store.items.counts import Analytics, Counting, CountingPart, Hour
from whatsapp.store.items.customers import (
    Address,
    AddressDefault,
    FlowConfig,
    FlowKeys,
    FlowResponse,
    FlowToken,
)
from whatsapp.store.items.edit_authors import EditAuthor
from whatsapp.store.items.events import ParkedEntry, WebhookEvent
from whatsapp.store.items.exports import ExportJob
from whatsapp.store.items.groups import Call, Group, GroupParticipant, GroupRequest
from whatsapp.store.items.item import WhatsAppItem
from whatsapp.store.items.job_positions import JobPositions
from whatsapp.store.items.media import Media
from whatsapp.store.items.messages import Edit, Intent, Message, Reaction, Status
from whatsapp.store.items.phones import AccountOwner, Phone, PhoneCompanies, PhoneList
from whatsapp.store.items.privacy import ErasedContact, PrivacyJob
from whatsapp.store.items.quotas import ParkedQuota
from whatsapp.store.items.rates import SendRate
from whatsapp.store.items.refreshes import NumberRefresh
from whatsapp.store.items.requests import Idempotency
from whatsapp.store.items.sequences import Sequence, SequenceRun, Timer
from whatsapp.store.items.templates import TemplateEum, TemplateMedia, TemplateMeta
from whatsapp.store.items.tenants import (
    PaymentConfig,
    PaymentOrder,
    PaymentTransaction,
    Refund,
    Tenant,
)
from whatsapp.store.items.unknown_sends import UnknownSend

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
