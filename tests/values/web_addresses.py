"""Web addresses that no setting, project or call may use, and those that only the local stack may use."""

from typing import Final

HOST: Final = "functions.example"

# Refused in every stage.
MALFORMED: Final = [
    "",
    "https://",
    "https:///book",
    "https://?a=b",
    "https:book",
    f"//{HOST}/book",
    HOST,
    # scheme
    f"http://{HOST}/book",
    f"ftp://{HOST}/book",
    f"HTTPS://{HOST}/book",
    "file:///etc/passwd",
    "javascript:alert(1)",
    # port
    f"https://{HOST}:99999/book",
    f"https://{HOST}:0/book",
    f"https://{HOST}:/book",
    f"https://{HOST}:https/book",
    f"https://{HOST}:-1/book",
    f"https://{HOST}:4 43/book",
    # credentials and fragment
    f"https://user:password@{HOST}/book",
    f"https://@{HOST}/book",
    f"https://{HOST}@evil.example/book",
    f"https://{HOST}/book#part",
    f"https://{HOST}#@evil.example/book",
    # IPv6 and other addresses
    "https://[::1/book",
    "https://[::1]/book",
    "https://[fd00:ec2::254]/book",
    f"https://[{HOST}]/book",
    "https://[v1.x]/book",
    "https://[fe80::1%25eth0]/book",
    "https://127.0.0.1/book",
    "https://10.0.0.1/book",
    "https://169.254.169.254/latest/meta-data/",
    "https://2130706433/book",
    "https://0x7f.0.0.1/book",
    "https://8.8.8.8/book",
    "http://169.254.169.254/latest/meta-data/",
    "http://8.8.8.8/book",
    "http://127.0.0.999/book",
    # names
    "https://localhost/book",
    "https://localhost:8443/book",
    "https://a.localhost/book",
    "https://printer.local/book",
    "https://ip-10-0-0-1.ec2.internal/book",
    "https://intranet/book",
    f"https://{HOST}./book",
    f"https://.{HOST}/book",
    f"https://a..{HOST}/book",
    f"https://-a.{HOST}/book",
    f"https://a_b.{HOST}/book",
    "https://" + "a" * 64 + ".example/book",
    "https://" + "a." * 130 + "example/book",
    "https://b\u00fccher.example/book",
    "https://functions\u3002example/book",
    "https://l\u043e\u043ekaside.example/book",
    # characters
    f"https://{HOST}/a b",
    f" https://{HOST}/book",
    f"https://{HOST}/book\n",
    f"https://{HOST}/a\r\nX-Injected: 1",
    f"https://{HOST}\t/book",
    f"https://{HOST}/a\x00",
    f"https://{HOST}/a\\b",
    f"https://{HOST}\\@evil.example/book",
    f"https://{HOST}/\u00e9",
    f"https://{HOST}/\ud800",
    f"https://{HOST}/%zz",
    f"https://{HOST}/{{customer}}/book",
    f"https://{{tenant}}.{HOST}/book",
    f"https://{HOST}/<id>",
    f"https://{HOST}/" + "a" * 4_096,
    # names of private networks
    "https://router.home.arpa/book",
    "https://crm.acme.corp/book",
    "https://nas.lan/book",
]
LOOPBACK: Final = ["http://127.0.0.1:4600", "http://127.0.0.1:4600/book", "http://172.17.0.1:4600/"]
