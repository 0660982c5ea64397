"""`python -m operations doctor`: missing parts of a deployment, and the next step."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError
from moto import mock_aws

from events.conversations import sample_data
from operations.__main__ import main
from operations.doctor import capacity, cli, infrastructure, newsletters
from operations.doctor.deployment import Deployment, describe
from operations.doctor.infrastructure import CONTEXT_OF_QUEUES, DEAD_LETTERS, WITHOUT_TTL
from operations.recovery.contexts import OUTPUTS
from shared.access.ownership.claims import Proof
from shared.aws.dynamodb import Table
from tests.integration.operations.doctor import deployed
from tests.integration.operations.doctor.deployed import STACK, CloudFormation, Webhooks, keep
from tests.template import parameters, resources
from whatsapp import store
from whatsapp.store.items import Phone

INBOX, PROJECTS = "WhatsAppTableName", "CompanyDataTableName"
PHONE = Phone(
    pk=Phone.key("106540352242922"),
    company="acme",
    phone="106540352242922",
    display_phone="15550783881",
    phone_arn="arn:parley:whatsapp:::phone-number-id/106540352242922",
    provider="graph",
    waba_meta_id="102290129340398",
    app_id="1029384756",
    token_ref="acme",
    proof=Proof.GRANTED,
)

type Row = tuple[str, str, str]


@pytest.fixture
def webhooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhooks]:
    """A deployment without connections and without errors."""
    found = Webhooks()
    with mock_aws(config={"lambda": {"use_docker": False}}), deployed.serving(found):
        use(monkeypatch, deployed.create_stack(found))
        yield found


def _account(**_: Any) -> tuple[AWSResponse, dict[str, Any]]:
    """The limits of an account whose quota was raised to AWS's default; moto has none."""
    limits = {"AccountLimit": {"UnreservedConcurrentExecutions": 1_000}}
    return AWSResponse("", 200, HTTPHeaders(), None), limits


# What AWS answers about each linked account; moto has none.
ACCOUNT_AT_AWS: dict[str, Any] = {}


def _linked_account(**_: Any) -> tuple[AWSResponse, dict[str, Any]]:
    return AWSResponse("", 200, HTTPHeaders(), None), {"account": ACCOUNT_AT_AWS}


def use(monkeypatch: pytest.MonkeyPatch, stack: CloudFormation) -> None:
    """Use this for CloudFormation, and moto for all other services."""
    make: Any = boto3.client

    def client(service: str, **more: Any) -> Any:
        made: Any = stack if service == "cloudformation" else make(service, **more)
        if service == "lambda":
            assert not isinstance(made, CloudFormation)
            made.meta.events.register("before-call.lambda.GetAccountSettings", _account)
        if service == "socialmessaging":
            assert not isinstance(made, CloudFormation)
            made.meta.events.register("before-call.socialmessaging", _linked_account)
        return made

    monkeypatch.setattr(boto3, "client", client)


@pytest.fixture
def examine(webhooks: Webhooks, capsys: pytest.CaptureFixture[str]) -> Callable[[], Any]:
    """Run the doctor; returns its exit code, the rows that are not ok as (status, check, rest), and the steps."""

    def run() -> tuple[int, list[Row], str]:
        store.phones.forget()
        code = main(["doctor", "--stack", STACK])
        shown, _, steps = capsys.readouterr().out.partition("\nNext steps:\n")
        header, *lines = shown.splitlines()
        columns = [header.index(name) for name in ("CHECK", "SUBJECT")]
        rows = [
            (line[: columns[0]].strip(), line[columns[0] : columns[1]].strip(), line[columns[1] :])
            for line in lines
            if line
        ]
        return code, [row for row in rows if row[0] != "ok"], steps

    return run


def table(output: str) -> Table:
    return describe(STACK, "", None).table(output)


def connect() -> None:
    """Register a number with its secrets."""
    keep("whatsapp-apps", deployed.SECRETS["whatsapp-apps"] | {"apps": {"1029384756": ["x"]}})
    keep("whatsapp-access-tokens", {"acme": "x"})
    store.phones.register(table(INBOX), PHONE)


