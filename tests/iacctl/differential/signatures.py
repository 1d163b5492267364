#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the function signatures of iacctl with those of the terraform program. TAP; skipped if that program is not
present.

    signatures.py IACCTL

The texts of descriptions may differ, but iacctl must have one wherever Terraform has one. Functions that only OpenTofu
has are omitted.
"""
import json
import os
import shutil
import subprocess
import sys


OF_OPENTOFU = {"base64gunzip", "cidrcontains", "convert", "urldecode"}
# Parameters that accept null in newer programs only, by function.
NULLABLE = {"contains": "value"}


def signatures(program):
    done = subprocess.run([program, "metadata", "functions", "-json"], capture_output=True, text=True, check=True,
                          env=dict(os.environ, TF_CLI_CONFIG_FILE=os.devnull), timeout=120)
    return json.loads(done.stdout)


def without_words(part):
    if isinstance(part, dict):
        return {key: bool(of) if key == "description" else without_words(of) for key, of in part.items()}
    if isinstance(part, list):
        return [without_words(one) for one in part]
    return part


def main():
    if shutil.which("terraform") is None:
        print("1..1\nok 1 - signatures equal those of Terraform # SKIP needs terraform")
        return
    ours, theirs = without_words(signatures(sys.argv[1])), without_words(signatures("terraform"))
    reported, known = ours.pop("function_signatures"), theirs.pop("function_signatures")
    for name in [name for name in reported if name.removeprefix("core::") in OF_OPENTOFU or name.removeprefix("core::").startswith("assume")]:
        del reported[name]
    for function, name in NULLABLE.items():
        for of in (reported, known):
            for prefix in ("", "core::"):
                for parameter in of[prefix + function]["parameters"]:
                    if parameter["name"] == name:
                        parameter["is_nullable"] = True
    different = [f"{name}: {reported.get(name)}, not {known.get(name)}" for name in sorted({*reported, *known})
                 if reported.get(name) != known.get(name)]
    if ours != theirs:
        different.append(f"the document: {ours}, not {theirs}")
    print("1..1")
    for line in different:
        print("# " + line)
    print(("not ok" if different else "ok") + f" 1 - {len(known)} signatures equal those of Terraform")


if __name__ == "__main__":
    main()
