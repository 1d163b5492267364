// SPDX-License-Identifier: BSL-1.0
#include "check_merge.hpp"

#include "base/json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::state {

namespace {

using results = std::map<std::string, json>;  // by address

// The elements of a list by the member with their names; nothing if it is not such a list.
auto by_name(json const* list, std::string_view name) -> std::optional<results>
{
    results all;
    if (list == nullptr || list->is_null()) return all;
    if (list->elements() == nullptr) return std::nullopt;
    for (json const& one : *list->elements()) {
        std::string address = one.text_of(name);
        if (address.empty() || one.text_of("status").empty()) return std::nullopt;
        all.insert_or_assign(std::move(address), one);
    }
    return all;
}

auto parse(infra::document const& d) -> std::optional<results>
{
    if (d.empty()) return results();
    auto const list = parse_json(d.text());
    return list ? by_name(&*list, "config_addr") : std::nullopt;
}

auto is_same(json const* j, json const* other) -> bool
{
    return j == nullptr || other == nullptr ? j == other : *j == *other;
}

auto list_of(results all) -> json
{
    json::array list;
    for (auto& [_, one] : all) list.push_back(std::move(one));
    return json(std::move(list));
}

auto worst_status(results const& r) -> std::string
{
    constexpr std::array<std::string_view, 4> statuses{"pass", "unknown", "fail", "error"};
    auto worst = statuses.begin();
    for (auto const& [_, one] : r) worst = std::max(worst, std::ranges::find(statuses, one.text_of("status")));
    return std::string(worst == statuses.end() ? statuses.back() : *worst);
}

auto is_unknown(json const& j) -> bool
{
    return j.text_of("status") == "unknown";
}

template <class Both>
auto merge(results const& read, results const& own, results const& saved, Both both) -> results
{
    auto const find = [](results const& in, std::string const& name) {
        auto const at = in.find(name);
        return at == in.end() ? nullptr : &at->second;
    };
    results all;
    for (auto const& [name, mine] : own) {
        json const* const before = find(read, name);
        json const* const theirs = find(saved, name);
        if (theirs == nullptr || is_same(before, theirs)) all.emplace(name, mine);
        else if (is_same(before, &mine)) all.emplace(name, *theirs);
        else all.emplace(name, both(before, mine, *theirs));
    }
    for (auto const& [name, theirs] : saved)
        if (!own.contains(name) && !is_same(find(read, name), &theirs)) all.emplace(name, theirs);
    return all;
}

auto merge_instance(json const*, json const& own, json const& saved) -> json
{
    return is_unknown(own) ? saved : own;
}

auto merge_declaration(json const* read, json const& own, json const& saved) -> json
{
    auto const of_own = by_name(own.find("objects"), "object_addr");
    auto const of_saved = by_name(saved.find("objects"), "object_addr");
    auto const of_read = by_name(read == nullptr ? nullptr : read->find("objects"), "object_addr");
    if (!of_own || !of_saved || !of_read || own.members() == nullptr) return own;
    if (of_own->empty() && is_unknown(own)) return saved;  // not evaluated
    results merged = merge(*of_read, *of_own, *of_saved, merge_instance);
    if (merged.empty()) return own;
    json::object members = *own.members();
    std::string const status = worst_status(merged);
    for (json::member& one : members) {
        if (one.name == "status") one.value = json(status);
        if (one.name == "objects") one.value = list_of(std::exchange(merged, {}));
    }
    return json(std::move(members));
}

}  // namespace

auto merge_checks(infra::document const& read, infra::document const& own, infra::document const& saved)
    -> infra::document
{
    if (saved == read || saved == own) return own;
    auto const before = parse(read);
    auto const mine = parse(own);
    auto const theirs = parse(saved);
    if (!before || !mine || !theirs) return own;
    results merged = merge(*before, *mine, *theirs, merge_declaration);
    return merged.empty() ? infra::document() : infra::document(compact_text(list_of(std::move(merged))));
}

}  // namespace iacctl::state
