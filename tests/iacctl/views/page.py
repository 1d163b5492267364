#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the pages of plans, applies and graphs in a browser. Usage: page.py IACCTL [DIRECTORY]. Saves pictures of the
pages in DIRECTORY. The variable AXE can name the file axe.min.js of axe-core, with which the pages are then checked too."""

import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402
from browser import Browser  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
FIRST = """variable "password" {
  default   = "hidden-first"
  sensitive = true
}
variable "release" {
  default = 1
}
resource "terraform_data" "zone" {
  input = "example.org"
}
resource "terraform_data" "logs" {
  count = var.release == 1 ? 1 : 0
  input = "logs"
}
module "network" {
  source = "./network"
  zones  = var.release == 1 ? ["a", "b"] : ["a", "b", "c"]
  domain = terraform_data.zone.output
}
module "database" {
  source   = "./database"
  engine   = "v${var.release}"
  password = "${var.password}-${var.release}"
  subnets  = module.network.ids
}
resource "terraform_data" "web" {
  count = 3
  input = {
    number   = count.index
    settings = join("\\n", ["listen 80", "release ${var.release}", "workers 4"])
  }
  depends_on = [module.database]
}
resource "terraform_data" "record" {
  input = [for w in terraform_data.web : w.output]
}
resource "terraform_data" "monitor" {
  input = "record"
  lifecycle {
    replace_triggered_by = [terraform_data.record]
  }
}
output "domain" {
  value = "${terraform_data.zone.output}-${var.release}"
}
"""
NETWORK = """variable "zones" {}
variable "domain" {}
resource "terraform_data" "net" {
  input = var.domain
}
resource "terraform_data" "subnet" {
  for_each = toset(var.zones)
  input    = "${terraform_data.net.output}/${each.key}"
}
output "ids" {
  value = [for s in terraform_data.subnet : s.id]
}
"""
DATABASE = """variable "engine" {}
variable "password" {}
variable "subnets" {}
resource "terraform_data" "instance" {
  triggers_replace = [var.engine, var.password]
  input            = var.subnets
}
"""
# The instances of a module of which each waits for those of others: the regions of a service.
REGIONS = """variable "release" {
  default = 1
}
resource "terraform_data" "zone" {
  input = "example.org"
}
resource "terraform_data" "role" {
  input = "session-${var.release}h"
}
resource "terraform_data" "logs" {
  count = var.release == 1 ? 1 : 0
  input = "logs"
}
module "region" {
  source   = "./region"
  for_each = toset(["eu-central-1", "eu-west-1", "us-east-1", "us-west-2", "ap-south-1"])
  name     = each.key
  zone     = terraform_data.zone.output
  role     = terraform_data.role.id
  engine   = var.release == 1 ? "14.9" : "16.3"
  web      = 10 * var.release
}
resource "terraform_data" "record" {
  input = [for r in module.region : r.addresses]
}
resource "terraform_data" "monitor" {
  triggers_replace = var.release
  depends_on       = [terraform_data.record]
}
"""
REGION = """variable "name" {}
variable "zone" {}
variable "role" {}
variable "engine" {}
variable "web" {}
resource "terraform_data" "network" {
  input = "${var.zone}/${var.name}"#work 0.1
}
resource "terraform_data" "subnet" {
  count = 3
  input = "${terraform_data.network.output}/${count.index}"#work 0.05
}
resource "terraform_data" "database" {
  triggers_replace = var.engine
  input            = terraform_data.subnet[*].output#work 0.3
}
resource "terraform_data" "web" {
  count      = var.web
  input      = "${var.role}/${count.index}"
  depends_on = [terraform_data.database, terraform_data.network]#work 0.1
}
output "addresses" {
  value = terraform_data.web[*].id
}
"""
SCENE = "document.getElementById('graph').scene"
# The boxes whose name does not fit.
TOO_WIDE = f"""(() => {{
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = '600 12.5px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
  return {SCENE}.boxes.filter((b) => b.text).filter((b) => pen.measureText(b.text[0]).width > b.w - 34 - (b.vertices.length > 1 ? 20 : 0)).map((b) => b.text);
}})()"""
browser = None


def run(place, *arguments, code=0):
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def configure(place):
    for name, text in (("main.tf", FIRST), ("network/main.tf", NETWORK), ("database/main.tf", DATABASE)):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    run(place, "init")


def picture(name):
    if PICTURES is not None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        browser.evaluate("document.activeElement.blur()")
        browser.evaluate("new Promise((r) => setTimeout(r, 400))")
        browser.picture(PICTURES / f"{name}.png")


def plan_page(place, **how):
    """A plan that destroys, replaces, updates and creates."""
    configure(place)
    run(place, "apply", "-auto-approve")
    run(place, "plan", "-var=release=2", "-html=plan.html", "-out=saved.plan")
    browser.open(place / "plan.html", **how)


def a_plan_lists_risks_first_and_shows_differences_side_by_side(place):
    plan_page(place)
    rows = browser.text("#list").split("\n")
    heads = [line for line in rows if line.endswith(")") and "(" in line and line[0].isupper()]
    assert [head.split(" ")[0] for head in heads[:3]] == ["Destroyed", "Replaced", "Updated"], rows
    assert "hidden-first" not in (place / "plan.html").read_text()
    browser.evaluate("document.querySelector('[title=\"module.database.terraform_data.instance\"]').click()")
    text = browser.text("#details")
    assert "triggers_replace" in text and "forces replacement" in text and '"v1"' in text and '"v2"' in text, text
    assert "main.tf" in text and "Dependencies" in text and "(sensitive value)" in text, text
    browser.evaluate("document.querySelector('[title=\"terraform_data.monitor\"]').click()")
    assert "replace_triggered_by refers to change: terraform_data.record" in browser.text("#details"), browser.text("#details")
    browser.evaluate("document.querySelector('[title=\"terraform_data.web[1]\"]').click()")
    changed = browser.evaluate("[...document.querySelectorAll('#details .line.changed')].map((l) => l.innerText)")
    assert changed == ["release 1", "release 2"], changed
    assert browser.complaints() == [], browser.complaints()
    # The page of the saved plan is the same.
    run(place, "show", "-html=shown.html", "saved.plan")
    data = [json.loads((place / name).read_text().split('id="data">')[1].split("</script>")[0]) for name in ("plan.html", "shown.html")]
    assert [one["address"] for one in data[0]["changes"]] == [one["address"] for one in data[1]["changes"]]


def the_headline_counts_changes_and_names_the_riskiest(place):
    plan_page(place)
    assert browser.text("#title") == "1 to add, 4 to change, 2 to replace, 1 to destroy", browser.text("#title")
    assert browser.text("#subtitle").startswith(f"Plan of {place.name} / default"), browser.text("#subtitle")
    assert browser.text("#risk").startswith("Riskiest") and "terraform_data.logs[0]: The index [0]" in browser.text("#risk"), browser.text("#risk")
    browser.click_on("#risk a")
    browser.wait("!document.getElementById('details').hidden")
    assert browser.text("#details h2") == "terraform_data.logs[0]", browser.text("#details h2")


def rows_give_reasons_with_values_and_are_not_cut(place):
    cut = """[...document.querySelectorAll('#list .item, #list .why, #list .name')].filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).map((e) => e.innerText)"""
    for size in ((1280, 800), (390, 844)):
        plan_page(place, size=size)
        why = lambda name: browser.evaluate(f"document.querySelector('#list [title={json.dumps(name)}] .why').innerText")  # noqa: E731
        assert why("terraform_data.monitor").startswith("terraform_data.record.input[0]: {"), why("terraform_data.monitor")
        assert why("terraform_data.logs[0]") == "The index [0] is out of range for count."
        shown = why("module.database.terraform_data.instance")
        assert shown.startswith('triggers_replace[0]: "v1" \u2192 "v2"') and shown.endswith("forces replacement"), shown
        for width in range(0, 80, 7):  # lines are broken at each width of the list
            browser.call("Emulation.setDeviceMetricsOverride", width=size[0] + width, height=size[1], deviceScaleFactor=1, mobile=False)
            browser.evaluate(f"document.getElementById('list-panel').style.width = '{374 + width if size[0] > 800 else size[0] + width}px'")
            browser.evaluate("new Promise((r) => setTimeout(r, 60))")
            assert browser.evaluate(cut) == [], (size, width, browser.evaluate(cut))


def regions(place, works=False, fails="none"):
    """The configuration of regions. With `works`, operations take their time, and one fails in the region `fails`."""
    (place / "region").mkdir(parents=True, exist_ok=True)
    (place / "main.tf").write_text(REGIONS)
    work = """
  provisioner "local-exec" {{
    command = "sleep {0}; {1}"
  }}"""
    fail = f"test ${{var.name}} != {fails} || {{ echo the snapshot shop-final already exists >&2; exit 3; }}"
    lines = REGION.split("\n")
    for i, line in enumerate(lines):
        text, mark, seconds = line.partition("#work ")
        if mark:
            lines[i] = text + (work.format(seconds, fail if seconds == "0.3" else "true") if works else "")
    (place / "region/main.tf").write_text("\n".join(lines))
    run(place, "init")


def regions_page(place, **how):
    regions(place)
    run(place, "plan", "-html=plan.html")
    browser.open(place / "plan.html", **how)


def instances_of_a_module_are_parallel_lanes(place):
    regions_page(place)
    lanes = browser.evaluate(f"""{SCENE}.frames.filter((f) => f.of.kind === 'module').map((f) => ({{ place: [f.x, f.w, f.h],
      boxes: {SCENE}.boxes.filter((b) => b.lane.group === f.of).map((b) => [b.label, b.vertices.length, b.x, b.w, Math.round(b.y - f.y)]).sort() }}))""")
    assert len(lanes) == 5 and all(lane == lanes[0] for lane in lanes) and len(lanes[0]["boxes"]) >= 4, lanes
    # Edges between lanes are one line without ends; all others are within a lane, or lead to one.
    between = browser.evaluate(f"""{SCENE}.nets.flatMap((n) => n.sources.flatMap((a) => n.targets.map((b) => [a.lane.group.key, b.lane.group.key]))).filter(([a, b]) => a && b && a !== b)""")
    assert between == [], between
    browser.click_on("#expand")
    assert int(browser.evaluate("document.getElementById('graph').dataset.boxes")) == 5 + 5 * 15
    lanes = browser.evaluate(f"{SCENE}.frames.filter((f) => f.of.kind === 'module').map((f) => [f.x, f.w, f.h])")
    assert len(lanes) == 5 and all(lane == lanes[0] for lane in lanes), lanes


def lanes_of_changes_fill_the_graph(place):
    place = place / "shop"
    regions(place)
    run(place, "apply", "-auto-approve")
    run(place, "plan", "-var=release=2", "-html=plan.html")
    for size in ((1280, 800), (1400, 900)):
        browser.open(place / "plan.html", size=size)
        filled = browser.evaluate(f"[{SCENE}.width, {SCENE}.height]")
        area = browser.evaluate("[document.getElementById('graph').clientWidth, document.getElementById('graph').clientHeight]")
        assert filled[0] >= 0.8 * area[0] and filled[1] >= 0.6 * area[1], (filled, area)
        right = browser.evaluate(f"Math.max(...{SCENE}.boxes.map((b) => b.x + b.w)) * {SCENE}.view.scale + {SCENE}.view.x")
        assert right <= area[0], (right, area)
    picture("plan")


def edges_go_from_left_to_right_around_boxes(place):
    regions_page(place, motion="reduce")
    wrong = f"""(() => {{
      const s = {SCENE};
      const found = [];
      for (const one of s.pairs) if (one.from.column >= one.to.column) found.push(['backwards', one.from.label, one.to.label]);
      for (const net of s.nets)
        for (const line of net.lines)
          for (let i = 0; i < line.length; ++i) {{
            const [x, y] = line[i];
            if (x < 0 || y < 0 || x > s.width || y > s.height) found.push(['outside', x, y]);
            if (!i) continue;
            if (x < line[i - 1][0] - 0.01) found.push(['backwards', line]);
            const left = line[i - 1][0] + 1;
            const [top, bottom] = [Math.min(y, line[i - 1][1]), Math.max(y, line[i - 1][1])];
            for (const b of s.boxes) if (x - 1 > b.x && left < b.x + b.w && bottom > b.y && top < b.y + b.h) found.push(['through', b.label, line]);
          }}
      return found.slice(0, 5);
    }})()"""
    assert browser.evaluate(wrong) == [], browser.evaluate(wrong)
    for button in ("#expand", "#collapse"):
        browser.click_on(button)
        assert browser.evaluate(wrong) == [], (button, browser.evaluate(wrong))


def names_in_boxes_are_whole(place):
    regions_page(place)
    assert browser.evaluate(TOO_WIDE) == [], browser.evaluate(TOO_WIDE)


def an_address_is_a_link_to_one_change(place):
    plan_page(place, fragment='module.network.terraform_data.subnet["c"]')
    browser.wait("!document.getElementById('details').hidden")
    assert browser.text("#details h2") == 'module.network.terraform_data.subnet["c"]', browser.text("#details h2")
    browser.evaluate("document.querySelector('#list [title=\"terraform_data.monitor\"]').click()")
    assert browser.evaluate("decodeURIComponent(location.hash)") == "#terraform_data.monitor"
    assert browser.evaluate("decodeURIComponent(document.querySelector('#details .link').hash)") == "#terraform_data.monitor"
    assert browser.complaints() == [], browser.complaints()


def paper_has_all_changes(place):
    plan_page(place)
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    text = browser.text("#print")
    assert "terraform_data.monitor" in text and 'triggers_replace[0]: "v1"' in text and "forces replacement" in text, text
    assert "hidden-first" not in text
    assert browser.evaluate("getComputedStyle(document.querySelector('main')).display") == "none"


def a_phone_has_one_column(place):
    plan_page(place, size=(390, 844))
    wide = lambda: browser.evaluate("document.documentElement.scrollWidth")  # noqa: E731
    in_sight = lambda name: browser.evaluate(f"document.getElementById('{name}').getBoundingClientRect().width")  # noqa: E731
    assert wide() <= 390 and in_sight("list-panel") == 390 and in_sight("graph-panel") == 0, (wide(), in_sight("list-panel"))
    browser.click_on(".view-graph")
    assert wide() <= 390 and in_sight("list-panel") == 0 and in_sight("graph-panel") == 390, wide()
    browser.click_on(".view-list")
    browser.click_on("#list .item")
    assert in_sight("details") == 390 and wide() <= 390
    picture("phone")
    browser.click_on("#details .close")
    assert browser.evaluate("document.getElementById('details').hidden")


def search_and_filters_reduce_the_list(place):
    plan_page(place)
    count = lambda: browser.evaluate("document.querySelectorAll('#list .item').length")  # noqa: E731
    everything = count()
    browser.press("/")
    browser.write("network subnet")
    names = browser.evaluate("[...document.querySelectorAll('#list .item')].map((i) => i.title)")
    assert names == ['module.network.terraform_data.subnet["c"]'], names
    browser.press("Escape")
    assert count() == everything
    browser.click_on("#filters .of-replace")
    assert browser.evaluate("document.querySelector('#filters .of-replace').getAttribute('aria-pressed')") == "true"
    shown = browser.evaluate("[...document.querySelectorAll('#list .item')].map((i) => i.title)")
    assert shown and all("web" not in name for name in shown) and "terraform_data.monitor" in shown, shown
    browser.click_on("#filters .of-replace")
    browser.click_on("#filters .of-risk")
    heads = browser.evaluate("[...document.querySelectorAll('#list .head')].map((i) => i.innerText)")
    assert [head.split(" ")[0] for head in heads] == ["Destroyed", "Replaced"], heads


def modules_collapse_and_edges_show_their_reasons(place):
    plan_page(place, motion="reduce")
    boxes = lambda: browser.evaluate("document.getElementById('graph').dataset.boxes")  # noqa: E731
    browser.click_on("#collapse")
    closed = int(boxes())
    browser.click_on("#expand")
    assert int(boxes()) > closed, (closed, boxes())
    # At least one point between two layers is on an edge.
    browser.click_on("#fit")
    browser.evaluate("""(() => {
      const graph = document.getElementById('graph');
      graph.setPointerCapture = () => {};
      const area = graph.getBoundingClientRect();
      for (let x = area.left + 20; x < area.right - 20; x += 9)
        for (let y = area.top + area.height * 0.2; y < area.bottom - area.height * 0.2; y += 4) {
          for (const type of ['pointerdown', 'pointerup']) graph.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1 }));
          if (document.querySelector('#details ol.way')) return;
        }
    })()""")
    text = browser.text("#details")
    assert "Why" in text and "waits:" in text, text
    assert browser.complaints() == [], browser.complaints()


def all_functions_have_keys(place):
    plan_page(place, motion="reduce")
    browser.evaluate("document.getElementById('list').focus()")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    chosen = browser.evaluate("document.querySelector('#list [aria-selected=true]').title")
    assert browser.text("#details h2") == chosen, (browser.text("#details h2"), chosen)
    assert browser.evaluate("document.getElementById('list').getAttribute('aria-activedescendant')") == "entry-1"
    browser.press("Enter")
    assert browser.evaluate("document.activeElement.id") == "details"
    browser.press("Escape")
    assert browser.evaluate("document.getElementById('details').hidden")
    browser.evaluate("document.getElementById('graph').focus()")
    outline = browser.evaluate("getComputedStyle(document.getElementById('graph')).outlineStyle")
    assert outline == "solid", outline
    before = browser.text("#live")
    browser.press("ArrowLeft")
    assert browser.text("#live") == "terraform_data.record, update", (before, browser.text("#live"))
    browser.press("Enter")
    assert not browser.evaluate("document.getElementById('details').hidden")
    browser.press("c")
    assert browser.evaluate("document.getElementById('critical').getAttribute('aria-pressed')") == "true"
    assert browser.text("#details h2") == "Critical path"


def both_themes_are_readable(place):
    plan_page(place, scheme="dark")
    assert browser.evaluate("document.documentElement.dataset.theme") == "dark"
    contrast = """(() => {
      const rgb = (c) => c.match(/[\\d.]+/g).map(Number);
      const light = (c) => { const [r, g, b] = rgb(c).map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const of = (text, back) => { const [a, b] = [light(text), light(back)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
      const panel = getComputedStyle(document.querySelector('#list-panel')).backgroundColor;
      return Math.min(...[...document.querySelectorAll('h1, .title p, .row .name b, .row .why, .row .head, #filters i')].map((e) => of(getComputedStyle(e).color, panel)));
    })()"""
    dark = browser.evaluate(contrast)
    browser.click_on("#theme")
    assert browser.evaluate("document.documentElement.dataset.theme") == "light"
    light = browser.evaluate(contrast)
    assert min(dark, light) >= 4.5, (dark, light)


def failing_apply(place):
    configure(place)
    (place / "main.tf").write_text(FIRST + """resource "terraform_data" "failing" {
  depends_on = [terraform_data.record]
  provisioner "local-exec" {
    command = "sleep 0.3; exit 3"
  }
}
resource "terraform_data" "after" {
  input = terraform_data.failing.id
}
resource "time_sleep" "slow" {
  create_duration = "700ms"
}
""")
    run(place, "apply", "-auto-approve", "-parallelism=3", "-html=apply.html", code=1)
    assert "hidden-first" not in (place / "apply.html").read_text()


def an_apply_is_a_timeline(place):
    failing_apply(place)
    browser.open(place / "apply.html")
    title = browser.text("#title")
    assert title.startswith("1 failed, 1 skipped, ") and " created in " in title and ", 3 at once, critical path " in title, title
    facts = browser.text("#facts")
    assert "limit 3" in facts and "Cost of the limit" in facts, facts
    bars = browser.evaluate("""[...document.querySelectorAll('#bars .bar')].map((b) => ({ name: b.title, spoken: b.textContent,
      ran: [...b.querySelectorAll('.ran')].map((i) => [parseFloat(i.style.left), parseFloat(i.style.width), i.className]) }))""")
    starts = [bar["ran"][0][0] for bar in bars if bar["ran"]]
    assert starts == sorted(starts) and len(bars) == len({bar["name"] for bar in bars}), bars
    assert any("on-path" in one["ran"][0][2] for one in bars if one["ran"]), bars
    failed = next(bar for bar in bars if bar["name"] == "terraform_data.failing")
    assert "failed" in failed["ran"][0][2] and "failed after " in failed["spoken"], failed
    skipped = next(bar for bar in bars if bar["name"] == "terraform_data.after")
    assert skipped["ran"] == [] and "skipped: terraform_data.failing failed" in skipped["spoken"], skipped
    # The failed operation is selected, with its whole diagnostic and what was skipped for it.
    text = browser.text("#details")
    assert browser.text("#details h2") == "terraform_data.failing", text
    assert "exit 3" in text and "Skipped for it (1)" in text and "terraform_data.after" in text and "main.tf" in text, text
    browser.click_on("#filters .of-destroy")
    assert browser.evaluate("[...document.querySelectorAll('#bars .bar')].map((b) => b.title)") == ["terraform_data.failing"]
    assert browser.complaints() == [], browser.complaints()


def a_timeline_states_what_the_limit_cost(place):
    place = place / "shop"
    regions(place, works=True, fails="us-east-1")
    run(place, "apply", "-auto-approve", "-parallelism=4", "-html=apply.html", code=1)
    browser.open(place / "apply.html", scheme="dark", size=(1400, 900))
    facts = browser.text("#facts")
    assert "at most 4" in facts and "limit 4" in facts and "waits for a free slot before the last end" in facts, facts
    groups = browser.evaluate("[...document.querySelectorAll('#bars .group')].map((b) => b.title)")
    assert 'module.region["us-east-1"]' in groups and 'module.region["us-east-1"].terraform_data.subnet' in groups, groups
    text = browser.text("#details")
    assert "the snapshot shop-final already exists" in text and "Skipped for it (" in text, text
    picture("apply")


def with_data(page, change, name):
    """A page beside another one, with changed data."""
    head, rest = page.read_text().split('id="data">')
    data, tail = rest.split("</script>", 1)
    data = json.loads(data)
    change(data)
    made = page.with_name(name)
    made.write_text(head + 'id="data">' + json.dumps(data).replace("<", "\\u003c") + "</script>" + tail)
    return made


def measured_apply(place, seconds, limit, times):
    """The page of an apply of resources of which "last" depends on "first", with these times: [ready, start, end]."""
    names = {name: f"terraform_data.{name}" for name in times}
    place = place / f"{seconds} s, {len(times)} operations"
    place.mkdir()
    (place / "main.tf").write_text("".join(f"""resource "terraform_data" "{name}" {{
  input = {names["first"] + ".id" if name == "last" else '"x"'}
}}
""" for name in times))
    run(place, "apply", "-auto-approve", "-html=apply.html")

    def change(data):
        number = {v.get("name"): i for i, v in enumerate(data["vertices"])}
        data["run"].update(seconds=seconds, limit=limit, visits=[[number[names[name]], *of, "done"] for name, of in times.items()])

    browser.open(with_data(place / "apply.html", change, "measured.html"))


def waits_count_as_cost_only_while_the_limit_is_reached(place):
    measured_apply(place, 2, 2, {"first": [0, 0.2, 1], "last": [1, 1.5, 2]})
    assert "Cost of the limit\nnone" in browser.text("#facts") and "at most 1" in browser.text("#facts"), browser.text("#facts")
    assert browser.evaluate("document.querySelectorAll('#bars .queue').length") == 0
    browser.evaluate("document.querySelector('#bars [title=\"terraform_data.last\"]').click()")
    assert "0 ms for a free slot" in browser.text("#details") and "500 ms while a slot was free" in browser.text("#details"), browser.text("#details")
    measured_apply(place, 2, 2, {"first": [0, 0, 1], "long": [0, 0, 1.3], "next": [0, 1, 1.4], "last": [1, 1.4, 2]})
    assert "Cost of the limit\n300 ms" in browser.text("#facts") and "at most 2" in browser.text("#facts"), browser.text("#facts")
    browser.evaluate("document.querySelector('#bars [title=\"terraform_data.next\"]').click()")
    assert "1.0 s for a free slot" in browser.text("#details"), browser.text("#details")


def short_runs_have_sensible_figures(place):
    measured_apply(place, 0, 10, {"first": [0, 0, 0], "last": [0, 0, 0]})
    facts = browser.text("#facts")
    assert "at most 1" in facts and "mean" not in facts and "Cost of the limit\nnone" in facts, facts
    assert "1 at once" in browser.text("#title"), browser.text("#title")
    measured_apply(place, 40, 10, {"first": [0, 0, 0.00004], "last": [0.00004, 39.99, 40]})
    assert "mean < 0.1" in browser.text("#facts"), browser.text("#facts")
    (place / "main.tf").write_text('output "nothing" {\n  value = 1\n}\n')
    run(place, "apply", "-auto-approve", "-html=apply.html")
    browser.open(place / "apply.html")
    assert "nothing ran" in browser.text("#facts") and "at once" not in browser.text("#title"), browser.text("#facts")
    assert browser.complaints() == [], browser.complaints()


def numbers_in_names_are_in_their_order(place):
    zones = ", ".join(f'"zone-{i}"' for i in range(1, 13))
    (place / "zone").mkdir()
    (place / "zone/main.tf").write_text('variable "name" {}\nresource "terraform_data" "net" {\n  input = var.name\n}\n')
    (place / "main.tf").write_text(f"""module "zone" {{
  source   = "./zone"
  for_each = toset([{zones}])
  name     = each.key
}}
resource "terraform_data" "host" {{
  for_each = toset([{zones}])
  input    = each.key
}}
resource "terraform_data" "all" {{
  input = [for z in terraform_data.host : z.id]
}}
""")
    run(place, "init")
    run(place, "apply", "-auto-approve", "-html=apply.html")
    run(place, "plan", "-destroy", "-html=plan.html")
    expected = [f"zone-{i}" for i in range(1, 13)]
    browser.open(place / "plan.html")
    titles = browser.evaluate("[...document.querySelectorAll('#list .item')].map((i) => i.title)")
    assert [one.split('"')[1] for one in titles if "host" in one][:5] == expected[:5], titles
    lanes = browser.evaluate(f"{SCENE}.frames.filter((f) => f.of.kind === 'module').map((f) => f.of.label)")
    assert [one.split('"')[1] for one in lanes] == expected, lanes
    browser.evaluate("document.querySelector('#list [title=\"terraform_data.all\"]').click()")
    found = browser.evaluate("[...document.querySelectorAll('#details li .mono')].map((i) => i.innerText).filter((i) => i.includes('host'))")
    assert [one.split('"')[1] for one in found] == expected, found


def a_heading_counts_all_instances_of_a_module(place):
    (place / "service").mkdir()
    (place / "service/main.tf").write_text('variable "size" {}\nresource "terraform_data" "host" {\n  input = var.size\n}\n')
    main = """module "service" {
  source   = "./service"
  for_each = { a = %s, b = %s, c = 1 }
  size     = each.value
}
"""
    (place / "main.tf").write_text(main % (1, 1))
    run(place, "init")
    run(place, "apply", "-auto-approve")
    (place / "main.tf").write_text(main % (2, 2))
    run(place, "plan", "-html=plan.html")
    browser.open(place / "plan.html")
    titles = browser.evaluate(f"{SCENE}.frames.map((f) => f.title)")
    assert titles == ["service \u00d7 2 of 3", 'service["a"]', 'service["b"]'], titles


def a_deposed_object_has_its_key_in_its_box(place):
    configuration = """resource "terraform_data" "database" {
  triggers_replace = "%d"
  lifecycle {
    create_before_destroy = true
  }
}
resource "terraform_data" "web" {
  count = %d
  input = terraform_data.database.id
  provisioner "local-exec" {
    command = "exit %d"
  }
}
"""
    (place / "main.tf").write_text(configuration % (1, 0, 0))
    run(place, "apply", "-auto-approve")
    # The old object stays, as an operation that waits for the new one fails.
    (place / "main.tf").write_text(configuration % (2, 1, 3))
    run(place, "apply", "-auto-approve", code=1)
    for count in (0, 1, 3):
        (place / "main.tf").write_text(configuration % (2, count, 0))
        run(place, "plan", "-html=plan.html")
        for size in ((1400, 900), (800, 300), (390, 844)):
            browser.open(place / "plan.html", size=size)
            browser.click_on(".view-graph")
            drawn = browser.evaluate(f"{SCENE}.boxes.filter((b) => b.label.includes('deposed') && b.text).map((b) => b.text)")
            assert drawn or size[0] < 1400, size
            for text in drawn:
                assert text[0].startswith(("database", "terraform_data.database")) and "deposed" in " ".join(text) and "destroy" not in " ".join(text), text
            assert browser.evaluate(TOO_WIDE) == [], (size, browser.evaluate(TOO_WIDE))


def a_timeline_has_keys_and_orders(place):
    failing_apply(place)
    browser.open(place / "apply.html")
    browser.press("Escape")
    browser.evaluate("document.getElementById('bars').focus()")
    browser.press("Home")
    browser.press("ArrowDown")
    chosen = browser.evaluate("document.querySelector('#bars [aria-selected=true]').title")
    assert browser.evaluate("document.getElementById('bars').getAttribute('aria-activedescendant')") == "bar-1"
    assert chosen in browser.text("#live") and browser.text("#details h2") == chosen, (chosen, browser.text("#live"))
    choose = "(() => { const o = document.getElementById('order'); o.value = '%s'; o.dispatchEvent(new Event('change')); })()"
    browser.evaluate(choose % "longest")
    assert browser.evaluate("document.querySelector('#bars .bar').title") == "time_sleep.slow"
    browser.evaluate(choose % "module")
    groups = browser.evaluate("[...document.querySelectorAll('#bars [aria-expanded]')].map((b) => b.title)")
    assert "module.network" in groups and "terraform_data.web" in groups, groups


def an_apply_is_replayed(place):
    failing_apply(place)
    browser.open(place / "apply.html", scheme="dark")
    assert "failed after" in browser.text("#subtitle"), browser.text("#subtitle")
    assert "1 failed" in browser.text("#progress"), browser.text("#progress")
    browser.evaluate("(() => { const t = document.getElementById('time'); t.value = 500; t.dispatchEvent(new Event('input')); })()")
    assert "1 running" in browser.text("#progress") or "2 running" in browser.text("#progress"), browser.text("#progress")
    assert not browser.evaluate("document.getElementById('future').hidden")
    browser.click_on(".view-graph")
    assert int(browser.evaluate("document.getElementById('graph').dataset.boxes")) > 5
    browser.evaluate("(() => { const t = document.getElementById('time'); t.value = 0; t.dispatchEvent(new Event('input')); })()")
    browser.evaluate("(() => { const s = document.getElementById('speed'); s.selectedIndex = 2; s.dispatchEvent(new Event('change')); })()")
    browser.click_on("#play")
    assert browser.text("#play") == "Pause"
    browser.wait("document.getElementById('play').innerText === 'Play'", seconds=10)
    assert "1 failed" in browser.text("#progress"), browser.text("#progress")
    browser.press("c")
    assert "duration" in browser.text("#details"), browser.text("#details")
    assert browser.complaints() == [], browser.complaints()


def axe_finds_nothing(place):
    if "AXE" not in os.environ:
        raise tap.Missing("axe-core (AXE=axe.min.js)")
    axe = pathlib.Path(os.environ["AXE"]).read_text()
    failing_apply(place)
    run(place, "plan", "-var=release=2", "-html=plan.html")
    for name in ("plan.html", "apply.html"):
        for scheme in ("light", "dark"):
            for size in ((1400, 900), (390, 844)):
                browser.open(place / name, scheme=scheme, size=size)
                browser.evaluate(axe + ";0")
                for view in ("list", "graph"):
                    found = browser.evaluate("axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))")
                    assert found == [], (name, scheme, size, found)
                    browser.evaluate(f"document.querySelector('.view-{view}').click()")
                browser.evaluate("document.querySelector('.view-list').click()")
                browser.evaluate("document.querySelector('#list .item').click()")
                found = browser.evaluate("axe.run(document).then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))")
                assert found == [], (name, scheme, size, found)


def hostile_names_are_text(place):
    (place / "main.tf").write_text("""resource "terraform_data" "a" {
  for_each = toset(["</script><script>document.title='owned'</script>", "<img src=x onerror=alert(1)>"])
  input    = "<b onclick=alert(1)>${each.key}"
}
""")
    run(place, "plan", "-html=plan.html")
    browser.open(place / "plan.html")
    browser.evaluate("document.querySelector('#list .item').click()")
    assert "<b onclick" in browser.text("#details"), browser.text("#details")
    assert browser.evaluate("document.title").startswith("iacctl")
    assert browser.evaluate("document.querySelectorAll('#details b, img').length") == 0
    # The content security policy refuses everything that is not part of the page.
    browser.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s); })()")
    assert browser.evaluate("window.owned") is None
    assert browser.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"


def five_thousand_vertices_are_drawn_fast(place):
    groups = 50
    text = "".join(f"""resource "terraform_data" "r{i}" {{
  count = 100
  input = {f'terraform_data.r{i - 1}[count.index].id' if i % 5 else '"x"'}
}}
""" for i in range(groups))
    (place / "main.tf").write_text(text)
    run(place, "plan", "-html=plan.html")
    browser.open(place / "plan.html")
    first = browser.evaluate("performance.getEntriesByName('first-picture')[0].startTime")
    browser.click_on("#expand")
    shown = int(browser.evaluate("document.getElementById('graph').dataset.boxes"))
    assert shown >= 5000, shown
    frames = browser.evaluate("""new Promise((done) => {
      const graph = document.getElementById('graph');
      const at = (type, x, y) => graph.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1, bubbles: true }));
      graph.setPointerCapture = () => {};
      const times = [];
      let last = performance.now();
      let n = 0;
      at('pointerdown', 900, 400);
      const step = (now) => {
        times.push(now - last);
        last = now;
        at('pointermove', 900 - 9 * n, 400 - 3 * n);
        if (++n < 90) return requestAnimationFrame(step);
        at('pointerup', 900 - 9 * n, 400 - 3 * n);
        done(times.slice(1));
      };
      requestAnimationFrame(step);
    })""")
    median = statistics.median(frames)
    print(f"# first picture after {first:.0f} ms; frames while panning: median {median:.1f} ms, longest {max(frames):.0f} ms")
    assert first <= 3000, first
    assert median <= 33.4, median


def enlarged(data, times):
    """The data of a page, each operation several times."""
    made = dict(data, changes=[], vertices=[], edges=[], critical=[])
    for i in range(times):
        first = len(made["vertices"])
        of = len(made["changes"])
        made["changes"] += [dict(one, address=one["address"].replace("[", f"[{i}")) for one in data["changes"]]
        made["vertices"] += [dict(one, change=one["change"] + of, name=one["name"].replace("[", f"[{i}")) if "change" in one else one for one in data["vertices"]]
        made["edges"] += [[first + one[0], first + one[1]] + one[2:] for one in data["edges"]]
    return made


def pages_of_every_size_fit_the_window(place):
    """The regions of a service, as the page of a plan and of an apply, in a window and on a phone, light and dark."""
    for resources, regions_count, web in ((16, 1, 7), (300, 5, 54), (3000, 20, 145)):
        shop = place / f"{resources}" / "shop"
        regions(shop)
        names = ", ".join(f'"zone-{i}"' for i in range(regions_count))
        text = re.sub(r"toset\(\[.*?\]\)", f"toset([{names}])", (shop / "main.tf").read_text())
        (shop / "main.tf").write_text(text.replace("10 * var.release", f"{web} * var.release"))
        run(shop, "apply", "-auto-approve", "-html=apply.html")
        run(shop, "plan", "-var=release=2", "-html=plan.html")
        for name, size, scheme in itertools.product(("plan", "apply"), ((1400, 900), (390, 844)), ("light", "dark")):
            browser.open(shop / f"{name}.html", scheme=scheme, size=size)
            first = browser.evaluate("performance.getEntriesByName('first-picture')[0].startTime")
            used = browser.seconds_of_tasks()
            of = (resources, name, size, scheme)
            print(f"# {resources} resources, {name}, {size[0]} px, {scheme}: first picture after {first:.0f} ms, {1000 * used:.0f} ms of processor time")
            assert used <= 1, (of, used)
            assert browser.evaluate("document.documentElement.scrollWidth") <= size[0], of
            cut = "[...document.querySelectorAll('#title, #subtitle, #risk, #facts')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.id)"
            assert browser.evaluate(cut) == [], (of, browser.evaluate(cut))
            assert browser.complaints() == [], (of, browser.complaints())
            if name == "apply" and size[0] > 800:
                cut = "[...document.querySelectorAll('#bars .bar-name span, #bars .bar-name small')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText)"
                assert browser.evaluate(cut) == [], (of, browser.evaluate(cut))
            picture(f"{name}-{resources}-{size[0]}-{scheme}")
            if size[0] < 800 or name == "apply":
                browser.evaluate("document.querySelector('.view-graph').click()")
                browser.evaluate("new Promise((r) => setTimeout(r, 50))")
                assert browser.evaluate("document.documentElement.scrollWidth") <= size[0], of
                picture(f"{name}-graph-{resources}-{size[0]}-{scheme}")
            lanes = browser.evaluate(f"{SCENE}.frames.filter((f) => f.of.kind === 'module').map((f) => [f.w, f.h])")
            assert all(lane[0] == lanes[0][0] for lane in lanes), (of, lanes)
            right = browser.evaluate(f"Math.max(...{SCENE}.nets.flatMap((n) => n.lines.flat()).map((p) => p[0])) <= {SCENE}.width")
            assert right, of


def thirty_thousand_changes_open_in_three_seconds(place):
    (place / "main.tf").write_text("".join(f"""resource "terraform_data" "r{i}" {{
  count = 100
  input = {f'terraform_data.r{i - 1}[count.index].id' if i else '"x"'}
}}
""" for i in range(3)))
    run(place, "plan", "-html=plan.html")
    with_data(place / "plan.html", lambda data: data.update(enlarged(data, 100)), "large.html")
    browser.open(place / "large.html")
    opened = browser.seconds_of_tasks()
    assert browser.text("#title") == "30,000 to add", browser.text("#title")
    scroll = """(async () => { const l = document.getElementById('list'); for (let i = 0; i < 40; ++i) { l.scrollTop += 700; await new Promise((r) => requestAnimationFrame(r)); } })()"""
    browser.evaluate(scroll)
    each = (browser.seconds_of_tasks() - opened) / 40
    print(f"# 30,000 changes: {opened:.2f} s of processor time to open, {1000 * each:.1f} ms for each frame of scrolling")
    assert opened <= 3 and each <= 0.1, (opened, each)


def graphs_of_declarations_are_shown(place):
    configure(place)
    (place / "graph.html").write_text(run(place, "graph", "-format=html"))
    browser.open(place / "graph.html")
    browser.press("/")
    browser.write("record")
    assert browser.evaluate("[...document.querySelectorAll('#list .item')].map((i) => i.title)") == ["terraform_data.record"]
    browser.press("Enter")
    assert "reference at main.tf:" in browser.text("#details"), browser.text("#details")
    assert browser.complaints() == [], browser.complaints()


if __name__ == "__main__":
    only = os.environ.get("ONLY")
    tests = [a_plan_lists_risks_first_and_shows_differences_side_by_side, the_headline_counts_changes_and_names_the_riskiest,
        rows_give_reasons_with_values_and_are_not_cut, instances_of_a_module_are_parallel_lanes, lanes_of_changes_fill_the_graph,
        edges_go_from_left_to_right_around_boxes,
        names_in_boxes_are_whole, an_address_is_a_link_to_one_change, paper_has_all_changes, a_phone_has_one_column,
        search_and_filters_reduce_the_list, modules_collapse_and_edges_show_their_reasons, all_functions_have_keys,
        both_themes_are_readable, an_apply_is_a_timeline, a_timeline_states_what_the_limit_cost, waits_count_as_cost_only_while_the_limit_is_reached,
        short_runs_have_sensible_figures, numbers_in_names_are_in_their_order, a_heading_counts_all_instances_of_a_module,
        a_deposed_object_has_its_key_in_its_box, a_timeline_has_keys_and_orders, an_apply_is_replayed, axe_finds_nothing,
        hostile_names_are_text, five_thousand_vertices_are_drawn_fast, pages_of_every_size_fit_the_window, thirty_thousand_changes_open_in_three_seconds,
        graphs_of_declarations_are_shown]
    tests = [one for one in tests if not only or only in one.__name__]
    try:
        browser = Browser()
    except tap.Missing as missing:
        tool = missing

        def needs_browser(_place):
            raise tool

        sys.exit(tap.run([needs_browser]))
    with browser:
        sys.exit(tap.run(tests))
