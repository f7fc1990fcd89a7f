"""A local server for the pages: two documents and one question, on the standard library alone.

    GET  /             the page
    GET  /article      the article, which computes by itself
    POST /api/answer   a state as JSON -> its answer as JSON (400 with {"error": text} when it is not a state)

Whatever comes is answered, with one sentence where it cannot be used. It listens on this machine only, refuses other
host names and origins (a page of another site must not talk to it, nor through a name that points here), and bounds the
size of a question. Nothing is stored and no file is read.
"""

from __future__ import annotations

import json
import logging
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_WR
from threading import Lock, Thread

from ..base.errors import PartitopeError
from .answer import State, answer
from .page import build_article, build_page

MAX_BYTES = 2_000_000
_LOG = logging.getLogger(__name__)


class ExploreServer(ThreadingHTTPServer):
    """The server of one page; `serve_forever` runs it, `url` says where."""

    daemon_threads = True

    def __init__(self, state: State | None = None, port: int = 0, address: str | None = None) -> None:
        self.page = build_page(state, server=True, address=address, article="article").encode()
        self.article = build_article(laboratory="./").encode()
        super().__init__(("127.0.0.1", port), _Handler)
        self.turn = Lock()  # the kernels' own threads are enough
        Thread(target=self._warm_up, daemon=True).start()

    def _warm_up(self) -> None:
        """Load the kernels while the browser opens, so that the first question need not wait for them."""
        with self.turn:
            for kind in ("lsa", "csa"):
                answer(State(kind, [[0.0, 0.0], [1.0, 0.5], [2.0, 2.0]], [[0.0, 0.0], [1.0, 1.0]], [1, 1], [1, 2]))

    def handle_error(self, request: object, client_address: object) -> None:
        """Log a connection that the other side has broken off; there is nobody to answer."""
        _LOG.debug("connection of %s ended: %s", client_address, sys.exception())

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: ExploreServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a reply waits 40 ms for the browser's acknowledgement of its head
    wbufsize = -1
    timeout = 30  # seconds that the other side may be silent

    def do_GET(self) -> None:
        if not self._known_host():
            return
        pages = {"/": self.server.page, "/index.html": self.server.page, "/article": self.server.article}
        page = pages.get(self.path.split("?")[0])
        if page is None:
            self._refuse(HTTPStatus.NOT_FOUND, "only /, /article and /api/answer are served")
        else:
            self._send(HTTPStatus.OK, page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        if not self._known_host() or not self._own_origin():
            return
        length = self.headers.get("Content-Length", "")
        if self.path != "/api/answer":
            self._refuse(HTTPStatus.NOT_FOUND, "POST a state to /api/answer")
        elif not (length.isascii() and length.isdigit()):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "Content-Length must say how many bytes come")
        elif len(length) > 9 or int(length) > MAX_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_BYTES} bytes are read")
        elif self.headers.get_content_type() != "application/json":  # another would be sent without asking us first
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json")
        else:
            self._read(int(length))

    def _read(self, length: int) -> None:
        try:
            body = self.rfile.read(length)
        except TimeoutError:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"{length} bytes were announced and did not come")
            return
        if len(body) < length:
            self._refuse(HTTPStatus.BAD_REQUEST, f"{length} bytes were announced, {len(body)} came")
        else:
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        try:
            record = json.loads(body)
        except RecursionError:
            self._refuse(HTTPStatus.BAD_REQUEST, "the JSON is nested too deeply to be a state")
            return
        except ValueError as error:
            reason = str(error).partition(";")[0]
            self._refuse(HTTPStatus.BAD_REQUEST, f"the body cannot be read as JSON ({reason}): send a state")
            return
        try:
            with self.server.turn:
                reply = json.dumps(answer(State.of(record)), allow_nan=False)
        except PartitopeError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        except Exception:
            _LOG.exception("no answer to a state of %d bytes", len(body))
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "the library has no answer to this state; its log says why")
        else:
            self._send(HTTPStatus.OK, reply.encode(), "application/json")

    def _known_host(self) -> bool:
        if self.headers.get("Host") in self._hosts:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "open the page by its address 127.0.0.1")
        return False

    def _own_origin(self) -> bool:
        """Whether the question comes from our own page, or from no page: programs send no Origin."""
        origin = self.headers.get("Origin")
        if origin is None or origin in [f"http://{host}" for host in self._hosts]:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "pages of other origins get no answer: open the page at 127.0.0.1")
        return False

    @property
    def _hosts(self) -> tuple[str, str]:
        port = self.server.server_port
        return f"127.0.0.1:{port}", f"localhost:{port}"

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses, such as other methods, in the same form."""
        status = HTTPStatus(code)
        self._refuse(status, f"{message or status.phrase}: GET / or /article, or POST a state to /api/answer")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self.close_connection = True
        self._send(status, json.dumps({"error": message}).encode(), "application/json")
        self._drain()

    def _drain(self) -> None:
        """Take what the other side still sends, for a while: closing on unread bytes would take the reply from it."""
        self.connection.settimeout(1)
        left = 50 * MAX_BYTES
        try:
            self.connection.shutdown(SHUT_WR)
            while left > 0 and (taken := len(self.connection.recv(65536))):
                left -= taken
        except OSError:
            pass

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        _LOG.debug(format, *args)
