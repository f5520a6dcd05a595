"""Being a witness: one route, `POST /add-checkpoint` (C2SP tlog-witness).

How many may call, and how long a call may take to arrive, is for the server that it runs in.
"""

import logging
import time
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.errors import FairdealError
from fairdeal.tlog import AddCheckpoint, Cosigner, Policy, WitnessAnswer, cosigned, refused
from fairdeal.tlog.witness import MAX_REQUEST_BYTES
from fairdeal.witness.memory import Memory

log = logging.getLogger("fairdeal.witness")


class WitnessService:
    """Answers for one witness. `logs` is whose checkpoints it takes: the log keys of a policy, by their names.

    `now` gives seconds since the epoch.
    """

    def __init__(self, cosigner: Cosigner, logs: Policy, memory: Memory, now: Callable[[], float] = time.time) -> None:
        self._cosigner = cosigner
        self._logs = logs
        self._memory = memory
        self._now = now

    def answer(self, body: bytes) -> WitnessAnswer:
        """Checks, keeps and only then cosigns. Raises StoreFailed."""
        try:
            request = AddCheckpoint.parse(body)
            origin = request.checkpoint.origin
            self._memory.advance(request, tuple(one.key for one in self._logs.logs if one.key.name == origin))
        except FairdealError as error:
            return refused(error)
        return cosigned(self._cosigner.cosign(request.checkpoint, int(self._now())))

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(routes=[Route("/add-checkpoint", self._add_checkpoint, methods=["POST"])])

    async def _add_checkpoint(self, request: Request) -> Response:
        try:
            body = await _bounded_body(request)
        except ClientDisconnect:
            return Response()  # to nobody
        if len(body) > MAX_REQUEST_BYTES:
            return _response(WitnessAnswer(413, "the body is too large\n"))
        try:
            answer = await run_in_threadpool(self.answer, body)
        except FairdealError:
            log.exception("fault")
            answer = WitnessAnswer(500, "the witness failed\n")
        log.info("add-checkpoint", extra={"status": answer.status})
        return _response(answer)


async def _bounded_body(request: Request) -> bytes:
    """The body; of one over the limit only the beginning, one byte over it at least."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_REQUEST_BYTES:
            break
    return bytes(body)


def _response(answer: WitnessAnswer) -> Response:
    headers = {"Connection": "close"} if answer.status == 413 else {}
    # Without starlette's own charset: the type of a size is compared as it is.
    return Response(answer.body.encode(), answer.status, {"Content-Type": answer.content_type, **headers})
