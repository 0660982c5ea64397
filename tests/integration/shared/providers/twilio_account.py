"""The account that the sandbox simulates for tests of the clients."""

from local.sandbox import Config
from shared.providers.twilio.api import Credentials

TOKEN = "the-token-of-the-account"
ACCOUNT = Config().twilio_account_sid
CREDENTIALS = Credentials(ACCOUNT, ACCOUNT, TOKEN)
SMS_NUMBER = "+12025550142"
WHATSAPP_NUMBER = "+12025550143"
CUSTOMER = "+447700900123"
