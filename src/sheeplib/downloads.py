"""One file over HTTP: by way of a draft, resumed when cut short, and never a mixture of two versions."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from sheeplib.errors import InputError, Problem

PAUSES = (1.0, 2.0, 4.0)  # seconds before the second, third and fourth try
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 2**16  # bytes
BY_HAND = "download it by hand into a directory and pass that as --directory"
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # answers that may be others in a moment

_SIZE = re.compile("[0-9]{0,18}")

Sleep = Callable[[float], None]


def download(
    address: str, path: Path, accept: Callable[[Path], None] | None = None, sleep: Sleep = time.sleep
) -> None:
    """Download a file, going on where an earlier download of it stopped.

    The draft is `NAME.part`; `NAME.part.txt` says what it is the beginning of. One process at a time.

    Parameters
    ----------
    address : str
        Of http or https.
    path : Path
        The file, which appears, or is replaced, only when it is complete.
    accept : callable, optional
        Raises `InputError` if the complete draft, whose path it is given, is not what was wanted;
        the draft is removed then.
    sleep : callable
        Waits the seconds given, before another try.

    Raises
    ------
    InputError
        If the file is not complete after `len(PAUSES) + 1` tries, or the answer makes more tries vain.
    OSError
        If files cannot be read or written.
    """
    draft = path.with_name(path.name + ".part")
    check_address(address)
    for pause in (*PAUSES, None):
        try:
            _continue(address, draft)
            break
        except _Interrupted as error:
            if pause is None:
                raise _failed(
                    address, str(error), "Check the connection and try again, which resumes"
                ) from None
            sleep(pause)
    try:
        if accept is not None:
            accept(draft)
    except InputError:
        _discard(draft)
        raise
    os.replace(draft, path)
    _discard(draft)


def check_address(address: str) -> None:
    """Refuse an address that is not plain http or https.

    Raises
    ------
    InputError
        Also for an address with a user name or password, which it does not repeat.
    """
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if "@" in address.partition("://")[2].partition("/")[0]:
        raise InputError(Problem("an address may not hold a user name or password", "Give one without"))
    if not good or not re.fullmatch("[!-~]+", address):
        raise InputError(Problem("not an address of http or https", "Give https://...", value=address))


class _Interrupted(Exception):
    """A try that failed, though another may not."""


class _Beginning(NamedTuple):
    """What a draft is the beginning of, all as text."""

    address: str = ""
    validator: str = ""  # tells versions of the file apart; empty if the server gives none
    size: str = ""  # of the whole file, bytes; empty if the server does not say


def _continue(address: str, draft: Path) -> None:
    """One try: return if the draft is complete then."""
    begun, done = _begun(address, draft)
    if done and str(done) == begun.size:
        return
    headers = {"User-Agent": "sheeplib", "Accept-Encoding": "identity"}
    if done:
        headers |= {"Range": f"bytes={done}-", "If-Range": begun.validator}
    with _opened(Request(address, headers=headers), draft) as response:
        if response.status != 206:  # the whole file: a first try, or a changed file, or no ranges here
            begun, done = _promised(address, response.headers), 0
            _discard(draft)
            _note(draft).write_text("\n".join(begun), "utf-8")
        elif size := _fits(response.headers, begun, done):
            begun = begun._replace(size=size)
        else:
            _discard(draft)
            raise _Interrupted("the server sent another part than was asked for, or the file has changed")
        with open(draft, "ab") as file:
            done = _receive(response, file, draft.name, done, int(begun.size or 0))
    if begun.size and done != int(begun.size):
        raise _Interrupted(f"it ended after {done:,} of {int(begun.size):,} bytes")


def _begun(address: str, draft: Path) -> tuple[_Beginning, int]:
    """What was begun and how many bytes are there; none if they could not be continued safely."""
    try:
        begun, done = _Beginning(*_note(draft).read_text("utf-8").split("\n")), draft.stat().st_size
    except (FileNotFoundError, ValueError, TypeError):
        return _Beginning(), 0
    sound = begun.address == address and begun.validator and _SIZE.fullmatch(begun.size)
    return (begun, done) if sound else (_Beginning(), 0)


def _opened(wanted: Request, draft: Path) -> HTTPResponse:
    try:
        return _opener().open(wanted, timeout=TIMEOUT)  # type: ignore[return-value]
    except HTTPError as error:
        error.close()
        said = f"the server answered {error.code}"
        if error.code == 416:  # the draft is longer than the file
            _discard(draft)
        if error.code == 416 or error.code in _PASSING:
            raise _Interrupted(said) from None
        if error.code in (301, 302, 303, 307, 308):
            said += ", which leads in a circle or to an address that is not safe"
        raise _failed(wanted.full_url, said, "Check the address") from None
    except (OSError, HTTPException, ValueError) as error:  # ValueError: an address we were led to
        raise _Interrupted(_reason(error)) from None


def _receive(response: HTTPResponse, file: IO[bytes], name: str, done: int, size: int) -> int:
    """Append what comes to a file, and give its length."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    terminal = sys.stderr is not None and sys.stderr.isatty()
    columns = [TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn()]
    with Progress(*columns, console=Console(stderr=True), disable=not terminal, transient=True) as progress:
        task = progress.add_task(name, completed=done, total=size or None)
        while chunk := _chunk(response):
            file.write(chunk)
            done += len(chunk)
            progress.update(task, completed=done)
    return done


