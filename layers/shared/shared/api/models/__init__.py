"""Base classes of inputs and views, and input fields that several APIs have."""