def test_a_new_deployment_needs_its_first_connection(examine: Callable[[], Any]) -> None:
    code, rows, steps = examine()

    assert code == 1
    assert [row[:2] for row in rows] == [("action needed", "connections")]
    assert steps == "1. connect a provider: docs/connect\n"


def test_a_complete_deployment_needs_nothing(examine: Callable[[], Any]) -> None:
    connect()

    assert examine() == (0, [], "")


def limited_to(executions: int) -> Callable[[str, dict[str, Any]], None]:
    """Answers of AWS for an account with this limit of concurrent executions."""

    def change(operation: str, answer: dict[str, Any]) -> None:
        if operation == "GetAccountSettings":
            answer["AccountLimit"]["UnreservedConcurrentExecutions"] = executions

    return change


def test_a_new_account_gets_the_parameters_to_lower_and_the_request_of_a_quota(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    change_answers(monkeypatch, limited_to(10))

    code, rows, steps = examine()

    assert code == 1
    assert [row[:2] for row in rows] == [("action needed", "concurrency")] * 2
    assert "10 concurrent executions; queues take up to 210, 20 are for requests" in rows[0][2]
    assert "at least 34 with the lowest parameters" in rows[1][2]
    assert (
        "`aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384"
        " --desired-value 1000 --region us-east-1`"
    ) in steps
    assert all(f"{name}=2" in steps for name in capacity.SOURCES)


@pytest.mark.parametrize(("limit", "needs_action"), [(229, True), (230, False), (1_000, False)])
def test_an_account_that_runs_all_event_sources_beside_requests_needs_nothing(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, limit: int, needs_action: bool
) -> None:
    connect()
    change_answers(monkeypatch, limited_to(limit))

    assert (examine()[0] == 1) == needs_action


@pytest.mark.parametrize("limit", [10, 53, 54, 55, 100, 229])
def test_lowered_parameters_fit_the_limit_or_are_the_lowest(limit: int) -> None:
    maxima = {name: int(parameters({})[name]) for name in capacity.SOURCES}

    lowered = capacity.lower(maxima, limit)

    used = capacity.FIXED + sum(capacity.SOURCES[name] * most for name, most in lowered.items())
    assert used + capacity.RESERVE <= limit or set(lowered.values()) == {capacity.FEWEST}
    assert all(capacity.FEWEST <= lowered[name] <= maxima[name] for name in maxima)


def test_the_doctor_knows_every_event_source_of_a_queue() -> None:
    maxima = [
        event["Properties"]["ScalingConfig"]["MaximumConcurrency"]
        for function in resources("AWS::Serverless::Function").values()
        for event in function["Properties"].get("Events", {}).values()
        if event["Type"] == "SQS"
    ]

    named = Counter(one["Ref"] for one in maxima if isinstance(one, dict))
    assert named == capacity.SOURCES
    assert sum(one for one in maxima if not isinstance(one, dict)) == capacity.FIXED
    assert len(maxima) == 17


def test_a_number_without_its_secrets_names_the_commands_that_add_them(
    examine: Callable[[], Any],
) -> None:
    store.phones.register(table(INBOX), PHONE)

    code, rows, steps = examine()

    assert code == 1
    assert {row[1] for row in rows} == {"numbers"}
    assert "secrets set whatsapp-apps apps.1029384756 --stack parley-dev" in steps
    assert "secrets set whatsapp-access-tokens acme --stack parley-dev" in steps


@pytest.mark.parametrize("missing", ["aws_waba", "aws_phone"])
def test_a_number_on_aws_without_its_ids_there_needs_action(
    examine: Callable[[], Any], missing: str
) -> None:
    connect()
    ids = {"aws_waba": "waba-1", "aws_phone": "phone-number-id-1", missing: None}
    on_aws = {"provider": "eum", "app_id": None, "token_ref": None, **ids}
    store.phones.register(table(INBOX), PHONE.model_copy(update=on_aws))

    _, rows, steps = examine()

    assert any("has no AWS id of its number or its account" in row[2] for row in rows)
    assert "--aws-waba" in steps


@pytest.mark.parametrize("topics", [[], ["arn:aws:sns:us-east-1:123456789012:other"], None])
def test_an_account_at_aws_whose_events_go_elsewhere_needs_action(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, topics: list[str] | None
) -> None:
    connect()
    ours = describe(STACK, "", None).output("WhatsAppSocialTopicArn")
    named = [{"eventDestinationArn": topic} for topic in ([ours] if topics is None else topics)]
    monkeypatch.setitem(ACCOUNT_AT_AWS, "eventDestinations", named)
    ids = {"aws_waba": "waba-1", "aws_phone": "phone-number-id-1"}
    on_aws = {"provider": "eum", "app_id": None, "token_ref": None, **ids}
    store.phones.register(table(INBOX), PHONE.model_copy(update=on_aws))

    code, rows, steps = examine()

    assert (code, {row[1] for row in rows}) == (
        (0, set()) if topics is None else (1, {"event destinations"})
    )
    assert topics is None or f"set the event destination of waba-1 to {ours}" in steps


def test_a_disabled_number_and_one_that_is_listed_only_need_action(
    examine: Callable[[], Any],
) -> None:
    connect()
    inbox = table(INBOX)
    store.phones.set_enabled(inbox, PHONE.phone, enabled=False)
    other = PHONE.model_copy(update={"phone": "206540352242933", "phone_arn": "arn:other"})
    store.phones._enter(inbox, other)

    _, rows, _ = examine()

    assert ["is disabled" in rows[0][2], "not stored" in rows[1][2]] == [True, True]


def test_a_project_whose_secret_is_missing_and_whose_sending_is_off_needs_action(
    examine: Callable[[], Any],
) -> None:
    table(PROJECTS).put(sample_data.project())

    code, rows, steps = examine()

    assert code == 1
    assert {row[1] for row in rows} == {"projects", "switches: conversations"}
    assert "secrets set company twilio_account_sid" in steps
    assert "--name /parley/dev/conversations/safe_mode --value false" in steps


def test_an_empty_secret_a_missing_one_and_an_invalid_switch_are_named(
    examine: Callable[[], Any],
) -> None:
    connect()
    keep("api-seal", {})
    boto3.client("secretsmanager").delete_secret(
        SecretId="parley-dev-identifier-keys", ForceDeleteWithoutRecovery=True
    )
    boto3.client("ssm").put_parameter(
        Name="/parley/dev/richpanel/dry_run", Value="maybe", Overwrite=True
    )

    _, rows, steps = examine()

    assert [row[1] for row in rows] == ["secrets", "secrets", "switches: help desk"]
    assert "secrets set api-seal seal_key" in steps
    assert "identifier-keys does not exist" in rows[1][2]
    assert "dry_run" in rows[2][2]


def test_a_webhook_that_accepts_unsigned_requests_or_fails_the_handshake_needs_action(
    examine: Callable[[], Any], webhooks: Webhooks
) -> None:
    connect()
    webhooks.verify_token = "another"
    webhooks.unsigned |= {"twilio": 200, "richpanel": 503}

    _, rows, _ = examine()

    results = " ".join(row[2] for row in rows)
    assert "handshake answered with 403" in results
    assert "unsigned request answered with 200" in results
    assert "unsigned request answered with 503" in results
    assert deployed.TOKEN not in results


def test_a_webhook_without_an_answer_is_not_checkable(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()

    def unreachable(*given: Any) -> Any:
        return replace(describe(*given), api_url="http://127.0.0.1:1")

    monkeypatch.setattr(cli, "describe", unreachable)

    code, rows, _ = examine()

    assert code == 1
    assert {row[:2] for row in rows} == {("not checkable", "webhooks")}
    assert all("no answer (no_connection)" in row[2] for row in rows)


def test_a_service_that_the_emulator_lacks_is_not_checkable_and_needs_no_step(
    examine: Callable[[], Any], webhooks: Webhooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()

    def local(stack: str, target: str, _: None) -> Any:
        return describe(stack, target, webhooks.url)

    monkeypatch.setattr(cli, "describe", local)

    code, rows, steps = examine()

    assert (code, steps) == (0, "")
    unchecked = {"concurrency", "tables", "alarms", "receipt rules", "access log"}
    assert {row[:2] for row in rows} == {("not checkable", check) for check in unchecked}


@pytest.mark.long
def test_dead_letters_a_disabled_ttl_or_mapping_an_old_alias_and_a_missing_recipient_need_action(
    examine: Callable[[], Any],
) -> None:
    connect()
    found = describe(STACK, "", None)
    sqs = boto3.client("sqs")
    sqs.send_message(
        QueueUrl=found.outputs["WhatsAppDeadLettersUrl"],
        MessageBody="{}",
        MessageGroupId="1",
        MessageDeduplicationId="1",
    )
    inbox = found.outputs[INBOX]
    boto3.client("dynamodb").update_time_to_live(
        TableName=inbox, TimeToLiveSpecification={"Enabled": False, "AttributeName": "ttl"}
    )
    (mapping,) = found.resources("AWS::Lambda::EventSourceMapping")
    boto3.client("lambda").update_event_source_mapping(UUID=mapping.name, Enabled=False)
    boto3.client("lambda").update_function_configuration(FunctionName="worker", Timeout=7)
    topic = found.outputs["AlarmTopicArn"]
    sns = boto3.client("sns")
    (subscription,) = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])

    _, rows, steps = examine()

    wanted = ["tables", "functions", "event sources", "dead letters", "alarms"]
    assert [row[1] for row in rows] == wanted
    assert "another value of the parameter Release" in steps
    assert "recovery dead-letters --context whatsapp --stack parley-dev" in steps
    assert f"update-event-source-mapping --uuid {mapping.name} --enabled" in steps
    assert "AlarmEmail" in steps


def test_messages_of_a_context_that_is_not_in_use_need_action_and_its_sources_may_be_off(
    webhooks: Webhooks,
) -> None:
    del webhooks
    found = describe(STACK, "", None)
    found = replace(found, parameters={"Contexts": "conversations,whatsapp,newsletters"})
    queue = found.outputs["RichpanelQueueUrl"]
    boto3.client("sqs").send_message(
        QueueUrl=queue, MessageBody="{}", MessageGroupId="1", MessageDeduplicationId="1"
    )

    waiting = {finding.subject: finding for finding in infrastructure.unused_contexts(found)}

    assert waiting.keys() == {"email-threads", "richpanel"}
    assert waiting["richpanel"].step == "deploy with richpanel in the parameter Contexts"
    assert not waiting["email-threads"].step


def test_a_subscription_that_waits_for_its_confirmation_and_an_index_that_is_built_need_action(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()

    def pending(operation: str, answer: dict[str, Any]) -> None:
        if operation == "ListSubscriptionsByTopic":
            answer["Subscriptions"][0]["SubscriptionArn"] = "PendingConfirmation"
        if operation == "DescribeTable" and answer["Table"]["TableName"].startswith("base"):
            answer["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] = "CREATING"

    change_answers(monkeypatch, pending)

    _, rows, steps = examine()

    assert [row[1] for row in rows] == ["tables", "alarms"]
    assert "not ACTIVE: gsi_" in rows[0][2]
    assert "confirm the subscription" in steps


def test_checks_without_a_permission_are_not_checkable_and_the_others_run(
    examine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect()
    deny(monkeypatch, "GetSecretValue", "GetQueueAttributes", "ListSubscriptionsByTopic")

    code, rows, steps = examine()

    assert code == 1
    assert {row[0] for row in rows} == {"not checkable"}
    assert "AccessDeniedException (GetQueueAttributes)" in rows[-2][2]
    assert {"secrets", "dead letters", "alarms"} <= {row[1] for row in rows}
    assert "tables" not in {row[1] for row in rows}
    assert "allow ListSubscriptionsByTopic" in steps


def shared_table(**changes: Any) -> dict[str, Any]:
    """The definition of a table that another system has created."""
    names = ("PK", "SK", "GSI1PK", "GSI1SK")
    definition: dict[str, Any] = {
        "TableName": "shared",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": one, "AttributeType": "S"} for one in names],
        "KeySchema": keys("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "GSI1",
                "KeySchema": keys("GSI1PK", "GSI1SK"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    return definition | changes


def keys(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "as needed; no TTL on ttl"),
        ({"KeySchema": keys("SK", "PK")}, "its keys are not PK and SK"),
        (
            {
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "GSI1",
                        "KeySchema": keys("GSI1PK", "GSI1SK"),
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                ]
            },
            "does not have all attributes",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "ByUser",
                        "KeySchema": keys("GSI1PK", "GSI1SK"),
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ]
            },
            "no index GSI1",
        ),
    ],
)
def test_a_table_that_newsletters_share_with_another_system_needs_their_keys_and_index(
    webhooks: Webhooks, changes: dict[str, Any], told: str
) -> None:
    del webhooks
    boto3.client("dynamodb").create_table(**shared_table(**changes))
    found = describe(STACK, "", None)
    shared = replace(
        found,
        parameters={"MainTableNaming": "existing"},
        outputs=found.outputs | {"NewslettersTableName": "shared"},
    )

    (finding,) = newsletters.table(shared)

    assert told in finding.text
    assert bool(finding.step) == bool(changes)


def test_the_doctor_names_the_recovery_command_of_every_dead_letter_queue_of_a_context() -> None:
    named = [name for name in resources("AWS::SQS::Queue") if name.endswith(DEAD_LETTERS)]

    # What topics could not deliver, and positions in streams, for which the inbox is rebuilt: no context replays them.
    others = {name for name in named if not name.startswith(tuple(CONTEXT_OF_QUEUES))}
    assert others == {"SmsTopicsDeadLetters", "InboxFeedDeadLetters"}
    assert set(CONTEXT_OF_QUEUES.values()) == set(OUTPUTS)


def test_resources_of_nested_stacks_are_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = CloudFormation()
    stack.stacks = {
        "outer": [("AWS::CloudFormation::Stack", "Data", "inner")],
        "inner": [("AWS::SQS::Queue", "InnerDeadLetters", "url")],
    }
    use(monkeypatch, stack)

    queues = Deployment("outer", "", False, {}, {}, "").resources("AWS::SQS::Queue")

    assert [queue.logical_id for queue in queues] == ["InnerDeadLetters"]


def test_the_doctor_knows_the_tables_without_ttl_and_the_dead_letter_queues_of_the_template() -> (
    None
):
    tables = resources("AWS::DynamoDB::Table").items()
    expiring = {name for name, entry in tables if "TimeToLiveSpecification" in entry["Properties"]}
    assert {name for name, _ in tables} - expiring == WITHOUT_TTL

    queues = resources("AWS::SQS::Queue").items()
    sources = {name for name, entry in queues if "RedrivePolicy" in entry["Properties"]}
    assert {name for name, _ in queues if not name.endswith(DEAD_LETTERS)} == sources


def change_answers(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[str, dict[str, Any]], None]
) -> None:
    """Pass each response of AWS to *change*, with the name of the operation."""
    sdk: Any = BaseClient  # its types have no internals
    call = sdk._make_api_call

    def changed(client: Any, operation: str, parameters: Any) -> Any:
        answer = call(client, operation, parameters)
        change(operation, answer)
        return answer

    monkeypatch.setattr(BaseClient, "_make_api_call", changed)


def deny(monkeypatch: pytest.MonkeyPatch, *operations: str) -> None:
    """Refuse operations as IAM does."""

    def refuse(operation: str, _: dict[str, Any]) -> None:
        if operation in operations:
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, operation)

    change_answers(monkeypatch, refuse)


@pytest.mark.parametrize(
    ("stored", "missing"),
    [
        ({}, "shopify "),
        ({"shopify_client_id": "i"}, "shopify_client_secret"),
        ({"shopify_client_secret": "s"}, "shopify_client_id"),
    ],
)
def test_a_shop_without_its_keys_needs_action(
    examine: Callable[[], Any],
    monkeypatch: pytest.MonkeyPatch,
    stored: dict[str, str],
    missing: str,
) -> None:
    connect()
    monkeypatch.setitem(deployed.PARAMETERS, "ShopifyUrl", "https://shop.example")
    keep("richpanel-keys", {"salt": "x", **stored})

    _, rows, steps = examine()

    assert [row[1] for row in rows] == ["secrets"]
    assert f"secrets set richpanel-keys {missing}" in steps
