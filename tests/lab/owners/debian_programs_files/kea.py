"""Asks kea-dhcp4 for the addresses of 500 clients, as a relay does."""

import os
import socket
import struct
import time

HERE = ("127.0.0.1", int(os.environ["PORT"]))
COOKIE = bytes([99, 130, 83, 99])


def message(kind: int, client: int, more: bytes = b"") -> bytes:
    address = struct.pack("!HI", 0x0200, client)
    head = struct.pack("!4B3I", 1, 1, 6, 1, client, 0, 0) + bytes(8) + socket.inet_aton("127.0.0.1")
    return head + address.ljust(16, b"\0") + bytes(192) + COOKIE + bytes([53, 1, kind]) + more + b"\xff"


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
    # What it answers, it sends to the port of servers.
    relay.bind(("127.0.0.1", int(os.environ["OTHER"])))
    relay.settimeout(0.2)
    offered = None
    while not offered:  # until it has started
        relay.sendto(message(1, 1), HERE)
        try:
            offered = relay.recv(2000)
        except OSError:
            time.sleep(0.2)
    for client in range(2, 500):
        relay.sendto(message(1, client), HERE)
        offer = relay.recv(2000)
        requested = b"\x32\x04" + offer[16:20]
        server = b"\x36\x04" + offer[offer.index(b"\x36\x04") + 2 :][:4]
        relay.sendto(message(3, client, requested + server), HERE)
        relay.recv(2000)
print("ready", flush=True)
time.sleep(3600)
