# SPDX-License-Identifier: BSL-1.0
"""Builds providers from Go modules into a cache, and makes a filesystem mirror of them."""
import fcntl
import hashlib
import os
import pathlib
import platform
import resource
import shutil
import signal
import subprocess
import tempfile
import time

# Name: registry namespace, release, module, version of the module. The version is the newest released one that the
# module proxy serves. Module paths do not follow the tags of the releases.
RELEASES = {
    "random": ("hashicorp", "3.6.0", "github.com/terraform-providers/terraform-provider-random",
               "v1.3.2-0.20231204135814-c6e90de46687"),
    "tls": ("hashicorp", "4.0.4", "github.com/hashicorp/terraform-provider-tls", "v1.2.1-0.20230117062332-afdd54107aba"),
    "null": ("hashicorp", "2.1.2", "github.com/terraform-providers/terraform-provider-null",
             "v1.0.1-0.20190430203517-8d3d85a60e20"),
    "time": ("hashicorp", "0.14.2", "github.com/hashicorp/terraform-provider-time", "v0.14.2"),
    "local": ("hashicorp", "2.9.0", "github.com/terraform-providers/terraform-provider-local",
              "v1.4.1-0.20260513075820-3561e410f9fe"),
    "http": ("hashicorp", "1.2.0", "github.com/terraform-providers/terraform-provider-http", "v1.2.0"),
    "archive": ("hashicorp", "1.3.0", "github.com/terraform-providers/terraform-provider-archive", "v1.3.0"),
    "external": ("hashicorp", "1.2.0", "github.com/terraform-providers/terraform-provider-external", "v1.2.0"),
    "postgresql": ("cyrilgdn", "1.7.1", "github.com/terraform-providers/terraform-provider-postgresql", "v1.7.1"),
    # Runs only if it is named, because its build takes long.
    "aws": ("hashicorp", "2.32.0", "github.com/terraform-providers/terraform-provider-aws", "v1.60.1-0.20191010190908-1261a98537f2"),
    # A provider with version 6 of the protocol, from a module in this directory.
    "framework": ("example", "1.0.0", "framework_provider", ""),
}


# The seconds that one test of the suite may spend on builds. They take minutes and need the network, so the suite builds only
# where STRIDER_REQUIRE lists go, and otherwise uses the providers of the cache.
SUITE_BUILDS = 150 if "go" in os.environ.get("STRIDER_REQUIRE", "").split() else 0


def limited():
    """Sets the limits of a process: the lowest priority, and at most 12 GB for each program."""
    os.nice(19)
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))


def program_path(module, version):
    """The path of the program of a module in the cache, built or not."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "strider-providers"
    return cache / version.rsplit("-", 1)[-1] / module.rsplit("/", 1)[-1]


def installed(module, version, timeout=None):
    """The program of a module, which is built if it is not in the cache; or the reason why there is none."""
    # A module that requires the provider: `go install PATH@VERSION` also asks for the list of versions, which the proxy may not have.
    steps = [["mod", "init", "build.invalid/provider"], ["mod", "edit", f"-require={module}@{version}"], ["build", "-mod=mod", module]]
    with tempfile.TemporaryDirectory() as folder:
        return built_by(steps, folder, program_path(module, version), timeout)


def built(folder, timeout=None):
    """The program of a Go module in this directory, which is built if its sources are not in the cache; or the reason
    why there is none."""
    module = pathlib.Path(__file__).resolve().parent / folder
    sources = b"".join(file.read_bytes() for file in sorted(module.iterdir()) if file.is_file())
    return built_by([["build", "."]], module, program_path(folder, hashlib.sha256(sources).hexdigest()[:12]), timeout)


def program_of(name, timeout=None):
    """The program of a provider, or the reason why there is none."""
    module, version = RELEASES[name][2:]
    return installed(module, version, timeout) if version else built(module, timeout)


def built_by(steps, folder, program, timeout):
    """If the program does not exist, runs go commands, the last of which builds it. The time limit is for all commands
    together; 0 permits none. One process builds a program at a time."""
    if program.exists():
        return program, ""
    if shutil.which("go") is None:
        return None, "needs go"
    if timeout == 0:
        return None, "needs a cached build: tools/test-providers makes it"
    program.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{program}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return (program, "") if program.exists() else build(steps, folder, program, timeout)


def build(steps, folder, program, timeout):
    """Runs go commands, the last of which builds the program."""
    until = time.monotonic() + timeout if timeout else None
    # Only one compiler at a time, because the compilation of a large package takes gigabytes.
    large = program.name.endswith("-aws")
    made = f"{program}.{os.getpid()}"
    for step in steps:
        builds = step[0] in ("build", "test")
        command = ["go", *step[:1], *(["-p=1"] if builds and large else []), *(["-o", made] if builds else []), *step[1:]]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder,
                              preexec_fn=limited if large else None, start_new_session=True) as process:
            try:
                _, errors = process.communicate(timeout=max(0.1, until - time.monotonic()) if until else None)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None, f"needs a cached build: go build did not end within {timeout:.0f} s"
        if builds and process.returncode != 0:
            return None, "needs goproxy: " + (errors.strip().splitlines() or ["no output"])[-1]
    os.replace(made, program)
    return program, ""


def system():
    """The platform in the notation of packages: linux_amd64."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}_{machine}"


def add_to_mirror(mirror, name, program):
    """Adds the package of a release to a filesystem mirror of the unpacked layout."""
    namespace, release = RELEASES[name][:2]
    folder = mirror / "registry.terraform.io" / namespace / name / release / system()
    folder.mkdir(parents=True)
    shutil.copy2(program, folder / f"terraform-provider-{name}_v{release}")
