# SPDX-License-Identifier: BSL-1.0
"""A server of states of a test."""

import concurrent.futures
import http.client
import signal
import subprocess


class Server:
    """A process of `iacctl state serve`. `port` stays the same when it is started again."""

    def __init__(self, program, directory, *options):
        self.program, self.directory, self.options, self.port = program, directory, options, 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "state", "serve", f"-listen=127.0.0.1:{self.port}", f"-directory={self.directory}", *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Serving states at http://127.0.0.1:"), line
        self.port = int(line.rsplit(":", 1)[1])
        # Reads the log, so that the server never blocks on writing it.
        self.reader = concurrent.futures.ThreadPoolExecutor(1)
        self.log = self.reader.submit(self.process.stdout.read)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(20)
        text = self.log.result()
        self.reader.shutdown()
        self.process.stdout.close()
        return code, text

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            got = connection.getresponse()
            return got.status, got.read().decode()
        finally:
            connection.close()
