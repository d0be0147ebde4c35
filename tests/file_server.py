"""A server of files on this machine, with the faults that servers and networks have."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer(ThreadingHTTPServer):
    """Serves `files` (name to content), remembers `requests`, and misbehaves as it is told.

    Attributes
    ----------
    files : dict of str to bytes
    tags : dict of str to str
        ETag of a file, where it is not made from its content; "" sends none.
    dates : dict of str to str
        Last-Modified of a file.
    requests : list of (str, str or None, int)
        Name, Range header, and bytes of content sent, in order.
    cuts : list of int
        Each next answer breaks off after this many bytes of content.
    answers : list of int
        Each next request gets this status and nothing else.
    places : dict of str to str
        Redirects: name to Location.
    ranges, if_range, lengths : bool
        Whether Range and If-Range are heeded, and Content-Length is sent.
    chunked : bool
        Whether content is sent in chunks, without a length.
    shift : int
        Error in the start of a part that is sent.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.tags, self.dates, self.places = {}, {}, {}, {}
        self.requests, self.cuts, self.answers = [], [], []
        self.ranges = self.if_range = self.lengths = True
        self.shift, self.chunked = 0, False
        self.base = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    server: FileServer

    def log_message(self, *_):
        pass

    def do_GET(self):
        server, name, asked = self.server, self.path.rpartition("/")[2], self.headers.get("Range")
        if server.answers:
            self.answer(name, asked, server.answers.pop(0), {})
        elif name in server.places:
            self.answer(name, asked, 302, {"Location": server.places[name]})
        elif name not in server.files:
            self.answer(name, asked, 404, {})
        else:
            self.send_file(name, asked)

    def answer(self, name, asked, status, headers, content=b"", end=b""):
        # Remembered first, for the client goes on as soon as it has the last byte.
        self.server.requests.append((name, asked, len(content)))
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(content + end)

    def send_file(self, name, asked):
        server, content = self.server, self.server.files[name]
        tag = server.tags.get(name, f'"{hash(content):x}"')
        headers = {"ETag": tag} if tag else {}
        headers |= {"Last-Modified": server.dates[name]} if name in server.dates else {}
        status, start = 200, 0
        current = self.headers.get("If-Range") in (None, *headers.values()) or not server.if_range
        if asked and server.ranges and current:
            status, start = 206, int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) + server.shift
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            if start >= len(content):
                self.answer(name, asked, 416, {"Content-Range": f"bytes */{len(content)}"})
                return
        rest, end = content[start:], b""
        if server.chunked:  # the whole rest as one chunk
            self.protocol_version, self.close_connection = "HTTP/1.1", True
            headers |= {"Transfer-Encoding": "chunked", "Connection": "close"}
            rest, end = b"%x\r\n" % len(rest) + rest + b"\r\n", b"0\r\n\r\n"
        elif server.lengths:
            headers["Content-Length"] = str(len(rest))
        if server.cuts:
            rest, end = rest[: server.cuts.pop(0)], b""
        self.answer(name, asked, status, headers, rest, end)
