"""Asks dnsdist for 2,000 names."""

import os
import socket
import struct
import time

HERE = ("127.0.0.1", int(os.environ["PORT"]))


def query(number: int, name: str) -> bytes:
    question = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"
    return struct.pack("!6H", number, 0x100, 1, 0, 0, 0) + question + struct.pack("!2H", 1, 1)


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
    asking.settimeout(0.2)
    answered = False
    while not answered:  # until it has started
        asking.sendto(query(1, "first.here.example"), HERE)
        try:
            answered = bool(asking.recv(512))
        except OSError:
            time.sleep(0.2)
    for i in range(2000):
        asking.sendto(query(i, f"name{i}.{'here.' if i % 2 else ''}example"), HERE)
        time.sleep(0.0005)
print("ready", flush=True)
time.sleep(3600)
