"""Items of company A of each type that actions name by an id: the ids of the sample bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.whatsapp.actions import (
    campaigns,
    catalogs,
    conversations,
    flows,
    groups_and_calls,
    messages,
)
from events.whatsapp.direct import ORDER
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from whatsapp.store.items import Message
from whatsapp.store.items.accounts.catalogs import Catalog, Product
from whatsapp.store.items.accounts.templates import TemplateMeta
from whatsapp.store.items.accounts.tenants import PaymentConfig, PaymentOrder, Refund, Tenant
from whatsapp.store.items.analytics.exports import ExportJob
from whatsapp.store.items.contacts.customers import Address, FlowConfig, FlowResponse, FlowToken
from whatsapp.store.items.conversations.groups import Call, Group
from whatsapp.store.items.conversations.media import Media
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage, MessagePrices
from whatsapp.store.items.sending.sequences import Sequence, SequenceRun

if TYPE_CHECKING:
    from whatsapp.store.items.item import WhatsAppItem

CAMPAIGN, EXPORT, RUN = campaigns.CAMPAIGN, "export-of-acme", "sequence-run-of-acme"
TENANT, PAYMENT_CONFIG, REFUND = "acme-harbour", "razorpay_main", "01HVZ7Q8R9S0T1V2W3X4Y5Z6A7"
ADDRESS, MEDIA = "address-of-ada", "1003383421387256"
FILE = "uploads/acme/shop-front.png"
STORED_FILE = f"media/{COMPANY}/{COUNTER.phone}/{MEDIA}/file.png"
AT = "2026-01-01T12:00:00.000Z"
GROUP = groups_and_calls.RIDERS["groupId"]
OF_A: dict[str, Any] = {"company": COMPANY}
OF_THE_ACCOUNT = OF_A | {"waba_meta_id": COUNTER.waba}


def items_of_a() -> list[WhatsAppItem]:
    """One item of each type that an action finds by an id from its caller."""
    return [*_money(), *_sending(), *_of_customers(), *_of_the_provider()]


def _money() -> list[WhatsAppItem]:
    of_ada = OF_A | {"customer_phone": ADA.wa_id, "tenant_id": TENANT, "created_at": AT}
    return [
        Tenant(
            pk=Tenant.key(TENANT),
            **OF_A,
            tenant_id=TENANT,
            display_name="Acme Harbour",
            waba_id=COUNTER.waba,
            default_payment_config=PAYMENT_CONFIG,
        ),
        PaymentConfig(
            pk=PaymentConfig.key(TENANT, PAYMENT_CONFIG),
            **OF_A,
            tenant_id=TENANT,
            config_name=PAYMENT_CONFIG,
            type="PG",
            status="active",
            account=COUNTER.waba,
            provider_name="razorpay",
        ),
        PaymentOrder(
            pk=PaymentOrder.key(ORDER),
            **of_ada,
            order_id=ORDER,
            reference_id=ORDER,
            config_name=PAYMENT_CONFIG,
            currency="INR",
            total_amount=2_500,
            status="completed",
            payment_status="captured",
            phone=COUNTER.phone,
        ),
        Refund(
            pk=Refund.key(REFUND),
            **of_ada,
            refund_id=REFUND,
            order_id=ORDER,
            reference_id=ORDER,
            amount=500,
            currency="INR",
            status="pending",
        ),
    ]


def _sending() -> list[WhatsAppItem]:
    return [
        Campaign(
            pk=Campaign.key(CAMPAIGN),
            **OF_THE_ACCOUNT,
            campaign_id=CAMPAIGN,
            name="Spring",
            status="running",
            created_at=AT,
            phone=COUNTER.phone,
            created_by="api-key:owner",
            kind="text",
            text="Spring sale",
            pages=1,
            rows=1,
            total_recipients=1,
            source_key=FILE,
        ),
        CampaignPage(pk=CampaignPage.of(CAMPAIGN, 1), **OF_A, size=1),
        MessagePrices(
            pk=MessagePrices.key(COMPANY),
            **OF_A,
            currency="EUR",
            as_of="2026-01-01",
            source="rate card of A",
            prices={"DE": {"marketing": 1}},
            set_at=AT,
            set_by="api-key:owner",
        ),
        Sequence(
            pk=Sequence.key(COUNTER.waba, "welcome"),
            **OF_A,
            account=COUNTER.waba,
            sequence_name="welcome",
            steps=[{"delayMinutes": 0, "text": "Welcome to Acme"}],
            enabled=True,
            trigger="request_welcome",
            stop_on_reply=True,
            created_by="api-key:owner",
            updated_at=AT,
        ),
        SequenceRun(
            pk=SequenceRun.key(RUN),
            **OF_A,
            run_id=RUN,
            phone=COUNTER.phone,
            account=COUNTER.waba,
            sequence_name="welcome",
            conversation=f"CONV#{COUNTER.phone}#{ADA.wa_id}",
            started_at=AT,
            due_at=AT,
        ),
        ExportJob(
            pk=ExportJob.key(EXPORT),
            **OF_A,
            job_id=EXPORT,
            phone=COUNTER.phone,
            format="jsonl",
            folder="exports/acme/messages/a/b/",
            requested_at=AT,
            requested_by="api-key:owner",
            until=AT,
            most=10,
            conversation=f"CONV#{COUNTER.phone}#{ADA.wa_id}",
            positions={},
        ),
        TemplateMeta(
            pk=TemplateMeta.key(COUNTER.waba, "bike_ready"),
            **OF_THE_ACCOUNT,
            template_name="bike_ready",
            template_id="template-0007",
            status="APPROVED",
            category="UTILITY",
            language="en_US",
        ),
    ]


def _of_customers() -> list[WhatsAppItem]:
    of_ada: dict[str, Any] = OF_A | {"customer_phone": ADA.wa_id}
    return [
        *(
            Message(
                pk=Message.key(named["messageId"]),
                **OF_A,
                direction="INBOUND",
                received_at=AT,
                from_=ADA.wa_id,
                from_pk=ADA.wa_id,
                sender_phone=ADA.wa_id,
                conversation_pk=f"CONV#{COUNTER.phone}#{ADA.wa_id}",
                type="text",
                text_body="Is my bike ready?",
                phone=COUNTER.phone,
                payload_hash="of the sample",
            )
            for named in (messages.HERS, conversations.MESSAGE)
        ),
        Address(
            pk=Address.key(ADA.wa_id, ADDRESS),
            **of_ada,
            address_id=ADDRESS,
            address="1 Harbour Street",
            created_at=AT,
        ),
        FlowToken(pk=FlowToken.of(flows.TOKEN), **of_ada, flow=flows.FLOW, phone=COUNTER.phone),
        FlowResponse(
            pk=FlowResponse.key(flows.FLOW, "wamid.form"),
            **of_ada,
            flow_id=flows.FLOW,
            response_id="wamid.form",
            completed_at=AT,
            waba_meta_id=COUNTER.waba,
            created_at=AT,
        ),
        FlowConfig(pk=FlowConfig.key(flows.FLOW), **OF_A, first_screen="SERVICE"),
    ]


def _of_the_provider() -> list[WhatsAppItem]:
    return [
        Media(
            pk=Media.key(MEDIA),
            **OF_THE_ACCOUNT,
            media_id=MEDIA,
            media_status="STORED",
            phone=COUNTER.phone,
            s3_key=STORED_FILE,
            content_type="image/png",
            content_length=8,
        ),
        *(
            Catalog(pk=Catalog.key(catalog), **OF_THE_ACCOUNT, catalog_id=catalog, connected=True)
            for catalog in (catalogs.CATALOG, messages.CATALOG)
        ),
        Product(
            pk=Product.key(messages.CATALOG, "bike-7"),
            **OF_A,
            catalog_id=messages.CATALOG,
            retailer_id="bike-7",
            name="Bike",
        ),
        Group(pk=Group.key(GROUP), **OF_THE_ACCOUNT, group_id=GROUP, phone=COUNTER.phone),
        Call(
            pk=Call.key(groups_and_calls.CALL),
            **OF_THE_ACCOUNT,
            call_id=groups_and_calls.CALL,
            from_=ADA.wa_id,
            to=COUNTER.display,
            status="ringing",
            started_at=AT,
            received_at=AT,
            phone=COUNTER.phone,
            call_direction="USER_INITIATED",
            status_rank=1,
        ),
    ]


# Attacks by other parameters than the sample bodies have.
FURTHER_CALLS: list[tuple[str, dict[str, Any]]] = [
    (
        "create_campaign",
        {
            "phoneNumberId": COUNTER.phone,
            "campaignName": "Spring",
            "text": "Hello",
            "recipientsS3Key": FILE,
        },
    ),
    ("get_media_url", {"s3Key": STORED_FILE}),
    ("get_campaign_stats", {"metaWabaId": COUNTER.waba, "campaignId": CAMPAIGN}),
    ("get_campaigns", {"metaWabaId": COUNTER.waba}),
    ("get_campaign_recipients", {"campaignId": CAMPAIGN}),
]
