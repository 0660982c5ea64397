"""What operators configure over the API: the help-desk account, the shop's settings, and switches."""
