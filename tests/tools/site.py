#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes the site and tests it: site.py FOLDER [PICTURES]; prints TAP. Without Doxygen and its theme the tests are skipped,
without Chromium those of its look. Saves pictures of some pages in the folder PICTURES."""

import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "golden"), str(ROOT / "tests" / "iacctl" / "views")]
import tap  # noqa: E402
from browser import Browser  # noqa: E402

SITE = pathlib.Path(sys.argv[1])
PICTURES = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
DOORS = ("guide_library.html", "guide_iacctl.html")
DESK, PHONE = (1400, 900), (390, 844)
SHOWN = ["index.html", *DOORS, "guide_concepts.html", "guide_first_plan.html", "guide_first_walk.html", "guide_performance.html",
         "guide_walk.html", "guide_state.html", "guide_commands.html", "example_04_build_system.html",
         "classstrider_1_1digraph.html", "classstrider_1_1walker.html", "namespacestrider.html"]
POLICY = re.compile(r"^concept (\w+) =\s*(.*?);\n(?=\n|///|template|})", re.MULTILINE | re.DOTALL)


class Page(html.parser.HTMLParser):
    """The links, the anchors and the images of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.images = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "img":
            self.images.append(values)


def need_doxygen():
    if shutil.which("doxygen") is None:
        raise tap.Missing("doxygen")
    if not pathlib.Path("/usr/share/doxygen-awesome-css").is_dir():
        raise tap.Missing("doxygen-awesome-css")


def site():
    need_doxygen()
    assert (SITE / "index.html").is_file(), "the site was not made"
    return SITE


def guides():
    """The pages that people write or read first; those of the reference are made by Doxygen."""
    return sorted([SITE / "index.html", *SITE.glob("guide_*.html"), *SITE.glob("example_*.html")])


def every_public_name_is_described_and_references_lead_somewhere(_):
    need_doxygen()
    done = subprocess.run([ROOT / "tools" / "docs", SITE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=500)
    assert done.returncode == 0 and (SITE / "index.html").is_file(), done.stdout


def links_of_guides_and_examples_lead_to_pages_and_headings(_):
    pages, wrong = {}, []
    for path in [page for page in guides() if site()]:
        for link in Page(path).links:
            name, _, anchor = link.partition("#")
            if re.match(r"\w+:", link):
                continue
            target = SITE / name if name else path
            if not target.is_file():
                wrong.append(f"{path.name}: {link}")
            elif anchor and target.suffix == ".html":
                pages.setdefault(target, Page(target) if target not in pages else None)
                if anchor not in pages[target].anchors:
                    wrong.append(f"{path.name}: {link}")
    assert not wrong, "\n".join(wrong)


def every_page_and_example_is_in_the_navigation(_):
    names = {f"guide_{path.stem}.html" for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "examples").glob("*.md")]}
    names |= {f"example_{path.stem}.html" for path in (ROOT / "examples").glob("[0-9][0-9]_*.cpp")}
    shown = "".join(path.read_text(encoding="utf-8") for path in site().glob("*.js"))
    missing = sorted(name for name in names if f'"{name}"' not in shown)
    assert not missing, missing


