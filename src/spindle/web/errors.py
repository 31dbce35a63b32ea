"""Errors as answers: `{"error": …}` with a status."""

from __future__ import annotations

import logging

from starlette.responses import Response

from spindle.errors import SpindleError
from spindle.web.answers import JSONResponse
from spindle.web.batching import Stopped
from spindle.web.gate import RETRY
from spindle.web.reading import Refusal

_logger = logging.getLogger(__name__)


def refusal_of(error: Exception) -> Refusal:
    """Return what a client is told about an error; nothing of unexpected ones but that they happened."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, SpindleError):
        return Refusal(400, str(error))
    if isinstance(error, TimeoutError):
        return Refusal(503, "this took too long; send less at a time, or ask for a stream", RETRY)
    if isinstance(error, Stopped):
        return Refusal(503, "the server stops", RETRY)
    _logger.error("a request failed", exc_info=error)
    return Refusal(500, "the server has made a mistake; its log says more")


def error_message(error: Exception) -> str:
    """Return the text of an error for a client."""
    return refusal_of(error).message


def error_response(error: Exception) -> Response:
    """Return the answer for an error."""
    refusal = refusal_of(error)
    return JSONResponse({"error": refusal.message}, refusal.status, refusal.headers)
