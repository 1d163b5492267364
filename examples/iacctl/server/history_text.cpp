// SPDX-License-Identifier: BSL-1.0
#include "history_text.hpp"

#include "base/json.hpp"
#include "base/timestamp.hpp"
#include "state/backends/lock_info.hpp"

#include <string_view>

namespace iacctl::server {

namespace {

using state::document_revision;

constexpr std::string_view page_head = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>iacctl: states</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8885; padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; }
summary { cursor: pointer; }
.locked { color: #b60; }
.gone { opacity: .6; }
</style>
</head>
<body>
<h1>States</h1>
)html";

auto escaped(std::string_view text) -> std::string
{
    std::string made;
    for (char const c : text) {
        if (c == '&') made += "&amp;";
        else if (c == '<') made += "&lt;";
        else if (c == '>') made += "&gt;";
        else if (c == '"') made += "&quot;";
        else made += c;
    }
    return made;
}

auto cell(std::string_view text, std::string_view kind = {}) -> std::string
{
    std::string made = "<td";
    if (!kind.empty()) made.append(" class=\"").append(kind).append("\"");
    return made + ">" + escaped(text) + "</td>";
}

auto time_of(std::int64_t milliseconds) -> std::string
{
    return timestamp::of_unix_ms(milliseconds).text();
}

auto holder_of(state::document_lock const& held) -> std::string
{
    auto const info = backends::lock_info::parse(held.info);
    std::string text = info && !info->who.empty() ? info->who : held.author;
    if (info && !info->operation.empty()) text += ", " + info->operation;
    return text + ", since " + time_of(held.time) + ", ID " + held.id;
}

auto revision_row(document_revision const& r) -> std::string
{
    std::string row = r.removed ? "<tr class=\"gone\">" : "<tr>";
    row += cell(std::to_string(r.number), "number") + cell(std::to_string(r.header.serial), "number");
    row += cell(time_of(r.time)) + cell(r.author) + cell(r.removed ? "deleted" : std::to_string(r.size) + " bytes");
    return row + cell(r.header.lineage) + "</tr>\n";
}

auto workspace_row(workspace_history const& history) -> std::string
{
    auto const& [name, last, lock] = history.summary;
    bool const gone = !last || last->removed;
    std::string row = gone ? "<tr class=\"gone\">" : "<tr>";
    row += "<td><details><summary>" + escaped(name) + "</summary>\n";
    if (!history.revisions.empty()) {
        row += "<table><tr><th class=\"number\">Revision</th><th class=\"number\">Serial</th><th>Time</th><th>User</th>"
               "<th>Size</th><th>Lineage</th></tr>\n";
        for (document_revision const& r : history.revisions) row += revision_row(r);
        row += "</table>\n";
    }
    row += "</details></td>";
    row += cell(gone ? "none" : std::to_string(last->header.serial), "number");
    row += cell(last ? time_of(last->time) + (last->author.empty() ? "" : ", " + last->author) : "");
    row += lock ? cell(holder_of(*lock), "locked") : cell("");
    return row + "</tr>\n";
}

}  // namespace

auto history_json(std::string const& workspace, std::span<document_revision const> revisions) -> std::string
{
    std::string out = "{\"workspace\":";
    append_json_string(out, workspace);
    out += ",\"revisions\":[";
    char const* separator = "";
    for (document_revision const& r : revisions) {
        out.append(separator).append("{\"revision\":" + std::to_string(r.number));
        out += ",\"serial\":" + std::to_string(r.header.serial) + ",\"lineage\":";
        append_json_string(out, r.header.lineage);
        out += ",\"time\":";
        append_json_string(out, time_of(r.time));
        out += ",\"user\":";
        append_json_string(out, r.author);
        out += ",\"size\":" + std::to_string(r.size) + ",\"deleted\":" + (r.removed ? "true}" : "false}");
        separator = ",";
    }
    return out + "]}\n";
}

auto history_page(std::span<workspace_history const> all) -> std::string
{
    std::string page(page_head);
    if (all.empty()) page += "<p>There are no states.</p>\n";
    else {
        page +=
            "<table>\n<tr><th>Workspace</th><th class=\"number\">Serial</th><th>Last change</th><th>Lock</th></tr>\n";
        for (workspace_history const& one : all) page += workspace_row(one);
        page += "</table>\n";
    }
    return page + "</body>\n</html>\n";
}

}  // namespace iacctl::server
