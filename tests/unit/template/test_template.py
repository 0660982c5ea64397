"""template.yaml: queues lose no message, functions start, production keeps its data."""

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from console.privacy import inventory
from conversations.inbound.files import downloads as of_conversations
from conversations.privacy import erasure
from newsletters.privacy import bylines
from richpanel.decisions.switches import Switches, read_switches
from richpanel.privacy import part as help_desk
from shared.policy import kill_switches
from tests.cases import each
from tests.template import (
    ROOT,
    environment,
    file,
    parameters,
    properties,
    resolved,
    resources,
    stacks,
    template,
)
from whatsapp.worker.media import copying

FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
QUEUES = sorted(resources("AWS::SQS::Queue"))
FOURTEEN_DAYS_SECONDS = 1_209_600
MAX_ATTEMPTS = 5


def events_of(kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Function, event name and properties of all event sources of one kind."""
    for function in FUNCTIONS:
        for name, event in properties(function).get("Events", {}).items():
            if event["Type"] == kind:
                yield function, name, event["Properties"]


def dead_letter_queues() -> set[str]:
    """Logical ids of the dead-letter queues."""
    arns = [
        *(
            properties(queue).get("RedrivePolicy", {}).get("deadLetterTargetArn")
            for queue in QUEUES
        ),
        *(
            event.get("RedrivePolicy", {}).get("deadLetterTargetArn")
            for _, _, event in events_of("SNS")
        ),
        *(
            event["DestinationConfig"]["OnFailure"]["Destination"]
            for _, _, event in events_of("DynamoDB")
        ),
    ]
    return {queue for queue in QUEUES if resolved({"Fn::GetAtt": f"{queue}.Arn"}) in arns}


def timeout_seconds(function: str) -> int:
    default = template()["Globals"]["Function"]["Timeout"]
    return int(properties(function).get("Timeout", default))


@each("queue", QUEUES)
def test_no_queue_loses_messages_that_cannot_be_handled(queue: str) -> None:
    """A queue has a dead-letter queue or is one, and both keep messages for 14 days."""
    wanted = properties(queue)

    assert ("RedrivePolicy" in wanted) != (queue in dead_letter_queues())
    assert wanted["MessageRetentionPeriod"] == FOURTEEN_DAYS_SECONDS
    assert wanted["SqsManagedSseEnabled"] is True


@each("queue", [queue for queue in QUEUES if "RedrivePolicy" in properties(queue)])
def test_dead_letters_of_a_fifo_queue_are_fifo_too(queue: str) -> None:
    redrive = properties(queue)["RedrivePolicy"]

    is_fifo = properties(queue).get("FifoQueue", False)
    assert redrive["deadLetterTargetArn"].endswith(".fifo") == is_fifo
    assert redrive["maxReceiveCount"] > MAX_ATTEMPTS


@each("queue", [queue for queue in QUEUES if "RedrivePolicy" in properties(queue)])
def test_receives_without_a_run_make_no_dead_letter_for_days_and_one_before_a_message_is_deleted(
    queue: str,
) -> None:
    """
    A message that is received while all concurrent executions are in use stays in flight for a visibility timeout. SQS
    counts the receive, and moves the message after `maxReceiveCount` of them, of which it allows 1,000.
    """
    wanted = properties(queue)
    receives = wanted["RedrivePolicy"]["maxReceiveCount"]

    assert receives <= 1_000
    days = receives * wanted["VisibilityTimeout"] / 86_400
    assert 2 <= days < FOURTEEN_DAYS_SECONDS / 86_400


@each("queue", [queue for queue in QUEUES if properties(queue).get("FifoQueue", False)])
def test_a_fifo_queue_counts_its_limits_per_conversation(queue: str) -> None:
    wanted = properties(queue)

    assert wanted["QueueName"].endswith(".fifo")
    assert wanted["DeduplicationScope"] == "messageGroup"
    assert wanted["FifoThroughputLimit"] == "perMessageGroupId"


def test_the_visibility_timeout_is_six_times_the_workers_timeout() -> None:
    for function, _, event in events_of("SQS"):
        (source,) = (q for q in QUEUES if resolved({"Fn::GetAtt": f"{q}.Arn"}) == event["Queue"])
        assert properties(source)["VisibilityTimeout"] >= 6 * timeout_seconds(function)


def test_every_worker_of_a_queue_counts_five_attempts_in_the_same_table() -> None:
    workers = {function for function, _, _ in events_of("SQS")}

    assert len(workers) == 14
    for function in workers:
        found = environment(function)
        assert found["MAX_ATTEMPTS"] == str(MAX_ATTEMPTS), function
        assert found["ATTEMPTS_TABLE_NAME"] == properties("AttemptsTable")["TableName"], function


@pytest.mark.parametrize(
    ("name", "download_ms"),
    [
        ("WhatsAppJobs", copying.DOWNLOAD_MS),
        ("ConversationsMedia", of_conversations.DOWNLOAD_MS),
    ],
)
def test_a_file_is_a_batch_of_its_own_with_its_own_time_and_attempts(
    name: str, download_ms: int
) -> None:
    """No record waits behind another, and Lambda receives only what it may invoke."""
    function, queue = name, f"{name}Queue"
    event = sources_of(function)["File"]

    assert event["Queue"] == resolved({"Fn::GetAtt": f"{queue}.Arn"})
    assert event["BatchSize"] == 1
    assert event["ScalingConfig"] == {"MaximumConcurrency": parameters({})["MediaMaxConcurrency"]}
    # Downloading, and the other calls for a file.
    assert timeout_seconds(function) * 1_000 >= download_ms + 60_000


def test_campaigns_have_a_queue_and_concurrent_executions_of_their_own() -> None:
    """No file waits for a page, and an event of an earlier release is still read from the queue of jobs."""
    events = sources_of("WhatsAppJobs")
    most = parameters({})["CampaignMaxConcurrency"]

    assert events.keys() == {"File", "Campaign"}
    assert events["Campaign"]["Queue"] == resolved({"Fn::GetAtt": "WhatsAppCampaignsQueue.Arn"})
    assert events["Campaign"]["BatchSize"] == 1
    assert events["Campaign"]["ScalingConfig"] == {"MaximumConcurrency": most}
    assert environment("WhatsAppJobs")["CAMPAIGN_MAX_CONCURRENCY"] == str(most)


@each("function", [name for name in FUNCTIONS if "Conversations" in name])
def test_an_erasure_of_conversations_waits_longer_than_any_of_their_workers_runs(
    function: str,
) -> None:
    """Also for a download: its object is written before the erasure deletes the files."""
    assert timeout_seconds(function) * 1_000 < erasure.SETTLES_MS


@each("function", [name for name in FUNCTIONS if name.endswith("InboxFeed")])
def test_an_erasure_of_a_contact_waits_longer_than_any_feed_runs(function: str) -> None:
    assert timeout_seconds(function) * 1_000 < inventory.SETTLES_MS


@each(
    ("function", "settles_ms"),
    [
        ("NewslettersExports", bylines.SETTLES_MS),
        ("RichpanelWorker", help_desk.SETTLES_MS),
    ],
)
def test_an_erasure_of_a_context_waits_longer_than_its_worker_runs(
    function: str, settles_ms: int
) -> None:
    assert timeout_seconds(function) * 1_000 < settles_ms


def sources_of(function: str) -> dict[str, dict[str, Any]]:
    """The queues of a worker, by event name."""
    return {name: event for owner, name, event in events_of("SQS") if owner == function}


def test_the_whatsapp_worker_receives_ten_events_and_reports_failed_ones() -> None:
    (event,) = sources_of("WhatsAppWorker").values()

    assert event["BatchSize"] == 10
    assert event["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert event["ScalingConfig"] == {"MaximumConcurrency": parameters({})["WorkerMaxConcurrency"]}


@pytest.mark.parametrize(
    ("function", "source", "parameter"),
    [
        ("ConversationsIntake", "Work", "IntakeMaxConcurrency"),
        ("ConversationsWhatsApp", "Work", "ChannelMaxConcurrency"),
        ("ConversationsSms", "Work", "ChannelMaxConcurrency"),
        ("ConversationsEmail", "Work", "ChannelMaxConcurrency"),
        ("ConversationsReplies", "Work", "ReplyMaxConcurrency"),
        ("ConversationsReplies", "Agents", "ChannelMaxConcurrency"),
    ],
)
def test_a_parameter_sets_the_concurrency_of_a_worker_of_conversations(
    function: str, source: str, parameter: str
) -> None:
    event = sources_of(function)[source]

    assert event["ScalingConfig"] == {"MaximumConcurrency": parameters({})[parameter]}


def test_the_help_desks_worker_receives_one_event_at_a_time_and_chats_have_their_own_queue() -> (
    None
):
    events = sources_of("RichpanelWorker")

    queues = {name: event["Queue"] for name, event in events.items()}
    assert queues == {
        "Mail": resolved({"Fn::GetAtt": "RichpanelQueue.Arn"}),
        "Live": resolved({"Fn::GetAtt": "RichpanelLiveQueue.Arn"}),
    }
    assert {event["BatchSize"] for event in events.values()} == {1}
    assert all(e["FunctionResponseTypes"] == ["ReportBatchItemFailures"] for e in events.values())
    at_once = {
        name: int(event["ScalingConfig"]["MaximumConcurrency"]) for name, event in events.items()
    }
    assert at_once == {"Mail": 8, "Live": 2}


def test_the_sweep_runs_every_five_minutes_and_the_next_run_is_its_retry() -> None:
    wanted = properties("RichpanelSweep")

    assert wanted["Events"]["Schedule"]["Properties"] == {
        "Schedule": "rate(5 minutes)",
        "State": "ENABLED",
    }
    assert wanted["EventInvokeConfig"]["MaximumRetryAttempts"] == 0
    assert wanted["Timeout"] == 60


def test_switches_are_created_off_under_the_path_that_functions_read() -> None:
    """Each has the value that the worker uses for a missing switch, except dry run, which is on."""
    names = [n for n in resources("AWS::SSM::Parameter") if n.startswith("RichpanelSwitch")]
    born = [properties(name, Stage="prod") for name in names]
    texts = {one["Name"].rpartition("/")[2]: one["Value"] for one in born}

    assert {one["Name"].rpartition("/")[0] for one in born} == {"/parley/prod/richpanel"}
    assert read_switches(texts) == replace(Switches(), dry_run=True)
    assert texts.keys() == {field.name for field in fields(Switches)}
    for function in ("RichpanelWorker", "RichpanelAdmin"):
        assert environment(function, Stage="prod")["SWITCHES_PATH"] == "/parley/prod/richpanel"


def test_switches_of_conversations_are_created_off_under_the_path_that_functions_read() -> None:
    names = [name for name in resources("AWS::SSM::Parameter") if name.startswith("Conversations")]
    born = {one["Name"]: one["Value"] for one in (properties(n, Stage="prod") for n in names)}

    path = "/parley/prod/conversations"
    assert born == {
        f"{path}/{kill_switches.SAFE_MODE}": "true",
        f"{path}/{kill_switches.AUTOMATION}": "false",
    }
    for function in ("ConversationsWhatsApp", "ConversationsSms", "ConversationsEmail"):
        assert environment(function, Stage="prod")["SWITCHES_PATH"] == path
    assert environment("ConversationsReplies", Stage="prod")["SWITCHES_PATH"] == path


def test_a_topic_event_that_fails_finally_becomes_a_dead_letter() -> None:
    """In both cases: SNS could not deliver it, or every invocation failed."""
    letters = {
        "WhatsAppSocial": "WhatsAppSocialDeadLetters",
        "ConversationsAwsSms": "SmsTopicsDeadLetters",
    }
    assert {function for function, _, _ in events_of("SNS")} == letters.keys()
    for function, _, event in events_of("SNS"):
        on_failure = properties(function)["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]

        dead_letters = resolved({"Fn::GetAtt": f"{letters[function]}.Arn"})
        assert event["RedrivePolicy"] == {"deadLetterTargetArn": dead_letters}
        assert on_failure == {"Type": "SQS", "Destination": dead_letters}


@each("function", FUNCTIONS)
def test_a_handler_string_names_a_module_of_the_functions_folder(function: str) -> None:
    module, _ = properties(function)["Handler"].rsplit(".", 1)

    assert template()["Globals"]["Function"]["CodeUri"] == "functions/"
    assert (ROOT / "functions" / f"{module.replace('.', '/')}.py").is_file()


def test_only_the_local_stack_uses_the_sandbox() -> None:
    name = "AWS_ENDPOINT_URL_SOCIALMESSAGING"

    assert name not in environment("WhatsAppWorker", Stage="local")
    sandboxed = environment("WhatsAppWorker", Stage="local", SandboxUrl="http://127.0.0.1:4600")
    assert sandboxed[name] == "http://127.0.0.1:4600"
    rule = template()["Rules"]["TheSandboxIsForTheLocalStack"]
    assert resolved(rule["RuleCondition"], Stage="local") is False
    assert resolved(rule["RuleCondition"], Stage="prod") is True
    assert resolved(rule["Assertions"][0]["Assert"], SandboxUrl="http://127.0.0.1:4600") is False


def test_messages_are_kept_without_limit_or_longer_than_they_may_be_redelivered() -> None:
    pattern = template()["Parameters"]["MessageTtlDays"]["AllowedPattern"]

    allowed = [days for days in range(-1, 200) if re.fullmatch(pattern, str(days))]
    assert allowed == [0, *range(35, 200)]


def test_stages_share_no_name() -> None:
    names = {
        stage: {
            resolved({"Ref": name}, Stage=stage)
            for kind in (
                "AWS::DynamoDB::Table",
                "AWS::SQS::Queue",
                "AWS::S3::Bucket",
                "AWS::SNS::Topic",
            )
            for name in resources(kind)
        }
        for stage in ("dev", "prod")
    }

    assert not names["dev"] & names["prod"]


def test_sam_generates_no_id_that_is_already_used() -> None:
    """SAM calls a subscription, mapping or permission <function><event>."""
    made = {
        f"{function}{event}"
        for function in FUNCTIONS
        for event in properties(function).get("Events", {})
    }

    assert not made & set(template()["Resources"])


def test_no_map_has_condition_as_its_first_key() -> None:
    """
    The LanguageExtensions transform mistakes such a map for a function and refuses the template.

    https://github.com/aws-cloudformation/cfn-language-discussion/issues/147
    """

    def maps(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            yield value
        entries = (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        )
        for entry in entries:
            yield from maps(entry)

    files = ["template.yaml", *(stack["TemplateURL"] for stack in stacks().values())]
    transformed = [
        file(name) for name in files if "AWS::LanguageExtensions" in file(name).get("Transform", [])
    ]

    assert len(transformed) == 10
    assert [found for found in maps(transformed) if next(iter(found), None) == "Condition"] == []
