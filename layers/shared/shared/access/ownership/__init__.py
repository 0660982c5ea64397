"""
Ownership of a provider's resources by companies: number, account, app, domain, topic, knowledge base.

A resource belongs to a company because that was proven, never because a company was the first to name it:

    listed       the provider listed it for the company's own credentials
    granted      an operator has granted it
    deployment   the deployment belongs to this one company (parameter `SingleCompany`)

`ids` gives each id its one canonical form, `claims` has the owner items and `proofs` the rule for a new claim.
"""
