#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Traces of runs: files for Perfetto, and spans for a receiver of OpenTelemetry. Usage: telemetry.py IACCTL"""

import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CONFIGURATION = """variable "password" {
  default   = "hidden-in-a-variable"
  sensitive = true
}
resource "time_sleep" "a" {
  count           = 3
  create_duration = "200ms"
}
resource "terraform_data" "b" {
  input      = var.password
  depends_on = [time_sleep.a]
}
"""
FAILING = """resource "terraform_data" "bad" {
  provisioner "local-exec" {
    command = "exit 3"
  }
}
"""


class Receiver:
    """A receiver of spans that sends a given answer."""

    def __init__(self, status=200, answer=None):
        self.requests = requests = []
        text = json.dumps(answer or {}).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def spans(self):
        found = []
        for _, _, document in self.requests:
            for resource in document["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found += scope["spans"]
        return found

    def resource(self):
        return attributes(self.requests[0][2]["resourceSpans"][0]["resource"])


def attributes(of):
    return {one["key"]: one["value"]["stringValue"] for one in of["attributes"]}


def run(place, *arguments, code=0, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_") and name != "TRACEPARENT"}
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60, env=environment | variables)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def a_command_and_its_operations_are_spans(place):
    (place / "main.tf").write_text(CONFIGURATION)
    with Receiver() as receiver:
        done = run(place, "apply", "-auto-approve", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, TRACEPARENT=PARENT,
            OTEL_SERVICE_NAME="deployment", OTEL_RESOURCE_ATTRIBUTES="team=core%2Cinfra,stage=test",
            OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20token,x-tenant=a")
        assert "Warning" not in done.stdout + done.stderr, done.stdout + done.stderr
        path, headers, document = receiver.requests[0]
        assert path == "/v1/traces" and headers["Content-Type"] == "application/json", (path, headers)
        lower = {name.lower(): value for name, value in headers.items()}
        assert lower["authorization"] == "Bearer token" and lower["x-tenant"] == "a", lower
        resource = receiver.resource()
        assert resource["service.name"] == "deployment" and resource["team"] == "core,infra" and resource["stage"] == "test", resource
        spans = receiver.spans()
        whole, operations = spans[0], spans[1:]
        assert whole["name"] == "iacctl apply" and whole["parentSpanId"] == "00f067aa0ba902b7", whole
        assert attributes(whole)["process.exit.code"] == "0" and "status" not in whole, whole
        names = sorted(one["name"] for one in operations)
        assert names == ["create terraform_data.b", "create time_sleep.a[0]", "create time_sleep.a[1]", "create time_sleep.a[2]"], names
        ids = {one["spanId"] for one in spans}
        assert len(ids) == len(spans) and all(len(one) == 16 for one in ids), ids
        for one in operations:
            assert one["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736" and one["parentSpanId"] == whole["spanId"], one
            begin, end = int(one["startTimeUnixNano"]), int(one["endTimeUnixNano"])
            assert int(whole["startTimeUnixNano"]) <= begin <= end <= int(whole["endTimeUnixNano"]), one
            assert abs(begin / 1e9 - time.time()) < 60, begin
        first = next(one for one in operations if one["name"].endswith("a[0]"))
        last = next(one for one in operations if one["name"].endswith(".b"))
        assert int(first["endTimeUnixNano"]) - int(first["startTimeUnixNano"]) >= 200_000_000, first
        assert int(last["startTimeUnixNano"]) >= int(first["endTimeUnixNano"]), (first, last)
        assert attributes(last) == {"iacctl.address": "terraform_data.b", "iacctl.operation": "create",
            "iacctl.resource_type": "terraform_data"}, last
        assert "hidden" not in json.dumps(document) and "token" not in json.dumps(document), document


def reads_of_a_plan_are_spans(place):
    (place / "main.tf").write_text(CONFIGURATION)
    run(place, "apply", "-auto-approve")
    with Receiver() as receiver:
        run(place, "plan", "-detailed-exitcode", "-destroy", code=2, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=receiver.url + "/own/path")
        assert receiver.requests[0][0] == "/own/path"
        spans = receiver.spans()
        assert {"refresh terraform_data.b", "refresh time_sleep.a[0]"} <= {one["name"] for one in spans}, spans
        assert "status" not in spans[0] and "parentSpanId" not in spans[0], spans[0]


def failures_set_the_status_of_their_span(place):
    (place / "main.tf").write_text(CONFIGURATION + FAILING)
    with Receiver() as receiver:
        run(place, "apply", "-auto-approve", code=1, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url + "/base/")
        assert receiver.requests[0][0] == "/base/v1/traces"
        spans = {one["name"]: one for one in receiver.spans()}
        assert spans["iacctl apply"]["status"] == {"code": 2, "message": "The command ended with the exit code 1."}
        assert spans["create terraform_data.bad"]["status"]["code"] == 2, spans
        assert "status" not in spans["create terraform_data.b"]


def a_failed_export_is_a_warning(place):
    (place / "main.tf").write_text(CONFIGURATION)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://user:hidden-password@127.0.0.1:{closed.getsockname()[1]}"
        done = run(place, "plan", OTEL_EXPORTER_OTLP_ENDPOINT=url)
        assert "[telemetry_not_exported]" in done.stderr and "hidden-password" not in done.stderr, done.stderr
        done = run(place, "version", "-json", OTEL_EXPORTER_OTLP_ENDPOINT=url)
        assert json.loads(done.stdout) and "[telemetry_not_exported]" in done.stderr
    with Receiver(503) as receiver:
        done = run(place, "plan", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url)
        assert "status 503" in " ".join(done.stderr.split()), done.stderr
    with Receiver(200, {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "no"}}) as receiver:
        done = run(place, "plan", "-json", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url)
        last = json.loads(done.stdout.splitlines()[-1])
        assert last["@level"] == "warn" and "rejected 1 spans" in json.dumps(last), last


def a_silent_receiver_costs_little_time(place):
    (place / "main.tf").write_text(CONFIGURATION)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        begin = time.monotonic()
        done = run(place, "plan", OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{silent.getsockname()[1]}", OTEL_EXPORTER_OTLP_TIMEOUT="300")
        assert "[telemetry_not_exported]" in done.stderr and time.monotonic() - begin < 5, done.stderr


def invalid_settings_are_reported_as_warnings(place):
    with Receiver() as receiver:
        done = run(place, "version", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL="grpc")
        assert "[telemetry_protocol_unsupported]" in done.stderr and not receiver.requests, done.stderr
        for variables in ({"TRACEPARENT": "nonsense"}, {"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, {"OTEL_RESOURCE_ATTRIBUTES": "hidden"}):
            receiver.requests.clear()
            done = run(place, "version", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, **variables)
            assert "[telemetry_setting_invalid]" in done.stderr and "hidden" not in done.stderr, done.stderr
            assert len(receiver.requests) == 1
        receiver.requests.clear()
        for variables in ({"TRACEPARENT": PARENT[:-1] + "0"}, {"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"}):
            done = run(place, "version", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, **variables)
            assert done.stderr == "" and not receiver.requests, done.stderr
        done = run(place, "version", OTEL_EXPORTER_OTLP_ENDPOINT="collector:4317")
        assert "[telemetry_setting_invalid]" in done.stderr, done.stderr


def a_trace_has_running_queueing_and_waiting_operations(place):
    (place / "main.tf").write_text(CONFIGURATION + FAILING)
    run(place, "apply", "-auto-approve", "-parallelism=2", "-trace=trace.json", code=1)
    events = json.loads((place / "trace.json").read_text())
    groups = {one["pid"]: one["args"]["name"] for one in events if one["ph"] == "M"}
    running = {one["name"]: one for one in events if one["ph"] == "X" and groups[one["pid"]].startswith("running")}
    assert running["create time_sleep.a[0]"]["cat"] == "done,create", running
    assert running["create terraform_data.bad"]["cat"] == "failed,create", running
    assert running["create time_sleep.a[0]"]["dur"] >= 200_000
    starts = {(groups[one["pid"]], one["name"]) for one in events if one["ph"] == "b"}
    assert ("waiting for dependencies", "create terraform_data.b") in starts, starts
    assert any(group.startswith("ready") for group, _ in starts), starts
    assert all(name for _, name in starts), starts
    path = [one["name"] for one in events if one["ph"] == "X" and groups[one["pid"]] == "critical path"]
    assert path[-1] == "create terraform_data.b", path
    assert (place / "trace.json").stat().st_mode & 0o777 == 0o600
    for arguments in (["plan", "-destroy"], ["destroy", "-auto-approve"]):
        run(place, *arguments, "-trace=next.json")
        assert any(one["ph"] == "X" for one in json.loads((place / "next.json").read_text())), arguments
        (place / "next.json").unlink()


def a_command_names_the_files_that_it_has_written(place):
    (place / "main.tf").write_text(CONFIGURATION)
    files = ("-html=page.html", "-trace=trace.json")
    said = ("\nWrote the page: page.html\n", "\nWrote the trace: trace.json\n")
    for command in (["plan"], ["apply", "-auto-approve"]):
        printed = run(place, *command, *files).stdout
        assert all(one in printed for one in said), printed
        printed = run(place, *command, *files, "-json-into=events.json").stdout
        assert all(one in printed for one in said), printed
        printed = run(place, *command, *files, "-json").stdout
        assert "Wrote" not in printed and all(json.loads(line) for line in printed.splitlines()), printed
        printed = run(place, *command, "-html=/dev/stdout").stdout
        assert "<html" in printed and "Wrote" not in printed, printed[:200]
    assert "\nWrote the plan: p\n" in run(place, "plan", "-out=p").stdout
    assert "\nWrote the page: shown.html\n" in "\n" + run(place, "show", "-html=shown.html", "p").stdout
    assert "\nWrote the trace: predicted.json\n" in run(place, "simulate", "-trace=predicted.json").stdout
    assert "Wrote" not in run(place, "simulate", "-trace=predicted.json", "-json").stdout


def a_file_that_cannot_be_written_is_reported_before_the_run(place):
    (place / "main.tf").write_text(CONFIGURATION)
    for option, code in (("-trace=missing/trace.json", "trace_not_written"), ("-html=missing/page.html", "page_not_written")):
        done = run(place, "apply", "-auto-approve", option, code=1)
        assert f"[{code}]" in done.stderr, done.stderr
        assert run(place, "state", "list", code=1).stdout == ""


def a_page_has_deferred_changes_and_a_plan_with_errors_writes_its_files(place):
    counted = 'resource "terraform_data" "n" {\n}\nresource "terraform_data" "c" {\n  count = terraform_data.n.id == "x" ? 1 : 2\n}\n'
    (place / "main.tf").write_text(counted)
    run(place, "plan", "-allow-deferral", "-html=page.html")
    page = (place / "page.html").read_text()
    assert '"deferred":[{"address":"terraform_data.c[*]"' in page, page[-3000:]
    assert "Deferred: the number of its instances is not known yet." in page and '"incomplete":true' not in page
    for command in (["plan"], ["apply", "-auto-approve"]):
        (place / "page.html").unlink()
        run(place, *command, "-html=page.html", "-trace=trace.json", code=1)
        page = (place / "page.html").read_text()
        assert '"incomplete":true' in page and '"address":"terraform_data.n"' in page
        json.loads((place / "trace.json").read_text())


def a_log_names_operations_and_requests_but_no_values(place):
    (place / "main.tf").write_text(CONFIGURATION + FAILING)
    with Receiver() as receiver:
        url = receiver.url.replace("http://", "http://user:hidden-user@") + "/path?key=hidden-query"
        run(place, "apply", "-auto-approve", code=1, TF_LOG="debug", TF_LOG_PATH="log.txt", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=url)
    log = (place / "log.txt").read_text()
    assert (place / "log.txt").stat().st_mode & 0o777 == 0o600
    lines = [line.partition(" ")[2] for line in log.splitlines()]
    assert lines[0].startswith("[INFO]  iacctl: command begins: version=") and "command=apply workspace=default" in lines[0], lines
    begin = lines.index("[DEBUG] engine: operation begins: address=terraform_data.b operation=create")
    done = next(n for n, line in enumerate(lines) if line.startswith("[DEBUG] engine: operation is complete: address=terraform_data.b "))
    assert begin < done, lines
    assert any(line.startswith("[DEBUG] engine: operation has failed: address=terraform_data.bad operation=create") for line in lines), lines
    assert any(line.startswith("[ERROR] iacctl: ") and "code=" in line and "address=terraform_data.bad" in line for line in lines), lines
    assert any("http: response: method=POST" in line and "server=http://127.0.0.1:" in line and "/path" not in line and "status=200" in line for line in lines), lines
    assert "[DEBUG] state: workspace is locked: workspace=default" in lines, lines
    assert "hidden" not in log, log


def a_log_is_json_and_separate_from_the_log_of_providers(place):
    done = run(place, "version", TF_LOG="json")
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert records[-1]["@level"] == "info" and records[-1]["@message"] == "command has ended", records
    assert records[-1]["exit_code"] == "0" and records[-1]["@module"] == "iacctl", records
    assert run(place, "version", TF_LOG_PROVIDER="trace").stderr == ""
    assert run(place, "version", TF_LOG="trace", TF_LOG_CORE="off").stderr == ""


if __name__ == "__main__":
    sys.exit(tap.run([a_log_names_operations_and_requests_but_no_values, a_log_is_json_and_separate_from_the_log_of_providers,
        a_command_and_its_operations_are_spans, reads_of_a_plan_are_spans, failures_set_the_status_of_their_span, a_failed_export_is_a_warning,
        a_silent_receiver_costs_little_time, invalid_settings_are_reported_as_warnings,
        a_trace_has_running_queueing_and_waiting_operations, a_command_names_the_files_that_it_has_written,
        a_file_that_cannot_be_written_is_reported_before_the_run,
        a_page_has_deferred_changes_and_a_plan_with_errors_writes_its_files]))
