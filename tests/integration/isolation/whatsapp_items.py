"""Items of company A of each type that actions name by an id, and calls that name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.whatsapp.actions import catalogs, flows, groups_and_calls, messages
from events.whatsapp.direct import ORDER
from events.whatsapp.sample_data import ADA, COMPANY, COUNTER
from whatsapp.store.items.campaigns import Campaign, CampaignPage
from whatsapp.store.items.customers import Address, FlowConfig, FlowResponse, FlowToken
from whatsapp.store.items.exports import ExportJob
from whatsapp.store.items.groups import Call, Group
from whatsapp.store.items.media import Media
from whatsapp.store.items.sequences import Sequence, SequenceRun
from whatsapp.store.items.shop import Catalog, Product
from whatsapp.store.items.templates import TemplateMeta
from whatsapp.store.items.tenants import PaymentConfig, PaymentOrder, Refund, Tenant

if TYPE_CHECKING:
    from whatsapp.store.items.item import WhatsAppItem

CAMPAIGN, EXPORT, RUN = "campaign-of-acme", "export-of-acme", "sequence-run-of-acme"
TENANT, PAYMENT_CONFIG, REFUND = "acme-harbour", "razorpay_main", "01HVZ7Q8R9S0T1V2W3X4Y5Z6A7"
ADDRESS, MEDIA = "address-of-ada", "1003383421387256"
FILE = "uploads/acme/shop-front.png"
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
            s3_key=FILE,
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


_ON_COUNTER = {"phoneNumberId": COUNTER.phone}
_ADA = f"+{ADA.wa_id}"
_TO_ADA = _ON_COUNTER | {"to": _ADA}
_ACCOUNT = {"metaWabaId": COUNTER.waba}
_CAMPAIGN, _REFUND, _MEDIA = {"campaignId": CAMPAIGN}, {"refundId": REFUND}, {"mediaId": MEDIA}
_CONFIG = {"tenantId": TENANT, "configName": PAYMENT_CONFIG}
_AT_META = _ACCOUNT | {"configurationName": PAYMENT_CONFIG}
_OF_ADA = {"customerPhone": _ADA} | _ACCOUNT
_CONTACT = {"contact": _ADA}
_PLACE = {"address": "1 Harbour Street", "city": "Pune", "name": "Ada", "phone_number": _ADA}
_BIKE = {"retailerId": "bike-7", "name": "Bike", "amount": 2_500, "quantity": 1}
_ORDER = {"referenceId": ORDER}
_WHOLE_ORDER: dict[str, Any] = _ORDER | {
    "totalAmount": 2_500,
    "order": {"items": [_BIKE], "subtotal": 2_500, "tax": 0},
}
WIX = {
    "eventType": "paid",
    "orderId": ORDER,
    "customerPhone": "+447700900101",
    "orderTotal": 2_500,
    "currency": "INR",
}
# Of actions whose package has no sample bodies.
CALLS: dict[str, dict[str, Any]] = {
    "block_users": _ON_COUNTER | {"users": [_ADA]},
    "bulk_send": _ON_COUNTER | {"type": "text", "text": "Hello", "recipients": [_ADA]},
    "cancel_campaign": _CAMPAIGN,
    "cancel_refund": _REFUND,
    "complete_refund": _REFUND,
    "create_campaign": _ON_COUNTER
    | {"campaignName": "Spring", "text": "Hello", "recipientsS3Key": FILE},
    "create_payment_request": _TO_ADA | {"orderId": ORDER, "amount": 2_500},
    "create_refund": {"paymentId": ORDER, "amount": 100},
    "delete_media": _ON_COUNTER | _MEDIA | {"deleteStored": True},
    "delete_payment_configuration": _AT_META,
    "delete_saved_address": _OF_ADA | {"addressId": ADDRESS},
    "download_media": _ON_COUNTER | _MEDIA,
    "erase_contact": _CONTACT | {"confirm": True},
    "eum_download_media": _ON_COUNTER | _MEDIA,
    "eum_get_media_stats": _ACCOUNT,
    "eum_get_supported_formats": {},
    "eum_setup_s3_lifecycle": {"expirationDays": 90},
    "eum_upload_media": _ON_COUNTER | {"s3Key": FILE},
    "eum_validate_media": {"s3Key": FILE},
    "export_contact": _CONTACT,
    "fail_refund": _REFUND,
    "get_blocked_users": _ON_COUNTER,
    "get_campaign": _CAMPAIGN,
    "get_campaign_recipients": _CAMPAIGN,
    "get_campaign_stats": _ACCOUNT | _CAMPAIGN,
    "get_campaigns": _ACCOUNT,
    "get_consent": _CONTACT,
    "get_contact": _CONTACT | _ON_COUNTER,
    "get_customer_addresses": _OF_ADA,
    "get_media_types": {},
    "get_media_url": {"s3Key": FILE},
    "get_payment_configuration": _CONFIG,
    "get_payment_configurations": _ACCOUNT,
    "get_payment_oauth_link": _AT_META,
    "get_payment_status": {"paymentId": ORDER},
    "get_payments": {"tenantId": TENANT},
    "get_refund": _REFUND,
    "get_refunds": {"orderId": ORDER},
    "get_saved_addresses": _OF_ADA,
    "get_supported_formats": {},
    "get_tenant": {"tenantId": TENANT},
    "get_wix_orders": {"tenantId": TENANT},
    "link_contact_identity": _CONTACT | _ON_COUNTER | {"alias": "+447700900177"},
    "list_payment_configurations": {"tenantId": TENANT},
    "lookup_payment": _ORDER,
    "meta_payment_onboarding": _AT_META
    | {"tenantId": TENANT, "mcc": "5940", "purposeCode": "03", "paymentGateway": "razorpay"},
    "pause_campaign": _CAMPAIGN,
    "payment_onboarding": _AT_META | {"tenantId": TENANT, "provider": "razorpay", "mcc": "5940"},
    "process_address_response": {"messageId": messages.HERS["messageId"]} | _ACCOUNT,
    "process_payment_webhook": _ORDER | {"paymentStatus": "captured"},
    "process_refund": _REFUND,
    "process_refund_webhook": _REFUND | {"status": "completed"},
    "process_wix_webhook": _ACCOUNT | {"wixEvent": WIX},
    "refresh_media_types": {},
    "resume_campaign": _CAMPAIGN,
    "save_address": _OF_ADA | {"addressId": ADDRESS, "address": _PLACE},
    "save_tenant": {"tenantId": TENANT, "displayName": "Globex", "wabaId": COUNTER.waba},
    "seed_payment_configs": {"tenantId": TENANT},
    "send_checkout_template": _TO_ADA
    | _WHOLE_ORDER
    | {"templateName": "bike_ready", "paymentConfigurationName": PAYMENT_CONFIG},
    "send_order_details": _TO_ADA | _ORDER | {"items": [_BIKE], "tenantId": TENANT},
    "send_order_details_with_payment": {
        "tenantId": TENANT,
        "toPhone": _ADA,
        "order": _WHOLE_ORDER["order"] | _ORDER,
    },
    "send_order_status": _TO_ADA | _ORDER | {"status": "shipped"},
    "send_payment_confirmation": {"paymentId": ORDER},
    "send_payment_order": _TO_ADA | _WHOLE_ORDER | {"tenantId": TENANT},
    "set_consent": _CONTACT
    | {"purpose": "marketing", "state": "opted_in", "evidence": "the form of the shop"},
    "set_default_payment_configuration": _CONFIG,
    "start_campaign": _CAMPAIGN,
    "unblock_users": _ON_COUNTER | {"users": [_ADA]},
    "unlink_contact_identity": _CONTACT | _ON_COUNTER | {"alias": "+447700900177"},
    "update_payment_status": {"paymentId": ORDER, "status": "captured"},
    "upload_media": _ON_COUNTER | {"s3Key": FILE},
    "validate_address": {"address": _PLACE},
    "validate_media": {"s3Key": FILE},
    "validate_payment_config": _CONFIG,
    "verify_payment_configuration": _AT_META,
}
