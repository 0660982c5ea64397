"""The sandbox's Meta Graph API and AWS End User Messaging Social."""
