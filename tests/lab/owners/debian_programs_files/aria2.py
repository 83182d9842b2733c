"""Gives aria2c 40 files to download, of which it downloads five at once and slowly."""

import json
import os
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SIZE = 10_000_000


class Slow(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(SIZE))
        self.end_headers()
        for _ in range(SIZE // 1000):
            self.wfile.write(bytes(1000))
            time.sleep(0.05)

    def log_message(self, format: str, *values: object) -> None:
        pass


def call(method: str, *parameters: object) -> Any:
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": f"aria2.{method}", "params": parameters})
    with urllib.request.urlopen(f"http://127.0.0.1:{os.environ['PORT']}/jsonrpc", text.encode(), 5) as answer:
        return json.load(answer)["result"]


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["OTHER"])), Slow)
threading.Thread(target=server.serve_forever, daemon=True).start()
started = False
while not started:
    try:
        started = bool(call("getVersion"))
    except OSError:
        time.sleep(0.2)
for i in range(40):
    call("addUri", [f"http://127.0.0.1:{server.server_port}/file{i}"], {"out": f"file{i}"})
while len([each for each in call("tellActive") if int(each["completedLength"]) > 0]) < 5:
    time.sleep(0.1)
print("ready", flush=True)
time.sleep(3600)
