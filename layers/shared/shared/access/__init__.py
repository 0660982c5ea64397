"""Access of people: their logins, groups and revocations, and the owners of provider ids."""
