"""Attacks on the operations API: changes of another company, and facts of the deployment that only operators get."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from unittest.mock import patch

from boto3.dynamodb.conditions import Key
from moto import mock_aws

from shared.access import companies as profiles
from shared.access import company_keys
from shared.access.ownership import claims, ids
from shared.access.ownership.claims import Proof
from shared.api.audit_log.items import PARTITION_KEY, SORT_KEY, Change
from shared.api.auth import Caller
from shared.runtime import clock
from tests.aws import client_pool
from tests.integration.console.operations.operations import Operations, changed, operations_on_moto
from tests.integration.console.setup.email_identities import Ses, identity
from tests.integration.isolation.attacks.attacks import (
    Answer,
    Attacker,
    Call,
    Stored,
)
from tests.integration.isolation.attacks.route_attacks import Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of

PATH = "GET /operations/"
PERSON = "user:"
PERSON_OF_A = "person@of-a.example"
KEY_OF_A = "a" * 16
DOMAIN_OF_A = "shop-of-a.example"
DOMAIN = ids.email(f"@{DOMAIN_OF_A}")
READS = frozenset({"GetItem", "BatchGetItem", "Query"})
MOMENT_MS = clock.now_ms()
NOW = clock.to_text(MOMENT_MS)


@dataclass
class TwoCompanies:
    """Changes of company A, and always one of B."""

    system: Operations
    ses: Ses = field(default_factory=Ses)
    queries: list[str] = field(default_factory=list)
    company_a: str = "acme"
    company_b: str = "globex"
    project_a: str = "hiring"
    other_project_a: str = "sales"
    words: tuple[str, ...] = (
        "change_of_a",
        "Name of A",
        "Person of A",
        PERSON_OF_A,
        "Key of A",
        DOMAIN_OF_A,
    )
    ids: tuple[str, ...] = ("user:ada-of-a", "conversation-of-a", KEY_OF_A)
    names: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType(
            {
                "principal": "user:ada-of-a",
                "company": "acme",
                "key_id": KEY_OF_A,
                "domain": DOMAIN_OF_A,
            }
        )
    )

    def with_a(self) -> None:
        self.without_a()
        self.system.people.add(PERSON_OF_A, "acme:agent")
        self.system.people.enable(PERSON_OF_A)
        self.system.store(
            changed("acme", "user:ada-of-a", "change_of_a", at=NOW, object_id="conversation-of-a")
        )
        keys = self.system.module.api_keys
        profiles.replace(keys, "acme", "Name of A", "en", 0)
        company_keys.create(
            keys, company="acme", scopes=["whatsapp:read"], name="Key of A", key_id=KEY_OF_A
        )
        owned = claims.new("acme", Proof.GRANTED)
        assert claims.claim(self.system.module.owners, DOMAIN, owned)
        self.ses.found[DOMAIN_OF_A] = identity("SUCCESS")

    def without_a(self, _: Attacker = Attacker.OTHER_COMPANY) -> None:
        table = self.system.audit_log
        for company in ("acme", "globex"):
            items, _position = table.query(None, Key(PARTITION_KEY).eq(Change.partition(company)))
            for item in items:
                table.delete({PARTITION_KEY: item[PARTITION_KEY], SORT_KEY: item[SORT_KEY]})
        self.system.store(changed("globex", "user:of-b", "change_of_b", at=NOW))

        for group in self.system.people.groups_of(PERSON_OF_A):
            self.system.people.remove(PERSON_OF_A, group)
        self.ses.found.clear()
        module = self.system.module
        spending = module.spending().table
        for emptied in (module.api_keys, module.owners, module.routes.requests.table, spending):
            client = client_pool.direct("dynamodb")
            keys = client.describe_table(TableName=emptied.name)["Table"]["KeySchema"]
            for item in client.scan(TableName=emptied.name)["Items"]:
                emptied.delete({k["AttributeName"]: item[k["AttributeName"]]["S"] for k in keys})

    def send(self, line: str, call: Call, caller: Caller | None) -> Answer:
        method, _, path = line.partition(" /operations/")
        for name, value in call.path.items():
            path = path.replace(f"{{{name}}}", value)
        # Software makes none of these changes, so people attack.
        person = replace(caller, principal=PERSON + caller.principal) if caller else None
        found = self.system.respond(path, person, call.query, method, call.body, call.headers)
        # The secret of a new key is random.
        return Answer(found["statusCode"], re.sub(r"(pk_[0-9a-f]+_)[\w-]+", r"\1", found["body"]))

    def stored(self) -> Stored:
        keys = self.system.module.api_keys
        found = {one: profiles.profile_of(keys, one) for one in ("acme", "globex")}
        listed = {one: company_keys.of_company(keys, one) for one in ("acme", "globex")}
        return {("company", one): asdict(profile) for one, profile in found.items()} | {
            ("key", key.key_id): asdict(key) for of_one in listed.values() for key in of_one
        }

    def operations(self) -> list[str]:
        made = list(self.queries)
        self.queries.clear()
        return made


API = Api(
    functions=("OperationsApi",),
    values={"actors": "all", "roles": ["agent"], "teams": []},
    special={
        **{
            f"{PATH}{name}": Special(
                is_blind="it is a fact of the deployment and holds nothing of a company"
            )
            for name in ("queues", "alarms", "conservation", "cost", "switches", "findings")
        },
        "POST /operations/people": Special(
            inputs=({"email": "new@of-the-caller.example", "roles": ["agent"]},),
            is_blind="a login gets roles in the caller's company only; test_setup.py names one of another",
        ),
        "POST /operations/api-keys": Special(
            inputs=({"name": "of-the-caller", "scopes": ["access:admin"], "projects": []},),
            is_blind="a key is one of the caller's company; test_api_keys.py looks at it",
        ),
        "POST /operations/email-domains": Special(
            inputs=({"domain": "shop.of-the-caller.example"},),
            is_blind="a free domain becomes the caller's; test_email_domains.py names one of another company",
        ),
        "POST /operations/whatsapp/credentials": Special(
            inputs=({"app_id": "123456789", "access_token": "a-token"},),
            is_blind="only operators store credentials; test_setup.py names an app of another company",
        ),
        f"{PATH}whatsapp/sign-up": Special(
            is_blind="it shows dialogs of apps; test_sign_up.py has one of another company's app"
        ),
        "POST /operations/whatsapp/sign-up": Special(
            inputs=(
                {
                    "app_id": "123456789",
                    "code": "a",
                    "redirect_uri": "https://of-b.example/console",
                },
            ),
            is_blind="only operators sign up; test_sign_up.py names an app and an account of another company",
        ),
        f"{PATH}whatsapp/aws-accounts": Special(
            is_blind="it shows accounts at AWS; test_aws_accounts.py has one of another company"
        ),
        "POST /operations/whatsapp/aws-accounts": Special(
            inputs=({"account_id": f"waba-{'0' * 32}"},),
            is_blind="only operators take accounts; test_aws_accounts.py names one of another company",
        ),
        "POST /operations/administrator": Special(
            is_blind="it has no caller: a one-time link names the company"
        ),
        "POST /operations/switches": Special(
            inputs=({"context": "whatsapp", "name": "safe_mode", "on": True},),
            is_blind="a switch holds for all companies; only operators set it",
        ),
        f"{PATH}whatsapp/webhook": Special(
            is_blind="the token is one of the deployment; only operators see it"
        ),
        "POST /operations/spending": Special(
            inputs=({"version": 0, "dollars_per_day": 5},),
            is_blind="only operators set limits, and they see all companies",
        ),
        f"{PATH}spending": Special(
            is_blind="it shows the company of the caller; only operators, who see all companies, name another"
        ),
    },
)


@contextmanager
def two_companies() -> Iterator[TwoCompanies]:
    """
    The operations API on moto, created once per module. The clock stands still: calls name the time, and calls of two
    callers are compared.
    """
    with (
        mock_aws(),
        patch.object(clock, "now_ms", lambda: MOMENT_MS),
        operations_on_moto() as system,
    ):
        made = TwoCompanies(system)
        system.module.identities.make_client = lambda: made.ses
        system.people.create(PERSON_OF_A, (), invites=False, name="Person of A")
        person_id = system.people.find(PERSON_OF_A).principal.removeprefix(PERSON)
        made.names = {**made.names, "person_id": person_id}
        made.ids = (*made.ids, person_id)
        system.module.audit_log._client.meta.events.register(
            "provide-client-params.dynamodb",
            # Writes have random keys.
            lambda params, model, **_: made.queries.append(
                f"{model.name} {params if model.name in READS else params.get('TableName')}"
            ),
        )
        yield made


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)
