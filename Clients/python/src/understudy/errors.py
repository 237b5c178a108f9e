"""The errors of this package. Each has a sentence that says what is wrong and, if known, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class UnderstudyError(Exception):
    """The base of all errors of this package except `ExpectationFailed`."""


class ExecutableNotFound(UnderstudyError):
    """There is no program to start."""


class StartFailed(UnderstudyError):
    """The program did not start.

    The text is the program's output; `code` is its exit code, None if it was still running.
    """

    def __init__(self, message: str, code: int | None) -> None:
        super().__init__(message)
        self.code = code


class ProgramEnded(UnderstudyError):
    """The program, or the connection to it, has ended. The text says how, with the program's output."""


class Unreachable(UnderstudyError):
    """Nothing answers at the address of the program's control API."""


class Refused(UnderstudyError):
    """The control API refused a request."""

    status: int
    """The HTTP status."""
    sentence: str
    """The refused request and the reason."""
    hint: str | None
    """Advice, if the response contains any."""
    code: str | None
    """The error's stable name, if the response contains one."""

    def __init__(self, status: int, sentence: str, hint: str | None = None, code: str | None = None) -> None:
        super().__init__(f"{sentence} ({hint})" if hint else sentence)
        self.status, self.sentence, self.hint, self.code = status, sentence, hint, code

    @staticmethod
    def of(status: int, body: Any, default: str) -> Refused:
        """Returns the error for the body of a response: `{"error": "sentence"}` or `{"error": {"sentence", "hint", "code"}}`."""
        error = body.get("error") if isinstance(body, Mapping) else None
        fields = {**body, **error} if isinstance(error, Mapping) else dict(body) if isinstance(body, Mapping) else {}
        if isinstance(error, str):
            fields["sentence"] = error
        sentence = fields.get("sentence") or fields.get("message") or default
        kind = {404: NotFound, 409: Conflict}.get(status, Refused)
        return kind(status, str(sentence), fields.get("hint"), fields.get("code"))


class NotFound(Refused):
    """There is no such accessory, characteristic, connection, channel, question …"""


class Conflict(Refused):
    """The current state does not allow the request, such as a notification without subscribers."""


class ExpectationFailed(AssertionError):
    """An expected event did not happen, or an excluded event did. The text ends with the transcript."""

    def __init__(self, sentence: str, transcript: str) -> None:
        super().__init__(f"{sentence}\n{transcript}")
        self.sentence, self.transcript = sentence, transcript
