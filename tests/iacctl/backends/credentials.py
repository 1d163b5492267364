#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The sources of credentials of the backend "s3", on a server that plays S3, STS, the services of a container and of a
machine, the portal of single sign-on, and a proxy. TAP.

    credentials.py IACCTL
"""
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

IACCTL = os.path.abspath(sys.argv[1])
END = "2099-01-01T00:00:00Z"


def keys(name, token="Token"):
    return {"AccessKeyId": name, "SecretAccessKey": "secret", token: "session", "Expiration": END}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen = self.server.seen
        if self.path == "/container":
            return self.answer(json.dumps(keys("CONTAINER")) if self.headers["Authorization"] == "hush" else None)
        if self.path.startswith("/latest/meta-data/iam/security-credentials/"):
            if self.headers["X-aws-ec2-metadata-token"] != "ticket":
                return self.answer(None)
            return self.answer("machine-role" if self.path.endswith("/") else json.dumps(keys("MACHINE")))
        if self.path.startswith("/federation/credentials"):
            seen["sign_on"] = self.path
            credentials = {"accessKeyId": "SIGNON", "secretAccessKey": "secret", "sessionToken": "session",
                           "expiration": 4070908800000}
            return self.answer(json.dumps({"roleCredentials": credentials})
                               if self.headers["x-amz-sso_bearer_token"] == "bearer" else None)
        seen["target"] = self.path
        seen["key"] = self.signer()
        self.answer("<Error><Code>NoSuchKey</Code></Error>", 404)

    def do_PUT(self):
        self.answer("ticket" if self.path == "/latest/api/token" else None)

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self.server.seen[form["Action"]] = {"by": self.signer(), **form}
        busy = re.fullmatch(r"arn:busy:(\d+)", form.get("RoleArn", ""))  # as often as the number says
        if busy and self.server.seen.setdefault("refused", 0) < int(busy.group(1)):
            self.server.seen["refused"] += 1
            return self.answer("<Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error>", 400)
        if form.get("ExternalId") == "wrong":
            return self.answer("<Error><Code>AccessDenied</Code><Message>not trusted</Message></Error>", 403)
        if form["Action"] == "GetCallerIdentity":
            return self.answer("<R><Account>123456789012</Account></R>")
        self.answer("<R>" + "".join(f"<{k}>{v}</{k}>" for k, v in keys("ROLE", "SessionToken").items()) + "</R>")

    def signer(self):
        found = re.search("Credential=([^/]*)", self.headers["Authorization"] or "")
        return found.group(1) if found else ""

    def answer(self, text, status=200):
        body = (text or "").encode()
        self.send_response(status if text is not None else 403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Place:
    """A directory with a configuration, and the environment of its commands."""

    def __init__(self, server, directory):
        self.server = server
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.directory = directory
        (directory / ".aws").mkdir()
        self.environment = {name: text for name, text in os.environ.items()
                            if not name.startswith("AWS_") and "proxy" not in name.lower()}
        self.environment.update(HOME=str(directory), AWS_EC2_METADATA_DISABLED="true", TF_CLI_CONFIG_FILE=os.devnull,
                                AWS_ENDPOINT_URL_STS=self.url, AWS_ENDPOINT_URL_SSO=self.url)

    def profile(self, text):
        (self.directory / ".aws" / "config").write_text(text)

    def plan(self, arguments="", code=0, endpoint=None, retries=0, **variables):
        (self.directory / "main.tf").write_text(f"""
