#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses the packages of iacctl in roots of Debian: packages.py FOLDER RELEASE...

FOLDER has the packages in `packages`, and for each release a root with the log of its installation.
"""

import contextlib
import functools
import http.server
import io
import pathlib
import shutil
import subprocess
import sys
import threading
import unittest
import zipfile

FOLDER = pathlib.Path(sys.argv[1])
RELEASES = sys.argv[2:]

CONFIGURATION = """
module "archive" {{
  source = "http://127.0.0.1:{port}/module.zip"
}}
resource "terraform_data" "one" {{
  input = upper("straße")
}}
resource "local_file" "two" {{
  filename = "${{path.module}}/two.txt"
  content  = "${{terraform_data.one.output}} ${{module.archive.name}}"
}}
output "two" {{
  value = local_file.two.content
}}
"""
MODULE = 'output "name" {\n  value = basename(path.module)\n}\n'
POSTGRES = 'terraform {\n  backend "pg" {\n    conn_str = "postgres://nobody@127.0.0.1:1/none"\n  }\n}\n'


@contextlib.contextmanager
def server(folder):
    """Serves a folder on this machine; yields the port."""
    class quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=str(folder))) as one:
        thread = threading.Thread(target=one.serve_forever)
        thread.start()
        try:
            yield one.server_address[1]
        finally:
            one.shutdown()
            thread.join()


def run(root, *words, folder="/"):
    """Runs a command in a root with /proc; returns (exit status, output)."""
    done = subprocess.run(["unshare", "--mount", "/bin/sh", "-c",
                           'mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" /bin/sh -c \'cd "$1" && shift && exec "$@"\' sh "$@"',
                           "sh", root, folder, *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                               "DEBIAN_FRONTEND": "noninteractive"}, check=False)
    return done.returncode, done.stdout


class packages(unittest.TestCase):
    root = None

    def in_root(self, *words, folder="/"):
        status, output = run(self.root, *words, folder=folder)
        self.assertEqual(status, 0, f"{' '.join(words)}\n{output}")
        return output

    def uses(self, program):
        """The program plans, applies and destroys with a module that it downloads and unpacks, and finds libpq."""
        work = self.root / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        served = io.BytesIO()
        with zipfile.ZipFile(served, "w") as archive:
            archive.writestr("main.tf", MODULE)
        shutil.rmtree(FOLDER / "served", ignore_errors=True)
        (FOLDER / "served").mkdir()
        (FOLDER / "served" / "module.zip").write_bytes(served.getvalue())
        with server(FOLDER / "served") as port:
            (work / "main.tf").write_text(CONFIGURATION.format(port=port), encoding="utf-8")
            self.assertIn("iacctl", self.in_root(program, "version"))
            self.in_root(program, "init", "-input=false", folder="/work")
        self.in_root(program, "apply", "-auto-approve", "-input=false", folder="/work")
        self.assertEqual((work / "two.txt").read_text(encoding="utf-8"), "STRAßE archive")
        self.assertEqual(self.in_root(program, "output", "-raw", "two", folder="/work"), "STRAßE archive")
        self.in_root(program, "destroy", "-auto-approve", "-input=false", folder="/work")
        self.assertFalse((work / "two.txt").exists())
        self.assertEqual(self.in_root(program, "state", "list", folder="/work"), "")
        shutil.rmtree(work)
        work.mkdir()
        (work / "main.tf").write_text(POSTGRES, encoding="utf-8")
        status, output = run(self.root, program, "init", "-input=false", folder="/work")
        self.assertEqual(status, 1, output)
        self.assertIn("127.0.0.1", output)
        self.assertNotIn("libpq5", output)

    def the_root_is_there(self):
        log = self.root.with_name(self.root.name + ".log")
        self.assertTrue((self.root / "usr/bin/apt-get").exists(), log.read_text(encoding="utf-8", errors="replace")[-2000:])

    def archive(self):
        """The archive runs in a root that has none of its libraries except glibc."""
        self.the_root_is_there()
        (file,) = (FOLDER / "packages").glob("*.tar.gz")
        subprocess.run(["tar", "-C", self.root / "opt", "-xf", file], check=True)
        (folder,) = (self.root / "opt").glob("iacctl-*")
        self.assertFalse(list(self.root.glob("usr/lib/*/libcurl.so*")))
        self.uses(f"/opt/{folder.name}/bin/iacctl")
        self.assertTrue((folder / "share/doc/iacctl/docs/providers.md").is_file())
        for library in folder.glob("lib/*.so*"):
            loaded = self.in_root("/bin/sh", "-c", f"/lib64/ld-linux-x86-64.so.2 --list /opt/{folder.name}/lib/{library.name}")
            self.assertNotIn("not found", loaded, library.name)

    def deb(self):
        """The package of Debian installs with its dependencies, runs, and is removed without a trace."""
        self.the_root_is_there()
        (file,) = (FOLDER / "packages").glob("*.deb")
        shutil.copy(file, self.root / "tmp" / file.name)
        before = self.in_root("find", "/usr/bin", "/usr/share/man/man1", "-name", "iacctl*")
        self.in_root("apt-get", "update", "-qq")
        self.in_root("apt-get", "install", "-y", "-qq", "--no-install-recommends", f"/tmp/{file.name}")
        self.uses("iacctl")
        listed = self.in_root("dpkg", "-L", "iacctl").split()
        self.assertIn("/usr/share/bash-completion/completions/iacctl", listed)
        self.assertIn("/usr/share/doc/iacctl/docs/providers.md", listed)
        self.assertEqual(self.in_root("dpkg", "--verify", "iacctl"), "")
        self.in_root("apt-get", "purge", "-y", "-qq", "iacctl")
        self.assertEqual(self.in_root("find", "/usr/bin", "/usr/share/man/man1", "-name", "iacctl*"), before)


def suite():
    tests = unittest.TestSuite()
    for release in RELEASES:
        for method in ("archive", "deb") if release == "bookworm" else ("archive",):
            test = packages(method)
            test.root = FOLDER / release
            tests.addTest(test)
    return tests


if __name__ == "__main__":
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite())
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
