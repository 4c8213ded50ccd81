"""Serve a folder on localhost: python tools/serve.py FOLDER [--port 8000]."""

import argparse
import gzip
import io
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PACKED = {".html", ".css", ".js", ".svg", ".ipynb"}
compress = cache(gzip.compress)


class Handler(SimpleHTTPRequestHandler):
    """A request handler that serves files as a real host does, with the site's own 404 page."""

    protocol_version = "HTTP/1.1"
    # do not wait for the client to acknowledge the header before sending the body
    disable_nagle_algorithm = True

    def send_head(self) -> Any:
        if not (answer := self.find_answer()):
            return super().send_head()
        status, path, body = answer
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(path))
        if "gzip" in self.headers.get("Accept-Encoding", "") and path.suffix in PACKED:
            self.send_header("Content-Encoding", "gzip")
            body = compress(body)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def find_answer(self) -> tuple[int, Path, bytes] | None:
        """Return the status, the path and the content that answer a request, or None for a folder.

        The base class answers requests for folders.
        """
        name, status = self.translate_path(self.path), 200
        path = Path(name, "index.html") if name.endswith("/") else Path(name)
        if not path.exists():
            path, status = Path(self.directory, "404.html"), 404
        return (status, path, path.read_bytes()) if path.is_file() else None

    def end_headers(self) -> None:
        # browsers must not cache pages, because rebuilt pages must appear at once
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing, because log messages would hide the address that the user needs."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # on Windows, the value True would let two servers use the same port
    allow_reuse_address = os.name != "nt"

    def handle_error(self, request: Any, client_address: Any) -> None:
        # the browser closed the connection early
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port within a `with` statement, and yield the address."""
    with Server(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def is_taken(port: int) -> bool:
    """Return whether a server already answers on this port."""
    with socket.socket() as s:
        s.settimeout(0.5)
        return s.connect_ex(("127.0.0.1", port)) == 0


def open_server(folder: Path, port: int, handler: type[Handler] = Handler) -> Server:
    """Return a server for `folder` on `port` or on the next free port, and print its address."""
    if not (folder / "index.html").is_file():
        raise SystemExit(f"{folder} holds no index.html. Build the site first: make site")
    for candidate in range(port, min(port + 100, 65536)):
        with suppress(OSError):  # another server just took the port, or this user may not use it
            if not is_taken(candidate):
                server = Server(("127.0.0.1", candidate), partial(handler, directory=str(folder)))
                url = f"http://localhost:{candidate}"
                print(f"Serving Order Matters on {url} (stop with Ctrl-C)", flush=True)
                return server
        print(f"Port {candidate} is taken, trying the next one.", flush=True)
    raise SystemExit(f"No free port from {port} to {candidate}. Choose one: make serve PORT=9000")


def main() -> None:
    """Serve the folder that is named on the command line, until Ctrl-C is pressed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args()
    with open_server(args.folder, args.port) as server, suppress(KeyboardInterrupt):
        server.serve_forever()
    print("\nStopped.")


if __name__ == "__main__":
    main()
