// SPDX-License-Identifier: BSL-1.0
// Opens the folders of the library and of iacctl in the navigation, once Doxygen's script has made it.
"use strict";
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
