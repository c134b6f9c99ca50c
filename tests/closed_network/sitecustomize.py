"""Close the network to every Python that a test starts, except for this machine's own loopback.

pytest-socket watches the tests themselves; commands and notebook kernels run in processes of their own, which find
this folder on PYTHONPATH and run this file before anything else.
"""

import sys

OPEN = ("127.0.0.1", "::1", "localhost")


def refuse(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # a unix socket has a path instead
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host and host not in OPEN:
        raise RuntimeError(f"A test may talk to loopback only, not to {host}.")


sys.addaudithook(refuse)
