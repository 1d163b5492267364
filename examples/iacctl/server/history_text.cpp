// SPDX-License-Identifier: BSL-1.0
#include "history_text.hpp"

#include "base/json.hpp"
#include "base/timestamp.hpp"

namespace iacctl::server {

namespace {

using state::document_revision;

auto time_of(std::int64_t milliseconds) -> std::string
{
    return timestamp::of_unix_ms(milliseconds).text();
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

}  // namespace iacctl::server
