"""The link check: what it finds, and what it says of each kind of answer."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools import links


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/200")
        else:
            self.send_response(int(self.path[1:]))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_links_to_other_hosts_are_found_once_with_their_pages(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="https://a.example/x#part">a</a> <a href="chapters/b.html">b</a> <a>c</a>', "utf-8"
    )
    (tmp_path / "chapters" / "b.html").write_text('<a href="https://a.example/x">a</a>', "utf-8")
    assert links.links(tmp_path) == {"https://a.example/x": ["chapters/b.html", "index.html"]}


def test_each_kind_of_answer_is_named_and_what_is_dead_is_listed() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host = f"http://127.0.0.1:{server.server_port}"
        said = {f"{host}/{n}": links.visit(f"{host}/{n}") for n in ("200", "moved", "404", "403")}
        server.shutdown()
    assert list(said.values()) == ["", "", "404", "refuses programs (403)"]
    assert links.visit("http://127.0.0.1:1/").startswith("no answer (")
    text = links.report({address: ["a.html", "b.html"] for address in said}, said)
    assert f"- 404: <{host}/404> in a.html, b.html" in text and f"{host}/200" not in text