terraform {{
  backend "s3" {{
    bucket         = "b"
    key            = "k"
    region         = "eu-west-1"
    use_path_style = true
    max_retries    = {retries}
    endpoints      = {{ s3 = "{endpoint or self.url}" }}
    {arguments}
  }}
}}
""")
        self.server.seen.clear()
        environment = {**self.environment, **variables}
        printed = ""
        for command in (["init", "-reconfigure", "-input=false"], ["plan", "-lock=false", "-input=false"]):
            done = subprocess.run([IACCTL, *command], cwd=self.directory, env=environment, text=True, timeout=60,
                                  capture_output=True)
            printed += done.stdout + done.stderr
            if done.returncode != 0:
                break
        if done.returncode != code:
            raise AssertionError(f"exit {done.returncode}: {printed}")
        return printed

    def expect(self, wanted, name="key"):
        got = self.server.seen.get(name)
        if got != wanted:
            raise AssertionError(f"{name}: {got!r}, not {wanted!r}; seen: {self.server.seen}")


def of_container(place):
    """the service of a container is asked with its token"""
    place.plan(AWS_CONTAINER_CREDENTIALS_FULL_URI=place.url + "/container", AWS_CONTAINER_AUTHORIZATION_TOKEN="hush")
    place.expect("CONTAINER")
    refused = place.plan(code=1, AWS_CONTAINER_CREDENTIALS_FULL_URI="http://example.org/container")
    assert "aws_credentials_unavailable" in refused, refused


def of_machine(place):
    """the metadata service of a machine is asked by version 2, and skipped on request"""
    argument = f'ec2_metadata_service_endpoint = "{place.url}"'
    place.plan(argument, AWS_EC2_METADATA_DISABLED="false")
    place.expect("MACHINE")
    refused = place.plan(argument + "\n    skip_metadata_api_check = true", code=1, AWS_EC2_METADATA_DISABLED="false")
    assert "s3_credentials_missing" in refused, refused


def of_program(place):
    """a program of the profile prints credentials"""
    printed = json.dumps({"Version": 1, **keys("PROGRAM", "SessionToken")})
    (place.directory / "program").write_text(f"#!/bin/sh\necho '{printed}'\n")
    place.profile(f"[profile p]\ncredential_process = sh {place.directory}/program\n")
    place.plan('profile = "p"')
    place.expect("PROGRAM")
    place.profile("[profile p]\ncredential_process = false\n")
    assert "aws_credentials_unavailable" in place.plan('profile = "p"', code=1)


def of_sign_on(place):
    """a cached token of single sign-on is exchanged for credentials"""
    place.profile("[profile p]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n"
                  "[sso-session s]\nsso_region = eu-west-1\nsso_start_url = https://start\n")
    cache = place.directory / ".aws/sso/cache"
    cache.mkdir(parents=True)
    file = cache / (hashlib.sha1(b"s").hexdigest() + ".json")
    file.write_text(json.dumps({"accessToken": "bearer", "expiresAt": END}))
    place.plan(AWS_PROFILE="p")
    place.expect("SIGNON")
    place.expect("/federation/credentials?role_name=r&account_id=1", "sign_on")
    file.write_text(json.dumps({"accessToken": "bearer", "expiresAt": "2020-01-01T00:00:00Z"}))
    assert "aws sso login" in " ".join(place.plan(AWS_PROFILE="p", code=1).split())


def of_role_in_profile(place):
    """the role of a profile is assumed with the keys of its source profile"""
    place.profile("[profile base]\naws_access_key_id = BASE\naws_secret_access_key = x\n"
                  "[profile p]\nrole_arn = arn:role\nsource_profile = base\nexternal_id = e\nrole_session_name = n\n")
    place.plan('profile = "p"')
    place.expect("ROLE")
    asked = place.server.seen["AssumeRole"]
    assert (asked["by"], asked["RoleArn"], asked["ExternalId"], asked["RoleSessionName"]) == \
        ("BASE", "arn:role", "e", "n"), asked
    place.profile("[profile p]\nrole_arn = arn:role\nsource_profile = p\nmfa_serial = m\n")
    assert "mfa_serial" in place.plan('profile = "p"', code=1)


def of_role(place):
    """assume_role passes all of its members, and a refusal names the reason"""
    def role(external):
        return ('access_key = "GIVEN"\n secret_key = "s"\n assume_role = { role_arn = "arn:role", session_name = "n", '
                f'external_id = "{external}", duration = "1h30m", policy = "{{}}", policy_arns = ["arn:p"], '
                'tags = { team = "a b" }, transitive_tag_keys = ["team"] }')
    place.plan(role("e"))
    place.expect("ROLE")
    asked = place.server.seen["AssumeRole"]
    wanted = {"by": "GIVEN", "RoleArn": "arn:role", "RoleSessionName": "n", "ExternalId": "e", "DurationSeconds": "5400",
              "Policy": "{}", "PolicyArns.member.1.arn": "arn:p", "Tags.member.1.Key": "team",
              "Tags.member.1.Value": "a b", "TransitiveTagKeys.member.1": "team"}
    assert {name: asked.get(name) for name in wanted} == wanted, asked
    refused = place.plan(role("wrong"), code=1)
    assert "aws_credentials_unavailable" in refused and "AccessDenied" in refused, refused


def of_busy_service(place):
    """a request that a service refuses because there are too many is sent again"""
    given = 'access_key = "GIVEN"\n secret_key = "s"\n retry_mode = "adaptive"\n '
    place.plan(given + 'assume_role = { role_arn = "arn:busy:2" }', retries=2)
    place.expect("ROLE")
    place.expect(2, "refused")
    assert "Throttling" in place.plan(given + 'assume_role = { role_arn = "arn:busy:9" }', retries=1, code=1)


def of_absent_profile(place):
    """a profile that no file has is refused, and no other source is tried"""
    argument = f'ec2_metadata_service_endpoint = "{place.url}"\n profile = "absent"'
    refused = place.plan(argument, code=1, AWS_EC2_METADATA_DISABLED="false")
    assert "aws_credentials_unavailable" in refused and '"absent"' in refused, refused
    place.expect(None)


def of_web_identity(place):
    """a role is assumed with a token of an identity provider, from arguments and from the environment"""
    (place.directory / "token").write_text("proof\n")
    place.plan('assume_role_with_web_identity = { role_arn = "arn:web", web_identity_token_file = "token" }')
    place.expect("ROLE")
    asked = place.server.seen["AssumeRoleWithWebIdentity"]
    assert (asked["by"], asked["RoleArn"], asked["WebIdentityToken"]) == ("", "arn:web", "proof"), asked
    place.plan(AWS_ROLE_ARN="arn:env", AWS_WEB_IDENTITY_TOKEN_FILE=str(place.directory / "token"))
    assert place.server.seen["AssumeRoleWithWebIdentity"]["RoleArn"] == "arn:env"


def of_account(place):
    """an account that the arguments exclude is refused before any request to S3"""
    given = 'access_key = "GIVEN"\n secret_key = "s"\n '
    place.plan(given + 'allowed_account_ids = ["123456789012"]')
    place.expect("GIVEN")
    place.plan(given + 'forbidden_account_ids = ["1"]')
    place.expect("GIVEN")
    for argument in ('allowed_account_ids = ["1"]', 'forbidden_account_ids = ["123456789012"]'):
        assert "aws_account_not_allowed" in place.plan(given + argument, code=1)
        place.expect(None)


def through_proxy(place):
    """requests use the proxy of the arguments"""
    place.plan(f'access_key = "GIVEN"\n secret_key = "s"\n http_proxy = "{place.url}"', endpoint="http://s3.example.invalid")
    place.expect("http://s3.example.invalid/b/k", "target")


TESTS = [of_container, of_machine, of_program, of_sign_on, of_role_in_profile, of_absent_profile, of_role, of_busy_service, of_web_identity, of_account,
         through_proxy]


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"1..{len(TESTS)}", flush=True)
    for number, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory(prefix="iacctl-credentials-") as directory:
            try:
                test(Place(server, pathlib.Path(directory)))
                print(f"ok {number} - {test.__doc__}", flush=True)
            except Exception as failed:  # a failure of one test is reported, and the next one runs
                print(f"# {type(failed).__name__}: " + str(failed).replace("\n", "\n# "))
                print(f"not ok {number} - {test.__doc__}", flush=True)
    server.shutdown()


if __name__ == "__main__":
    main()
