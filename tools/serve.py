"""Serve a folder on localhost: python tools/serve.py FOLDER [--port 8000] [--reload]."""

import argparse
import gzip
import io
import os
import socket
from contextlib import suppress
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PACKED = {".html", ".css", ".js", ".svg", ".ipynb"}


@cache
def compressed(path: Path, changed: int) -> bytes:
    """The file as it was when it was last changed."""
    return gzip.compress(path.read_bytes())


class Handler(SimpleHTTPRequestHandler):
    """Serves as a real host does: compressed if the client likes, with the site's own 404 page."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a file must not wait until its header was acknowledged

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        packed = "gzip" in self.headers.get("Accept-Encoding", "") and path.suffix in PACKED
        if not packed or not path.is_file():
            return super().send_head()
        return self.whole(200, path, compressed(path, path.stat().st_mtime_ns), "gzip")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Where there is no file, the folder's own page says so."""
        page = Path(self.directory, "404.html")
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        body = self.whole(404, page, page.read_bytes())
        if self.command != "HEAD":
            self.copyfile(body, self.wfile)

    def whole(self, status: int, path: Path, body: bytes, encoding: str = "") -> io.BytesIO:
        """Send the headers of `body`, which is of the kind of `path`."""
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(path))
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # a rebuilt page shows at once
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass  # the address is what the reader needs to see, not a line a file

    def copyfile(self, source: Any, outputfile: Any) -> None:
        with suppress(ConnectionError):  # the reader went on before the page had arrived
            super().copyfile(source, outputfile)


RELOAD = "/_reload.txt"
# asks until the folder is another one; a build puts a new folder in the place of the old
SCRIPT = f"""let first;
async function look() {{
  try {{
    const now = await (await fetch("{RELOAD}")).text();
    if (now !== (first ??= now)) location.reload();
  }} catch {{ /* not serving just now */ }}
  setTimeout(look, 300);
}}
look();
"""


class Reloading(Handler):
    """Adds a script to each page that loads it again when the folder was made anew."""

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        if self.path == RELOAD:
            made = Path(self.directory).stat()
            return self.whole(200, path, f"{made.st_ino} {made.st_ctime_ns}".encode())
        if self.path == "/_reload.js":
            return self.whole(200, path, SCRIPT.encode())
        page = path / "index.html" if path.is_dir() else path
        if page.suffix == ".html" and page.is_file() and (path == page or self.path.endswith("/")):
            text = page.read_text("utf-8")
            added = '<script src="/_reload.js" defer></script></body>'
            return self.whole(200, page, text.replace("</body>", added).encode())
        return super().send_head()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # on Windows it would let two servers share one port


def is_taken(port: int) -> bool:
    """Whether something answers on this port already, on any of this machine's names."""
    with socket.socket() as s:
        s.settimeout(0.5)
        return s.connect_ex(("127.0.0.1", port)) == 0


def open_server(folder: Path, port: int, handler: type[Handler] = Handler) -> Server:
    """A server for `folder` on `port`, or on the next free one; says which ports were taken."""
    for candidate in range(port, min(port + 100, 65536)):
        try:
            if not is_taken(candidate):
                return Server(("127.0.0.1", candidate), partial(handler, directory=str(folder)))
        except OSError:
            pass  # taken in between, or not allowed: the next one
        print(f"Port {candidate} is taken, trying the next one.", flush=True)
    raise SystemExit(f"No free port from {port} to {candidate}. Choose one: make serve PORT=9000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--reload", action="store_true", help="load pages again after a build")
    args = parser.parse_args()
    if not (args.folder / "index.html").is_file():
        raise SystemExit(f"{args.folder} holds no index.html. Build the site first: make site")
    handler = Reloading if args.reload else Handler
    with open_server(args.folder, args.port, handler) as server:
        url = f"http://localhost:{server.server_port}"
        print(f"Serving Order Matters on {url} (stop with Ctrl-C)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nStopped.")


if __name__ == "__main__":
    main()
