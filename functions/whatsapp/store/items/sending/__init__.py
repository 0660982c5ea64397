"""Items of sending: campaigns, sequences, canned replies, rates and unknown outcomes."""
