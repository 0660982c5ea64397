"""Questions of a project: kept ones for searches in its documents, and ones that its model did not answer."""
