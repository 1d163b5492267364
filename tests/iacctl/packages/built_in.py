#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests providers that are built in: the releases whose types they have, constraints, the lock file, and schemas. TAP.

    built_in.py IACCTL
"""
import json
import pathlib
import subprocess
import sys

from providers import expect, expect_in, package, IACCTL, main


def built_in_releases(place):
    """A built-in provider is used if the constraints accept its release; otherwise the real one is installed"""
    address = "registry.terraform.io/hashicorp/random"
    place.requires(random=("hashicorp/random", "~> 3.6"))
    expect_in(f"{address} v3.9.0 is built in to iacctl", place.run("init"))
    expect_in(f"provider[{address}] 3.9.0", place.run("providers"))
    expect_in("hashicorp/random 3.9.0", place.run("version"))
    expect(json.loads(place.run("version", "-json"))["built_in_providers"][address], "3.9.0")
    place.run("validate")

    place.requires(random=("hashicorp/random", "= 99.0.0"))
    out = place.run("init", code=1)
    expect_in(f"{address} v3.9.0 is built in to iacctl, but the configuration accepts only 99.0.0", out)
    expect_in('change the constraint "99.0.0" to one that accepts 3.9.0', out)
    out = place.run("validate", code=1)
    expect_in("These versions of the provider hashicorp/random are accepted here: = 99.0.0.", out)
    expect_in("release 3.9.0", out)

    place.add("98.0.0", "random", "registry.terraform.io/hashicorp")
    out = place.run("init", code=1)
    expect_in("No available version of hashicorp/random meets the constraints of the configuration: 99.0.0", out)
    expect_in("The built-in provider has the types of release 3.9.0.", out)
    place.add("99.0.0", "random", "registry.terraform.io/hashicorp")
    expect_in("hashicorp/random v99.0.0 has been installed", place.run("init"))
    expect("Built-in providers" in place.run("providers"), False, "an installed provider is listed as built in")


def locks_of_built_in_providers(place):
    """`providers lock` writes checksums for a built-in provider if a mirror has it, or another release is required"""
    place.requires(null="hashicorp/null")
    expect_in("v3.3.1 is built in to iacctl No package needs a checksum.",
              place.run("providers", "lock", f"-fs-mirror={place.mirror}"))
    expect(place.lock.exists(), False, "a lock file without packages")
    place.requires(null=("hashicorp/null", "3.2.0"))
    expect_in("3.2.0", place.run("providers", "lock", f"-fs-mirror={place.mirror}", code=1))
    place.requires(null="hashicorp/null")
    place.add("3.2.1", "null", "registry.terraform.io/hashicorp")
    place.settings("")
    expect_in("hashicorp/null 3.2.1", place.run("providers", "lock", f"-fs-mirror={place.mirror}"))
    expect_in('version = "3.2.1"', place.lock.read_text())
    expect_in("hashicorp/null v3.2.1 has been installed", place.run("init", f"-plugin-dir={place.mirror}"))


def only_real(place):
    """An error about what only the real provider has names the ways to it"""
    head = "terraform {\n  required_providers {\n    time = {\n      source = \"hashicorp/time\"\n    }\n  }\n}\n"
    for text, provider, release in (
            ('data "local_command" "a" {\n  command = "true"\n}\n', "local", "2.9.0"),
            ('ephemeral "random_password" "a" {\n  length = 8\n}\n', "random", "3.9.0"),
            (head + 'output "d" {\n  value = provider::time::duration_parse("1h").hours\n}\n', "time", "0.14.2")):
        (place.work / "main.tf").write_text(text)
        out = place.run("validate", code=1)
        expect_in(f"The real provider of this release, {release}, has it.", out)
        expect_in(f'"iacctl providers lock hashicorp/{provider}"', out)
    (place.work / "main.tf").write_text('data "local_other" "a" {}\n')
    expect("real provider" in place.run("validate", code=1), False, "a data source that does not exist")


def schemas(place):
    """`providers schema -json` describes the types that are built in"""
    (place.work / "main.tf").write_text('resource "random_pet" "a" {}\nresource "terraform_data" "b" {}\n')
    done = subprocess.run([IACCTL, "providers", "schema", "-json"], cwd=place.work, env=place.environment, check=True,
                          stdout=subprocess.PIPE)
    schemas = json.loads(done.stdout)
    expect(schemas["format_version"], "1.0", "format")
    expect(sorted(schemas["provider_schemas"]), ["registry.terraform.io/hashicorp/random", "terraform.io/builtin/terraform"])
    pet = schemas["provider_schemas"]["registry.terraform.io/hashicorp/random"]["resource_schemas"]["random_pet"]
    expect(pet["block"]["attributes"]["length"]["type"], "number", "type")
    data = schemas["provider_schemas"]["terraform.io/builtin/terraform"]["resource_schemas"]["terraform_data"]
    expect(data["block"]["attributes"]["input"], {"type": "dynamic", "description_kind": "plain", "optional": True})


def without_texts(block):
    """A block of a schema without descriptions"""
    texts = ("description", "description_kind", "deprecation_message")
    made = {"attributes": {name: {k: v for k, v in one.items() if k not in texts} for name, one in block.get("attributes", {}).items()}}
    if block.get("block_types"):
        made["block_types"] = {name: dict(one, block=without_texts(one["block"])) for name, one in block["block_types"].items()}
    if block.get("deprecated"):
        made["deprecated"] = True
    return made


def released_schemas(place):
    """Each built-in type has the schema and the version that it has in the release of the real provider"""
    releases = json.loads((pathlib.Path(__file__).resolve().parent / "released_schemas.json").read_text())
    place.requires(**{name: f"hashicorp/{name}" for name in releases})
    named = json.loads(place.run("version", "-json"))["built_in_providers"]
    expect(named, {f"registry.terraform.io/hashicorp/{name}": one["release"] for name, one in releases.items()})
    built_in = json.loads(place.run("providers", "schema", "-json"))["provider_schemas"]
    for name, released in releases.items():
        ours = built_in[f"registry.terraform.io/hashicorp/{name}"]
        for part, mode in (("resource_schemas", None), ("data_source_schemas", "data"), ("ephemeral_resource_schemas", "ephemeral"),
                           ("action_schemas", None)):
            lacking = released.get(part, {}).keys() - ours.get(part, {}).keys()
            expect(ours.get(part, {}).keys() - released.get(part, {}).keys(), set(), f"{name}: {part} that the release lacks")
            expect(lacking if mode is None else set(), set(), f"{name}: missing {part}")
            for kind in lacking:  # named in errors
                (place.work / "main.tf").write_text(f'{mode} "{kind}" "a" {{}}\n')
                expect_in("The real provider of this release", place.run("validate", code=1))
            for kind, schema in ours.get(part, {}).items():
                wanted = released[part][kind]
                expect({"version": schema.get("version", 0), "block": without_texts(schema["block"])}, wanted, f"{part} {kind}")


TESTS = [built_in_releases, locks_of_built_in_providers, only_real, schemas, released_schemas]

if __name__ == "__main__":
    sys.exit(main(TESTS))
