"""Which company owns a provider's resource: the operator's grants."""
