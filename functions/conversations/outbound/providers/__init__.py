"""Messages in the providers' formats, and the gateway that sends them."""
