// SPDX-License-Identifier: BSL-1.0
// Opens the folders of the library and of iacctl in the navigation, once Doxygen's script has made it, and tells screen readers what
// the parts of a page are.
"use strict";
window.addEventListener("load", () => {
  const set = (selector, attributes) => document.querySelectorAll(selector).forEach((each) => {
    for (const [name, value] of Object.entries(attributes)) each.setAttribute(name, value);
  });
  set("#top", { role: "banner" });
  set("#main-nav", { role: "navigation", "aria-label": "Menu" });
  set("#side-nav", { role: "navigation", "aria-label": "Pages" });
  set("#doc-content", { role: "main" });
  set("#nav-path", { role: "contentinfo" });
  set(".headertitle > .title", { role: "heading", "aria-level": "1" });
  set(".fragment, .markdownTable > tbody, .contents pre", { tabindex: "0" });  // they scroll on narrow screens
  const name_search = () => set("#MSearchField:not([aria-label])", { "aria-label": "Search" });
  name_search();
  // Doxygen's script makes the field again when the width of the window changes.
  new MutationObserver(name_search).observe(document.body, { childList: true, subtree: true });
});
window.addEventListener("load", () => {
  const closed = "\u25ba";
  const arrow_of = (title) => {
    const link = [...document.querySelectorAll("#nav-tree .item a")].find((each) => each.textContent.trim() === title);
    return link?.closest(".item").querySelector(".arrow");
  };
  const open = (title, tries) => {
    const arrow = arrow_of(title);
    if (arrow?.textContent.trim() === closed) arrow.click();
    else if (!arrow && tries > 0) setTimeout(open, 100, title, tries - 1);
  };
  ["Library", "iacctl"].forEach((title) => open(title, 30));
});
