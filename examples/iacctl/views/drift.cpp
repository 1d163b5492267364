// SPDX-License-Identifier: BSL-1.0
#include "drift.hpp"

#include "base/address_text.hpp"
#include "base/bounded_array.hpp"
#include "base/formatted.hpp"
#include "base/json_writer.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::views {

namespace {

auto different_attributes(language::value const& before, language::value const& after) -> std::vector<std::string>
{
    std::vector<std::string> names;
    auto const compare = [&](language::value const& a, language::value const& b) {
        if (!a.has_data()) return;
        for (auto const& entry : a.entries()) {
            auto const* const other = b.has_data() ? b.find(entry.key) : nullptr;
            if (other == nullptr || !(other->unmarked_deep() == entry.of.unmarked_deep())) names.push_back(entry.key);
        }
    };
    compare(before, after);
    compare(after, before);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

auto by_address(drifted_object const& a, drifted_object const& b) -> bool
{
    return a.address < b.address;
}

auto object_json(drifted_object const& one) -> std::string
{
    json_array attributes;
    for (std::string const& name : one.attributes) attributes.text(name);
    json_object object;
    object.text("address", one.address).text("change", one.is_deleted ? "deleted" : "changed");
    return object.raw_if("attributes", one.is_deleted ? "" : attributes.done()).done();
}

auto objects_json(std::vector<drifted_object> const& all) -> std::string
{
    json_array out;
    for (drifted_object const& one : all) out.raw(object_json(one));
    return out.done();
}

// The value of a label, in which backslashes, quotes and line feeds are escaped.
auto label(std::string_view text) -> std::string
{
    std::string out;
    for (char const c : text) {
        if (c == '\\' || c == '"') out += '\\';
        if (c == '\n') out += "\\n";
        else out += c;
    }
    return out;
}

}  // namespace

auto drifted_objects(plan_view const& plan) -> std::vector<drifted_object>
{
    std::vector<drifted_object> all;
    for (change_view const& c : plan.drift) {
        drifted_object one{object_title(to_string(c.address), c.deposed_key), !c.after.has_data(), {}};
        if (!one.is_deleted) one.attributes = different_attributes(c.before, c.after);
        if (one.is_deleted || !one.attributes.empty()) all.push_back(std::move(one));
    }
    std::sort(all.begin(), all.end(), by_address);
    return all;
}

auto compare_drift(std::vector<drifted_object> const& before, std::vector<drifted_object> const& now) -> drift_change
{
    drift_change change;
    for (drifted_object const& one : now) {
        auto const known = std::lower_bound(before.begin(), before.end(), one, by_address);
        if (known == before.end() || !(*known == one)) change.appeared.push_back(one);
    }
    for (drifted_object const& one : before)
        if (!std::binary_search(now.begin(), now.end(), one, by_address)) change.resolved.push_back(one.address);
    return change;
}

auto drift_json(drift_change const& change, std::vector<drifted_object> const& now, std::string_view workspace,
    std::string_view time) -> std::string
{
    json_array resolved;
    for (std::string const& address : change.resolved) resolved.text(address);
    json_object out;
    out.text("format_version", "1.0").text("workspace", workspace).text("time", time);
    return out.raw("appeared", objects_json(change.appeared))
        .raw("resolved", resolved.done())
        .raw("drifted", objects_json(now))
        .done();
}

auto drift_report(std::vector<drifted_object> const& now, std::string_view workspace, std::string_view time,
    std::size_t longest) -> std::string
{
    bounded_array shown(longest);
    for (drifted_object const& one : now) shown.raw(object_json(one));
    json_object out;
    out.text("format_version", "1.0").text("workspace", workspace).text("time", time).raw("drifted", shown.done());
    if (shown.left_out() > 0) out.number("left_out", shown.left_out());
    return out.done();
}

auto drift_text(drift_change const& change, std::string_view time) -> std::string
{
    std::string out;
    for (drifted_object const& one : change.appeared) {
        std::string changed;
        for (std::string const& name : one.attributes) changed.append(changed.empty() ? "" : ", ").append(name);
        out += one.is_deleted ? formatted("{}  {} was deleted\n", time, one.address)
                              : formatted("{}  {} has changed: {}\n", time, one.address, changed);
    }
    for (std::string const& address : change.resolved) out += formatted("{}  {} equals state again\n", time, address);
    return out;
}

auto open_metrics(watch_counts const& counts, std::string_view workspace) -> std::string
{
    std::string const in = formatted("workspace=\"{}\"", label(workspace));
    std::string out;
    auto const family = [&](std::string_view name, std::string_view type, std::string_view unit,
                            std::string_view help) {
        out += formatted("# TYPE iacctl_watch_{} {}\n", name, type);
        if (!unit.empty()) out += formatted("# UNIT iacctl_watch_{} {}\n", name, unit);
        out += formatted("# HELP iacctl_watch_{} {}\n", name, help);
    };
    family("drifted_objects", "gauge", "", "Objects that differ from state, in the last complete round.");
    for (auto const& [change, count] : {std::pair("changed", counts.changed), std::pair("deleted", counts.deleted)})
        out += formatted("iacctl_watch_drifted_objects{{{},change=\"{}\"}} {}\n", in, change, count);
    family("rounds", "counter", "", "Rounds by their result.");
    for (auto const& [result, count] : {std::pair("complete", counts.complete), std::pair("failed", counts.failed),
             std::pair("locked", counts.locked)})
        out += formatted("iacctl_watch_rounds_total{{{},result=\"{}\"}} {}\n", in, result, count);
    family("failed_hooks", "counter", "", "Runs of the hook that failed.");
    out += formatted("iacctl_watch_failed_hooks_total{{{}}} {}\n", in, counts.hooks_failed);
    family("round_duration_seconds", "gauge", "seconds", "Duration of the last complete round.");
    out += formatted("iacctl_watch_round_duration_seconds{{{}}} {:.3f}\n", in, counts.last_duration);
    if (counts.last_complete > 0) {
        family("last_complete_timestamp_seconds", "gauge", "seconds", "End of the last complete round.");
        out += formatted("iacctl_watch_last_complete_timestamp_seconds{{{}}} {:.3f}\n", in, counts.last_complete);
    }
    return out + "# EOF\n";
}

}  // namespace iacctl::views
