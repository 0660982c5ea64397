"""Make the tenant of SES as which a company's newsletters are sent, with all that its mails need."""

import argparse
from collections.abc import Sequence

import boto3

from operations.access.owners.tables import Tables
from operations.command_line import arguments
from operations.command_line.arguments import Refused
from shared.access.ownership import claims
from shared.providers.email.tenants import POLICY, Tenants, tenant_of

_POLICIES = ("none", "standard", "strict")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    log, company = Tables.of(options.stack).log, options.company
    for domain in options.domain:
        owner, _ = claims.owner_of_email(log, f"news@{domain}")
        if owner != company:
            raise Refused(f"--domain: {company} does not own {domain}, see `owners list`")
    stage = arguments.stage_of(options.stack)
    # Their names are those of stacks/email_threads.yaml.
    sets = [f"configuration-set/{one}" for one in (f"parley-{stage}", f"parley_clicks_{stage}")]
    client = boto3.client("sesv2")
    identity = boto3.client("sts").get_caller_identity()
    partition, region = identity["Arn"].split(":")[1], client.meta.region_name
    of_account = f"arn:{partition}:ses:{region}:{identity['Account']}"
    resources = [
        f"{of_account}:{one}" for one in (*(f"identity/{d}" for d in options.domain), *sets)
    ]
    name = tenant_of(company)
    policy = f"arn:{partition}:ses:{region}:aws:reputation-policy/{options.policy}"
    Tenants(lambda: client).set_up(name, resources, policy)
    for one in resources:
        print(name, one, sep="\t")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations tenants", description=__doc__)
    arguments.add_stack(own)
    own.add_argument("company", type=arguments.word, help="id of the company")
    domain = arguments.matching(r"(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}", "a domain in lower case")
    own.add_argument(
        "--domain",
        action="append",
        required=True,
        type=domain,
        help="verified domain of senders; may be repeated",
    )
    own.add_argument(
        "--policy", choices=_POLICIES, default=POLICY, help="when SES pauses the tenant by itself"
    )
    return own
