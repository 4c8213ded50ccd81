"""The link check: what it finds, and what it says of each kind of answer."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_links_to_other_hosts_are_found_once_with_their_pages(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="https://a.example/x#part">a</a> <a href="chapters/b.html">b</a> <a>c</a>', "utf-8"
    )
    (tmp_path / "chapters" / "b.html").write_text(
        '<a href="https://a.example/x">a</a> <a href="http://b.example/">b</a>', "utf-8"
    )
    assert links.links(tmp_path) == {
        "http://b.example/": ["chapters/b.html"],
        "https://a.example/x": ["chapters/b.html", "index.html"],
    }


def test_each_kind_of_answer_is_named(host: str) -> None:
    assert links.visit(f"{host}/200") == ""
    assert links.visit(f"{host}/moved") == ""
    assert links.visit(f"{host}/404") == "404"
    assert links.visit(f"{host}/403") == "refuses programs (403)"
    assert links.visit("http://127.0.0.1:1/").startswith("no answer (")


def test_the_report_lists_what_is_dead_and_where(host: str) -> None:
    found = {f"{host}/200": ["index.html"], f"{host}/404": ["a.html", "b.html"]}
    text = links.report(found, {address: links.visit(address) for address in found})
    assert text.splitlines() == [
        "2 links to other hosts, 1 of them answer.",
        "",
        f"- 404: <{host}/404> in a.html, b.html",
    ]


def test_a_site_without_links_was_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["links.py", str(tmp_path)])
    with pytest.raises(SystemExit, match="Build the site first"):
        links.main()
