# SPDX-License-Identifier: BSL-1.0
"""Providers, built as Go modules into a cache, and a filesystem mirror of them."""
import functools
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

# Name: registry namespace, release, module, version of the module. The version is the newest one of a released state that the
# module proxy serves; module paths do not follow the tags of the releases.
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
    # Version 6 of the protocol: a module of this directory.
    "framework": ("example", "1.0.0", "framework_provider", ""),
}


def program_path(module, version):
    """Where the cache has, or will have, the program of a module."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "strider-providers"
    return cache / version.rsplit("-", 1)[-1] / module.rsplit("/", 1)[-1]


def installed(module, version, timeout=None):
    """The program of a module, built unless it is in the cache; or a reason why there is none."""
    program = program_path(module, version)
    if program.exists():
        return program, ""
    if shutil.which("go") is None:
        return None, "needs go"
    program.parent.mkdir(parents=True, exist_ok=True)
    # A module that requires the provider: `go install PATH@VERSION` also asks for the list of versions, which the proxy may not have.
    with tempfile.TemporaryDirectory() as folder:
        run = functools.partial(subprocess.run, capture_output=True, text=True, cwd=folder, timeout=timeout,
                                env=dict(os.environ, GOFLAGS="-mod=mod"))
        run(["go", "mod", "init", "build.invalid/provider"])
        run(["go", "mod", "edit", f"-require={module}@{version}"])
        try:
            building = run(["go", "build", "-o", f"{folder}/made", module])
        except subprocess.TimeoutExpired:
            return None, f"needs a cached build: go build did not end within {timeout:.0f} s"
        if building.returncode != 0:
            last = (building.stderr.strip().splitlines() or ["no output"])[-1]
            return None, f"needs goproxy: {last}"
        shutil.copy2(f"{folder}/made", f"{program}.new")
        os.replace(f"{program}.new", program)
    return program, ""


def program_of(name, timeout=None):
    """The program of a provider; or a reason why there is none."""
    module, version = RELEASES[name][2:]
    return installed(module, version, timeout) if version else built(module, timeout)


def built(folder, timeout=None):
    """The program of a Go module of this directory, built unless its sources are in the cache; or a reason why there is none."""
    module = pathlib.Path(__file__).resolve().parent / folder
    sources = b"".join(file.read_bytes() for file in sorted(module.iterdir()) if file.is_file())
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "strider-providers"
    program = cache / hashlib.sha256(sources).hexdigest()[:12] / folder
    if program.exists():
        return program, ""
    if shutil.which("go") is None:
        return None, "needs go"
    program.parent.mkdir(parents=True, exist_ok=True)
    made = f"{program}.{os.getpid()}"
    try:
        building = subprocess.run(["go", "build", "-o", made, "."], cwd=module, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, f"needs a cached build: go build did not end within {timeout:.0f} s"
    if building.returncode != 0:
        return None, "needs goproxy: " + (building.stderr.strip().splitlines() or ["no output"])[-1]
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
