#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Three operators change parts of a state in PostgreSQL at the same time, while connections are ended and a lock is broken. Triggers
record what happens to the rows of sessions; the record is a run of part_locks.pml. TAP; skipped without postgresql or spin.

    pg_trace.py IACCTL
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "iacctl"), str(HERE.parent / "golden")]
import replay  # noqa: E402
import spin  # noqa: E402
import tap  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

IACCTL = os.path.abspath(sys.argv[1])
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 32))
START, EXCHANGE, APPEND, RELEASE, TERMINATE, DROP, CUT = range(3, 10)
PARTS = ["terraform_data.base", "terraform_data.a", "terraform_data.b", "terraform_data.c"]
CONFIGURATION = """
terraform {
  backend "pg" {}
}
resource "terraform_data" "base" {}
""" + "".join(f"""
resource "terraform_data" "{name}" {{
  input = terraform_data.base.id
  provisioner "local-exec" {{ command = "sleep 0.3" }}
}}
""" for name in "abc")
RECORD = """
CREATE TABLE {0}.trace (n bigserial, what text, session bigint, batch bigint, written text[], read text[], of_workspace boolean, locks boolean,
  process int, transaction bigint);
CREATE FUNCTION {0}.note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of record;
BEGIN
  IF TG_OP = 'DELETE' THEN of := OLD; ELSE of := NEW; END IF;
  INSERT INTO {0}.trace (what, session, batch, written, read, of_workspace, locks, process, transaction)
    VALUES (TG_OP, of.id, of.batch, of.written, of.read, of.of_workspace, of.locks, pg_backend_pid(), txid_current());
  RETURN of;
END $$;
CREATE TRIGGER note BEFORE INSERT OR UPDATE OR DELETE ON {0}.session FOR EACH ROW EXECUTE FUNCTION {0}.note();
"""


class Operator:
    def __init__(self, root, name, server):
        self.directory = root / name
        self.directory.mkdir()
        (self.directory / "main.tf").write_text(CONFIGURATION)
        self.environment = os.environ | {"IACCTL_PG_MODE": "native", "PG_SCHEMA_NAME": "shared", "PG_CONN_STR": server.url}
        self.run("init", "-input=false")

    def run(self, *arguments):
        done = subprocess.run([IACCTL, *arguments], cwd=self.directory, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return done.returncode, done.stdout

    def apply(self, name, timeout="20s"):
        return self.run("apply", "-auto-approve", "-input=false", f"-lock-timeout={timeout}", f"-target=terraform_data.{name}",
                        f"-replace=terraform_data.{name}")


def disturb(server, operator, chance, stop):
    """Ends connections, and breaks a lock."""
    broken = False
    while not stop.wait(chance.uniform(0.3, 0.8)):
        # In one statement: a session could append more than once between a record of its end and its end.
        server.sql("WITH one AS (SELECT pid FROM pg_stat_activity WHERE application_name = 'iacctl' ORDER BY random() LIMIT 1), noted AS"
                   " (INSERT INTO shared.trace (what, process) SELECT 'CUT', pid FROM one RETURNING process)"
                   " SELECT pg_terminate_backend(process) FROM noted")
        found = None if broken else re.search(r"force-unlock (\d+)", " ".join(operator.apply("base", "0s")[1].replace("│", " ").split()))
        if found:
            broken = operator.run("force-unlock", "-force", found[1])[0] == 0


def mask_of(text, whole):
    names = text.strip("{}").replace('"', "").split(",") if text != "{}" else []
    unknown = set(names) - set(PARTS)
    assert not unknown, f"a part that the test does not know: {unknown}"
    return 2 ** len(PARTS) - 1 if whole else sum(1 << PARTS.index(name) for name in names)


def events_of(server):
    """The rows of the record as events: each with the number of its session, and the parts or the batch after it."""
    rows = [line.split("|") for line in server.sql(
        "SELECT what, session, batch, written, read, of_workspace, locks, process, transaction FROM shared.trace ORDER BY n").splitlines()]
    numbers, process, batches, events = {}, {}, {}, []
    starts = {row[8] for row in rows if row[0] == "INSERT"}
    for what, session, batch, written, read, whole, locks, pid, transaction in rows:
        if what == "CUT":
            events += [(CUT, 0, numbers[one]) for one, of in process.items() if of == pid]
            continue
        number = numbers.setdefault(session, len(numbers) + 1)
        parts = mask_of(written, whole == "t") * 64 + mask_of(read, False) if locks == "t" else 0
        if what == "INSERT":
            events += [(START, 0, number), parts]
        elif what == "DELETE":
            kind = RELEASE if process.get(session) == pid else DROP if transaction in starts else TERMINATE
            events.append((kind, 0, number))
            process.pop(session, None)
            continue
        elif batches[session] != batch:
            events += [(APPEND, 0, number), int(batch)]
        else:
            events += [(EXCHANGE, 0, number), parts]
        process[session], batches[session] = pid, batch
    return events


def a_record_of_sessions_is_a_run_of_the_model(directory):
    if not PostgresServer.is_installed():
        raise tap.Missing("postgresql")
    if not spin.is_installed():
        raise tap.Missing("spin")
    print(f"# SEED={SEED}")
    directory.chmod(0o755)
    (directory / "pg").mkdir()
    server = PostgresServer(directory / "pg")
    try:
        chance, stop = random.Random(SEED), threading.Event()
        operators = [Operator(directory, name, server) for name in ("ann", "bob", "cleo")]
        assert operators[0].run("apply", "-auto-approve", "-input=false")[0] == 0
        server.sql(RECORD.format("shared"))
        threads = [threading.Thread(target=lambda one=one, names=[chance.choice("abc") for _ in range(4)]: [one.apply(name) for name in names])
                   for one in operators[:2]]
        third = threading.Thread(target=disturb, args=(server, operators[2], chance, stop))
        for one in (*threads, third):
            one.start()
        for one in threads:
            one.join()
        stop.set()
        third.join()
        assert operators[0].apply("base")[0] == 0  # removes the rows of sessions whose connections are lost
        events = events_of(server)
    finally:
        server.stop()
    counts = {name: sum(one[0] == kind for one in events if isinstance(one, tuple))
              for name, kind in (("appends", APPEND), ("cut", CUT), ("dropped", DROP), ("terminated", TERMINATE))}
    print(f"# {len(events)} events, {counts}")
    refused = replay.refused_at("part_locks", [], events)
    assert refused is None, f"the model does not have event {refused} of {events}"
    end = max(number for number, one in enumerate(events) if isinstance(one, tuple) and one[0] in (RELEASE, DROP, TERMINATE))
    late = [*events[:end + 1], (APPEND, 0, events[end][2]), 99]
    batch = next(events[number + 1] for number in range(len(events) - 1, -1, -1) if isinstance(events[number], tuple)
                 and events[number][0] == APPEND)
    late[-1] = batch + 1
    assert not replay.accepts("part_locks", [], late), "the model has an append of a session that has ended"


if __name__ == "__main__":
    sys.exit(tap.run([a_record_of_sessions_is_a_run_of_the_model]))