def _chunk(response: HTTPResponse) -> bytes:
    try:  # the network's errors only: those of the disk are another matter
        return response.read1(CHUNK)
    except (OSError, HTTPException) as error:
        raise _Interrupted(_reason(error)) from None


def _promised(address: str, headers: Message) -> _Beginning:
    size = headers.get("Content-Length", "")
    return _Beginning(address, _validator(headers), size if _SIZE.fullmatch(size) else "")


def _validator(headers: Message) -> str:
    """What If-Range may hold: a strong ETag, else a date."""
    tag, date = headers.get("ETag", ""), headers.get("Last-Modified", "")
    found = tag if tag.startswith('"') else date
    return found if re.fullmatch("[ -~]*", found) else ""


def _fits(headers: Message, begun: _Beginning, done: int) -> str:
    """Size of the whole file if a part goes on where the draft ends, else empty.

    Compared here as well because some servers do not heed If-Range.
    """
    told = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]+/([0-9]{1,18}|\*)", headers.get("Content-Range", ""))
    if told is None or not done or int(told[1]) != done or _validator(headers) not in ("", begun.validator):
        return ""
    size = begun.size if told[2] == "*" else told[2]
    return size if begun.size in ("", size) else ""


class _Redirects(HTTPRedirectHandler):
    """Follows a server to http and https only, and never from https back to http."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        scheme = urlsplit(newurl).scheme
        if scheme != "https" and (scheme != "http" or req.type == "https"):
            raise HTTPError(newurl, code, msg, headers, fp)  # type: ignore[arg-type]
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _opener() -> OpenerDirector:
    """As urllib's own, which would open file: and ftp: as well."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), _Redirects()):
        opener.add_handler(handler)
    for about_errors in (HTTPDefaultErrorHandler(), HTTPErrorProcessor()):
        opener.add_handler(about_errors)
    return opener


def _reason(error: Exception) -> str:
    inner = error.reason if isinstance(error, URLError) else error
    return str(inner) or type(inner).__name__


def _failed(address: str, why: str, remedy: str) -> InputError:
    return InputError(Problem(f"{address} cannot be downloaded: {why}", f"{remedy}, or {BY_HAND}"))


def _note(draft: Path) -> Path:
    return draft.with_name(draft.name + ".txt")


def _discard(draft: Path) -> None:
    draft.unlink(missing_ok=True)
    _note(draft).unlink(missing_ok=True)
