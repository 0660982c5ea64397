"""The sandbox's Amazon Bedrock."""
