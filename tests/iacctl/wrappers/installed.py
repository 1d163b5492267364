# SPDX-License-Identifier: BSL-1.0
"""Installs pinned wrappers of Terraform from PyPI and npm, and builds those of Go modules, into a cache."""
import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "plugin"))
from released_providers import built_by

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "strider-wrappers"


def installed(packages, tool, command, timeout):
    """The directory with the packages, and the reason why there is none. The command gets the directory and the packages."""
    place = CACHE / hashlib.sha256(" ".join([tool, *packages]).encode()).hexdigest()[:12]
    if place.exists():
        return place, ""
    if shutil.which(command[0]) is None:
        return None, f"needs {tool}"
    CACHE.mkdir(parents=True, exist_ok=True)
    draft = tempfile.mkdtemp(dir=CACHE)
    try:
        subprocess.run([*command, draft, *packages], check=True, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL)
        with contextlib.suppress(OSError):  # another test has installed them meanwhile
            os.rename(draft, place)
    except (OSError, subprocess.SubprocessError) as failed:
        return None, f"needs the packages of {tool}: {type(failed).__name__}"
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return place, ""


def of_pypi(*packages, timeout=120):
    """A directory for PYTHONPATH."""
    return installed(packages, "pypi", [sys.executable, "-m", "pip", "install", "-q", "--target"], timeout)


def of_npm(*packages, timeout=120):
    """A directory with node_modules."""
    return installed(packages, "node", ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix"], timeout)


def of_go(timeout):
    """The program with the tests of `go`, and the reason why there is none."""
    module = pathlib.Path(__file__).resolve().parent / "go"
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(module.iterdir()))).hexdigest()[:12]
    program = CACHE / digest / "wrappers"
    if timeout == 0 and not program.exists() and shutil.which("go"):
        return None, "needs a cached build: tools/test-wrappers makes it"
    return built_by([["test", "-c", "."]], module, program, timeout)
