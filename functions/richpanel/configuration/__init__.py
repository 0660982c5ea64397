"""Settings of the help-desk account, and the resources that functions and use cases run with."""
