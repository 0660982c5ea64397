"""The environment of the functions that run actions, apart from what it takes to run one."""

from dataclasses import dataclass

from shared.runtime.settings import Origin, Settings


@dataclass(frozen=True, kw_only=True)
class ActionsSettings(Settings):
    """The environment of the actions' function, and a part of the jobs' environment."""

    messages_table_name: str
    conversation_log_table_name: str
    contacts_table_name: str
    inbox_table_name: str
    conversations_inbound_queue_url: str
    whatsapp_queue_url: str
    whatsapp_jobs_queue_url: str
    whatsapp_campaigns_queue_url: str
    media_bucket_name: str
    whatsapp_tokens_secret_id: str
    whatsapp_app_secret_id: str
    identifier_keys_secret_id: str
    api_seal_secret_id: str
    switches_path: str
    flow_keys_path: str
    graph_base_url: Origin
    graph_api_version: str
    eum_meta_api_version: str
    message_ttl_days: int
    media_origins: tuple[Origin, ...] = ()  # Without it files are not downloaded from Graph.
    social_topic_arns: tuple[str, ...] = ()
    single_company: str = ""  # The deployment is this company's alone.
    vpc_endpoint_id: str = ""
    service_linked_role_arn: str = ""
