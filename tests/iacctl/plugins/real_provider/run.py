#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses real providers through the client of the plugin protocol: run.py PROBE prints TAP.

The providers are Go programs, installed from Go's module proxy into a cache folder by their version. Where there is no Go, or the
proxy does not have them, the test is skipped by name.
"""

import os
import pathlib
import shutil
import subprocess
import sys

RANDOM = ("github.com/terraform-providers/terraform-provider-random", "v1.3.2-0.20231204135814-c6e90de46687")


def installed(module, version):
    """The program of a module, built unless it is in the cache; or a reason why there is none."""
    if shutil.which("go") is None:
        return None, "needs go"
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "strider-providers"
    folder = cache / version.rsplit("-", 1)[-1]
    program = folder / module.rsplit("/", 1)[-1]
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        building = subprocess.run(["go", "install", f"{module}@{version}"], capture_output=True, text=True,
                                  env=dict(os.environ, GOBIN=str(folder), GOFLAGS="-mod=mod"), cwd=folder)
        if building.returncode != 0:
            last = (building.stderr.strip().splitlines() or ["no output"])[-1]
            return None, f"needs goproxy: {last}"
    return program, ""


def main():
    program, reason = installed(*RANDOM)
    if program is None:
        print(f"1..1\nok 1 - random # SKIP {reason}")
        return 0
    return subprocess.run([sys.argv[1], str(program)]).returncode


if __name__ == "__main__":
    sys.exit(main())