def the_navigation_has_a_door_for_the_library_and_one_for_iacctl(_):
    top = re.findall(r'^    \[ "([^"]+)", "([^"]+)"', (site() / "navtreedata.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert top == [("How it works", "guide_concepts.html"), ("Library", DOORS[0]), ("iacctl", DOORS[1])], top


def every_image_has_a_text(_):
    site()
    wrong = []
    for path in guides():
        text = path.read_text(encoding="utf-8")
        wrong += [f"{path.name}: {image.get('src')}" for image in Page(path).images
                  if not image.get("alt") and not image.get("title") and re.search(
            rf'<img src="{re.escape(image.get("src", ""))}"[^>]*>\s*<div class="caption">', text) is None]
    for path in (ROOT / "docs").glob("concept_*.svg"):
        wrong += [] if 'aria-label="' in path.read_text(encoding="utf-8") else [path.name]
    assert not wrong, wrong


def examples_of_the_reference_are_parts_of_programs(_):
    site()
    for page in ("classstrider_1_1digraph.html", "classstrider_1_1walker.html", "namespacestrider.html"):
        assert "<dt>Example</dt>" in (SITE / page).read_text(encoding="utf-8"), page


def guides_name_every_member_of_a_public_concept(_):
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    named = set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`([^`\n]+)`", text))))
    missing = []
    for path in sorted((ROOT / "include" / "strider").rglob("*.hpp")):
        if "detail" in path.parts:
            continue
        for name, body in POLICY.findall(path.read_text(encoding="utf-8")):
            members = set(re.findall(r"\b[a-z]\w*\.([a-z_]\w*)\(", body))
            missing += [f"{path.name}: {name}: {member}" for member in sorted(members - named)]
    assert not missing, "\n".join(missing)


class Look:
    """The site in a browser."""

    def __init__(self):
        site()
        self.browser = Browser()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.__exit__()

    def open(self, name, size, scheme="light"):
        browser = self.browser
        browser.session = None
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.events = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            browser.call(f"{domain}.enable")
        browser.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.call("Page.navigate", url=(SITE / name).resolve().as_uri())
        browser.wait(f"location.pathname.endsWith('/{name}') && document.readyState === 'complete'", seconds=60)
        browser.wait("!!document.querySelector('.contents')", seconds=60)
        if PICTURES:
            PICTURES.mkdir(parents=True, exist_ok=True)
            browser.wait("performance.now() > 1500", seconds=60)
            browser.picture(PICTURES / f"{name.removesuffix('.html')}-{size[0]}-{scheme}.png")
        return browser


def no_page_is_wider_than_the_screen(_):
    with Look() as look:
        for name in SHOWN:
            for size in (DESK, PHONE):
                browser = look.open(name, size)
                width = browser.evaluate("document.documentElement.scrollWidth")
                assert width <= size[0], f"{name} has {width} of {size[0]} pixels"
                assert not browser.complaints(), (name, browser.complaints())


def a_dark_system_gets_dark_pages_with_readable_drawings(_):
    light = "(() => { const c = getComputedStyle(%s).%s.match(/[\\d.]+/g).map(Number); return (c[0] + c[1] + c[2]) / 3; })()"
    with Look() as look:
        for scheme, is_dark in (("light", False), ("dark", True)):
            for size in (DESK, PHONE):
                browser = look.open("guide_concepts.html", size, scheme)
                browser.wait(f"document.documentElement.classList.contains('dark-mode') === {str(is_dark).lower()}")
                back = browser.evaluate(light % ("document.body", "backgroundColor"))
                ink = browser.evaluate(light % ("document.querySelector('.strider-drawing text')", "fill"))
                assert (back < 90) == is_dark and abs(back - ink) > 120, (scheme, back, ink)
                assert browser.evaluate("document.querySelectorAll('.strider-drawing').length") == 5


def a_phone_has_a_menu_and_a_search_instead_of_the_tree(_):
    with Look() as look:
        browser = look.open("index.html", PHONE)
        assert browser.evaluate("getComputedStyle(document.querySelector('#side-nav')).display") == "none"
        browser.click_on(".main-menu-btn")
        browser.wait("[...document.querySelectorAll('#main-menu a')].some(a => a.textContent === 'Library' && a.offsetHeight > 0)")
        browser.click_on("#MSearchField")
        for key in "walker":
            browser.press(key)
        browser.wait("getComputedStyle(document.querySelector('#MSearchResultsWindow')).display === 'block'", seconds=20)
        found = browser.evaluate("document.querySelector('#MSearchResultsWindow').getBoundingClientRect().right")
        assert found <= PHONE[0], found


def the_navigation_of_a_desk_shows_what_both_doors_lead_to(_):
    with Look() as look:
        browser = look.open("index.html", DESK)
        for title in ("Tutorial: your first walk", "Tutorial: your first plan"):
            browser.wait(f"[...document.querySelectorAll('#nav-tree a')].some(a => a.textContent === '{title}' && a.offsetHeight > 0)",
                         seconds=20)


def a_screen_reader_finds_the_parts_of_a_page(_):
    with Look() as look:
        for size in (DESK, PHONE):
            browser = look.open("guide_first_plan.html", size)
            for selector in ("[role=main] .contents", "[role=banner] #projectname", "[role=heading][aria-level='1']",
                             "#MSearchField[aria-label]", ".fragment[tabindex='0']"):
                browser.wait(f"!!document.querySelector({json.dumps(selector)})", seconds=20)


if __name__ == "__main__":
    sys.exit(tap.run([
        every_public_name_is_described_and_references_lead_somewhere,
        links_of_guides_and_examples_lead_to_pages_and_headings,
        every_page_and_example_is_in_the_navigation,
        the_navigation_has_a_door_for_the_library_and_one_for_iacctl,
        every_image_has_a_text,
        examples_of_the_reference_are_parts_of_programs,
        guides_name_every_member_of_a_public_concept,
        no_page_is_wider_than_the_screen,
        a_dark_system_gets_dark_pages_with_readable_drawings,
        a_phone_has_a_menu_and_a_search_instead_of_the_tree,
        the_navigation_of_a_desk_shows_what_both_doors_lead_to,
        a_screen_reader_finds_the_parts_of_a_page,
    ]))
