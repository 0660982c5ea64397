"""
The steps that delete a stage, in their order: stop, mail, protection, data, stack.

Each step reads what is left to do, and does that. A repeated run continues after a crash at any point: the stack is
deleted last, and lists until then what has to be removed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from botocore.exceptions import WaiterError

from operations.command_line.arguments import Refused
from operations.stages import buckets
from operations.stages.inventory import BUCKET, QUEUE, Inventory, client, is_protected, tried

WAIT: Final = {
    "Delay": 5,
    "MaxAttempts": 360,
}  # half an hour; a layer or a network interface may take minutes
_IN_DELETION = "DELETE_IN_PROGRESS"


@dataclass(frozen=True, slots=True)
class Step:
    """*left* says in a few words what there is to do, empty if nothing; *run* does it."""

    title: str
    left: Callable[[], str]
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Removal:
    """The deletion of one stage. *deletes_data*: also what the stack retains, and what is beside the stack."""

    stage: Inventory
    deletes_data: bool
    recovery_days: int

    def steps(self) -> list[Step]:
        """Return the steps in their order."""
        stop = [
            Step("event sources", self._enabled_sources, self._disable_sources),
            Step("schedules", self._enabled_schedules, self._disable_schedules),
            Step("functions", self._running_functions, self._stop_functions),
        ]
        mail = [Step("receipt rules", self._mail, self._end_mail)]
        data = [
            Step("buckets", self._objects, self._empty_buckets),
            Step("tables", self._tables, self._delete_tables),
            Step("secrets", self._secrets, self._delete_secrets),
            Step("parameters", self._parameters, self._delete_parameters),
            Step("user pool", self._people, self._delete_user_pools),
        ]
        protection = [Step("protection", self._protected, self._lift_protection)]
        stack = [Step("stack", self._stack, self._delete_stack)]
        if self.stage.status == _IN_DELETION:
            return stack  # CloudFormation deletes it already
        return [*stop, *mail, *protection, *(data if self.deletes_data else []), *stack]

    # Nothing accepts or handles an event any more: providers get errors and send again later.

    def _enabled_sources(self) -> str:
        return _counted(len(self._sources()), "event source mapping", "to disable")

    def _sources(self) -> list[str]:
        lambda_ = client("lambda")
        found = (
            tried(lambda_.get_event_source_mapping, UUID=name)
            for name in self.stage.names("AWS::Lambda::EventSourceMapping")
        )
        return [
            one["UUID"] for one in found if one and one["State"] not in {"Disabled", "Disabling"}
        ]

    def _disable_sources(self) -> None:
        for name in self._sources():
            tried(client("lambda").update_event_source_mapping, UUID=name, Enabled=False)

    def _enabled_schedules(self) -> str:
        return _counted(len(self._schedules()), "schedule", "to disable")

    def _schedules(self) -> list[str]:
        events = client("events")
        found = (
            tried(events.describe_rule, Name=name) for name in self.stage.names("AWS::Events::Rule")
        )
        return [one["Name"] for one in found if one and one["State"] == "ENABLED"]

    def _disable_schedules(self) -> None:
        for name in self._schedules():
            tried(client("events").disable_rule, Name=name)

    def _running_functions(self) -> str:
        return _counted(len(self._functions()), "function", "to stop (no concurrency)")

    def _functions(self) -> list[str]:
        lambda_ = client("lambda")
        found = {
            name: tried(lambda_.get_function_concurrency, FunctionName=name)
            for name in self.stage.names("AWS::Lambda::Function")
        }
        return [
            name
            for name, one in found.items()
            if one is not None and one.get("ReservedConcurrentExecutions") != 0
        ]

    def _stop_functions(self) -> None:
        for name in self._functions():
            tried(
                client("lambda").put_function_concurrency,
                FunctionName=name,
                ReservedConcurrentExecutions=0,
            )

    def _mail(self) -> str:
        parts = [
            f"rule {name} in set {rule_set} to delete"
            for rule_set, name in self.stage.receipt_rules()
        ]
        if active := self.stage.active_rule_set():
            parts.append(f"active set {active} to deactivate: the account then receives no mail")
        return ", ".join(parts)

    def _end_mail(self) -> None:
        ses = client("ses")
        for rule_set, name in self.stage.receipt_rules():
            tried(ses.delete_receipt_rule, RuleSetName=rule_set, RuleName=name)
        if self.stage.active_rule_set():
            ses.set_active_receipt_rule_set()  # an active set cannot be deleted

    def _protected(self) -> str:
        found = [
            one for one in self.stage.protected() if self.deletes_data or one.startswith("stack ")
        ]
        return f"{', '.join(found)} to unprotect" if found else ""

    def _lift_protection(self) -> None:
        if self.stage.is_termination_protected:
            client("cloudformation").update_termination_protection(
                StackName=self.stage.stack, EnableTerminationProtection=False
            )
        dynamodb = client("dynamodb")
        for name, table in self.stage.tables().items() if self.deletes_data else ():
            if is_protected(table):
                dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
                dynamodb.get_waiter("table_exists").wait(TableName=name)

    def _objects(self) -> str:
        counts = {name: buckets.count(name) for name in self.stage.names(BUCKET)}
        return ", ".join(
            f"{name}: {count} versions of objects to delete" for name, count in counts.items()
        )

    def _empty_buckets(self) -> None:
        for name in self.stage.names(BUCKET):
            buckets.empty(name)
            if self.stage.keeps_data:
                tried(client("s3").delete_bucket, Bucket=name)

    def _tables(self) -> str:
        parts = [
            f"{name}: about {table.get('ItemCount', 0)} items"
            for name, table in self.stage.tables().items()
        ]
        by = "" if self.stage.keeps_data else ", with the stack"
        return f"{len(parts)} to delete{by} ({', '.join(parts)})" if parts else ""

    def _delete_tables(self) -> None:
        dynamodb = client("dynamodb")
        names = list(self.stage.tables()) if self.stage.keeps_data else []
        for name in names:
            tried(dynamodb.delete_table, TableName=name)
        for name in names:
            dynamodb.get_waiter("table_not_exists").wait(TableName=name)

    def _secrets(self) -> str:
        after = (
            f"to delete, restorable for {self.recovery_days} days"
            if self.recovery_days
            else "to delete at once"
        )
        return _counted(len(self.stage.secrets()), "secret", after)

    def _delete_secrets(self) -> None:
        window = (
            {"RecoveryWindowInDays": self.recovery_days}
            if self.recovery_days
            else {"ForceDeleteWithoutRecovery": True}
        )
        for secret in self.stage.secrets():
            tried(client("secretsmanager").delete_secret, SecretId=secret, **window)

    def _parameters(self) -> str:
        return _counted(
            len(self.stage.parameters_beside_the_stack()), "parameter", "to delete beside the stack"
        )

    def _delete_parameters(self) -> None:
        for name in self.stage.parameters_beside_the_stack():
            tried(client("ssm").delete_parameter, Name=name)

    def _people(self) -> str:
        by = "" if self.stage.keeps_data else ", with the stack"
        return ", ".join(
            f"{name}: about {pool.get('EstimatedNumberOfUsers', 0)} people to delete{by}"
            for name, pool in self.stage.user_pools().items()
        )

    def _delete_user_pools(self) -> None:
        cognito = client("cognito-idp")
        for name, pool in self.stage.user_pools().items() if self.stage.keeps_data else ():
            if is_protected(
                pool
            ):  # not earlier: the call resets all settings that it does not name
                cognito.update_user_pool(UserPoolId=name, DeletionProtection="INACTIVE")
            if domain := pool.get("Domain"):  # a pool with a domain cannot be deleted
                tried(cognito.delete_user_pool_domain, UserPoolId=name, Domain=domain)
            tried(cognito.delete_user_pool, UserPoolId=name)

    def _stack(self) -> str:
        kinds = {
            "function": "AWS::Lambda::Function",
            "log group": "AWS::Logs::LogGroup",
            "queue": QUEUE,
        }
        parts = [_counted(len(self.stage.names(kind)), name) for name, kind in kinds.items()]
        all_parts = ", ".join(filter(None, parts)) or "all that is left"
        return f"{self.stage.stack} to delete, with {all_parts} (about {self.stage.waiting()} messages)"

    def _delete_stack(self) -> None:
        cloudformation = client("cloudformation")
        cloudformation.delete_stack(StackName=self.stage.stack_id)
        try:
            cloudformation.get_waiter("stack_delete_complete").wait(
                StackName=self.stage.stack_id, WaiterConfig=dict(WAIT)
            )
        except WaiterError as error:
            events = cloudformation.describe_stack_events(StackName=self.stage.stack_id)[
                "StackEvents"
            ]
            failed = [
                f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason')}"
                for event in events
                if event["ResourceStatus"] == "DELETE_FAILED"
            ]
            lines = "\n".join(failed) or "it takes longer than half an hour"
            raise Refused(
                f"{self.stage.stack} is not deleted yet; run the command again\n{lines}"
            ) from error


def problems(removal: Removal, *, confirmed: str, lifts_protection: bool) -> Sequence[str]:
    """Return why a stage may not be deleted; each text names the option or the next step."""
    stage = removal.stage
    found = []
    if not removal.deletes_data and not stage.keeps_data:
        found.append(
            f"--data: the stack of {stage.stage} deletes its data; only {stage.stack} of prod can keep it"
        )
    protected = list(stage.protected())
    if (stage.keeps_data or protected) and confirmed != stage.stage:
        found.append(f"--confirm: type the name of the protected stage: --confirm {stage.stage}")
    to_lift = [one for one in protected if removal.deletes_data or one.startswith("stack ")]
    if to_lift and not lifts_protection:
        found.append(f"--lift-protection: protected from deletion: {', '.join(to_lift)}")
    if stage.status.endswith("_IN_PROGRESS") and stage.status != _IN_DELETION:
        found.append(f"--stack: {stage.stack} is {stage.status}; wait for its end")
    if active := stage.active_rule_set():
        others = [
            name for name in stage.rules_in(active) if (active, name) not in stage.receipt_rules()
        ]
        if others:
            moved = "move them to another set and activate it: docs/operate.md"
            found.append(
                f"the active receipt rule set {active} has other rules ({', '.join(others)}); {moved}"
            )
    return found


def _counted(count: int, name: str, after: str = "") -> str:
    """Return "3 queues to delete"; empty for none."""
    return f"{count} {name}{'' if count == 1 else 's'} {after}".strip() if count else ""
