"""A local server for the page: one document and one question, on the standard library alone.

    GET  /             the page
    POST /api/answer   a state as JSON -> its answer as JSON (400 with {"error": text} when it is not a state)

It listens on this machine only, refuses other host names (a page of another site must not talk to it through a
name that points here), and bounds the size of a question. Nothing is stored and no file is read.
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from ..base.errors import PartitopeError
from .answer import State, answer
from .page import build_page

MAX_BYTES = 2_000_000
_LOG = logging.getLogger(__name__)


class ExploreServer(ThreadingHTTPServer):
    """The server of one page; `serve_forever` runs it, `url` says where.

    Parameters
    ----------
    state : State, optional
        What the page shows first.
    port : int, default 0
        Port on 127.0.0.1; 0 takes a free one.

    Raises
    ------
    OSError
        When the port is taken.
    """

    daemon_threads = True

    def __init__(self, state: State | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.page = build_page(state, server=True).encode()
        self.turn = Lock()  # the kernels' own threads are enough
        Thread(target=self._warm_up, daemon=True).start()

    def _warm_up(self) -> None:
        """Load the kernels while the browser opens, so that the first question need not wait for them."""
        with self.turn:
            for kind in ("lsa", "csa"):
                answer(State(kind, [[0.0, 0.0], [1.0, 0.5], [2.0, 2.0]], [[0.0, 0.0], [1.0, 1.0]], [1, 1], [1, 2]))

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: ExploreServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a reply waits 40 ms for the browser's acknowledgement of its head
    wbufsize = -1

    def do_GET(self) -> None:
        if not self._known_host():
            return
        if self.path.split("?")[0] in ("/", "/index.html"):
            self._send(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "only / and /api/answer are served")

    def do_POST(self) -> None:
        if not self._known_host():
            return
        length = self.headers.get("Content-Length", "")
        if self.path != "/api/answer" or not length.isdigit():
            self._refuse(HTTPStatus.NOT_FOUND, "POST a state to /api/answer")
        elif int(length) > MAX_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_BYTES} bytes are read")
        elif "json" not in self.headers.get("Content-Type", ""):
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json")
        else:
            self._answer(self.rfile.read(int(length)))

    def _answer(self, body: bytes) -> None:
        try:
            state = State.of(json.loads(body))
            with self.server.turn:
                reply = answer(state)
        except (PartitopeError, ValueError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        self._send(HTTPStatus.OK, json.dumps(reply, allow_nan=False).encode(), "application/json")

    def _known_host(self) -> bool:
        port = self.server.server_port
        if self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}"):
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "open the page by its address 127.0.0.1")
        return False

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self.close_connection = True
        self._send(status, json.dumps({"error": message}).encode(), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        _LOG.debug(format, *args)
