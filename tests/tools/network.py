# SPDX-License-Identifier: BSL-1.0
"""A network of this machine with a link that can be cut, for tests: `with Network() as network:`."""

import os
import subprocess


class Network:
    """A network namespace that a pair of interfaces connects with that of this process."""

    def __init__(self):
        number = os.getpid() % 16384
        self.name = f"strider-{os.getpid()}"
        self.link = f"sv{os.getpid() % 10**7}"
        # Of 198.18.0.0/16, which is for tests of networks (RFC 2544).
        self.here, self.there = (f"198.18.{number // 64}.{number % 64 * 4 + last}" for last in (1, 2))

    @staticmethod
    def ip(*words, check=True):
        return subprocess.run(["ip", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=check).returncode

    @classmethod
    def is_permitted(cls):
        """True if this process may create namespaces and interfaces."""
        name = f"strider-try-{os.getpid()}"
        try:
            if cls.ip("netns", "add", name, check=False) != 0:
                return False
        except OSError:
            return False
        made = cls.ip("link", "add", f"st{os.getpid() % 10**7}", "type", "veth", "peer", "name", "there", "netns", name, check=False) == 0
        cls.ip("netns", "del", name, check=False)  # with the interfaces
        return made

    def __enter__(self):
        try:
            self.ip("netns", "add", self.name)
            self.ip("link", "add", self.link, "type", "veth", "peer", "name", "there", "netns", self.name)
            self.ip("address", "add", f"{self.here}/30", "dev", self.link)
            self.ip("-n", self.name, "address", "add", f"{self.there}/30", "dev", "there")
            for words in (("link", "set", self.link), ("-n", self.name, "link", "set", "there"), ("-n", self.name, "link", "set", "lo")):
                self.ip(*words, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def cut(self):
        self.ip("-n", self.name, "link", "set", "there", "down")

    def mend(self):
        self.ip("-n", self.name, "link", "set", "there", "up")

    def __exit__(self, *_):
        self.ip("link", "del", self.link, check=False)
        self.ip("netns", "del", self.name, check=False)
