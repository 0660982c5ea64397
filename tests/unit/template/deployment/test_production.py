"""Production keeps its data: tables, keys and secrets stay when a stack is deleted."""

from tests.cases import each
from tests.template import properties, resolved, resources, template

TABLES = sorted(resources("AWS::DynamoDB::Table"))
# Resources that cannot be recreated from the repository.
SECRETS_OF_OTHERS = [
    *("WhatsAppAppSecrets", "WhatsAppAccessTokens"),
    *("RichpanelWebhookSecret", "RichpanelKeys"),
]
KEPT = [*TABLES, "MediaBucket", *SECRETS_OF_OTHERS]


@each("resource", KEPT)
def test_production_keeps_its_data_when_the_stack_is_deleted(resource: str) -> None:
    entry = template()["Resources"][resource]

    # A rollback of the first deployment leaves no resource that conflicts with the next one.
    kept = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
    for attribute, policy in kept.items():
        assert resolved(entry[attribute], Stage="prod") == policy
        assert resolved(entry[attribute], Stage="dev") == "Delete"
        assert resolved(entry[attribute], Stage="local") == "Delete"


@each("table", TABLES)
@each(("stage", "is_production"), [("prod", True), ("dev", False), ("local", False)])
def test_production_tables_can_be_restored_and_are_protected_from_deletion(
    table: str, stage: str, is_production: bool
) -> None:
    wanted = properties(table, Stage=stage)

    assert wanted["DeletionProtectionEnabled"] is is_production
    assert wanted["PointInTimeRecoverySpecification"] == {
        "PointInTimeRecoveryEnabled": is_production
    }
