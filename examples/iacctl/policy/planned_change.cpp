// SPDX-License-Identifier: BSL-1.0
#include "planned_change.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace iacctl::policy {

namespace {

using language::type;
using language::type_kind;
using language::value;
using language::value_entry;

constexpr std::array<std::string_view, 7> action_words{
    "create", "read", "update", "replace", "delete", "forget", "no-op"};

// The same structure with true in place of unknown parts, and false in place of the others.
auto unknown_parts(value const& v) -> value
{
    auto const made = [&] {
        if (!v.has_data()) return value(v.is_unknown());
        if (v.is(type_kind::object) || v.is(type_kind::map)) {
            std::vector<value_entry> entries;
            for (auto const& [key, part] : v.entries()) entries.push_back({key, unknown_parts(part)});
            return value::object(std::move(entries));
        }
        if (v.is(type_kind::list) || v.is(type_kind::set) || v.is(type_kind::tuple)) {
            std::vector<value> parts;
            for (value const& part : v.elements()) parts.push_back(unknown_parts(part));
            return value::tuple(std::move(parts));
        }
        return value(false);
    };
    return made().with_marks(v.marks());
}

auto text_of(infra::attribute_path const& path) -> std::string
{
    std::string made;
    for (infra::attribute_step const& step : path) {
        if (auto const* const index = std::get_if<std::int64_t>(&step)) made += '[' + std::to_string(*index) + ']';
        else made += (made.empty() ? "" : ".") + std::get<std::string>(step);
    }
    return made;
}

auto actions_of(infra::action a) -> std::vector<std::string_view>
{
    switch (a) {
    case infra::action::destroy_then_create: return {"delete", "create"};
    case infra::action::create_then_destroy: return {"create", "delete"};
    case infra::action::forget_then_create: return {"forget", "create"};
    default: return {word_of(a)};
    }
}

auto list_of(std::vector<value> texts) -> value
{
    return value::list(type::string(), std::move(texts));
}

auto optional_text(std::string const* text) -> value
{
    return text == nullptr ? value::null(type::string()) : value(*text);
}

auto count(std::ptrdiff_t number) -> value
{
    return value(language::number(std::int64_t{number}));
}

auto key_of(infra::instance_key const& key) -> value
{
    if (auto const* const index = key.index()) return value(language::number(*index));
    return optional_text(key.name());
}

}  // namespace

auto word_of(infra::action a) noexcept -> std::string_view
{
    switch (a) {
    case infra::action::no_op: return "no-op";
    case infra::action::create: return "create";
    case infra::action::read: return "read";
    case infra::action::update: return "update";
    case infra::action::destroy: return "delete";
    case infra::action::destroy_then_create:
    case infra::action::create_then_destroy:
    case infra::action::forget_then_create: return "replace";
    case infra::action::forget: return "forget";
    }
    return "no-op";
}

auto is_action_word(std::string_view word) noexcept -> bool
{
    return std::ranges::find(action_words, word) != action_words.end();
}

auto value_of(planned_change const& change) -> value
{
    std::vector<value> actions;
    for (std::string_view const one : actions_of(change.what)) actions.emplace_back(one);
    std::vector<value> paths;
    for (auto const& path : change.replace_paths) paths.emplace_back(text_of(path));
    auto const previous = change.previous ? to_string(*change.previous) : std::string();
    infra::address const& a = change.address;
    return value::object({
        {"action", value(word_of(change.what))},
        {"actions", list_of(std::move(actions))},
        {"address", value(to_string(a))},
        {"after", change.after},
        {"after_unknown", unknown_parts(change.after)},
        {"before", change.before},
        {"deposed", optional_text(change.deposed_key.empty() ? nullptr : &change.deposed_key)},
        {"importing", optional_text(change.import_id ? &*change.import_id : nullptr)},
        {"key", key_of(a.key())},
        {"mode", value(a.mode() == infra::resource_mode::data ? "data" : "managed")},
        {"module", value(to_string(a.module()))},
        {"name", value(a.name())},
        {"previous_address", optional_text(change.previous ? &previous : nullptr)},
        {"provider", value(change.provider)},
        {"reason", value(to_string(change.reason))},
        {"replace_paths", list_of(std::move(paths))},
        {"type", value(a.type())},
    });
}

auto value_of(planned_run const& run, std::vector<value> changes) -> value
{
    std::vector<value_entry> counts;
    for (std::string_view const word : action_words)
        counts.push_back({std::string(word),
            count(std::ranges::count(run.changes, word, [](planned_change const& pc) { return word_of(pc.what); }))});
    counts.push_back({"import", count(std::ranges::count_if(run.changes, [](planned_change const& change) {
                          return change.import_id.has_value();
                      }))});
    return value::object({
        {"changes", value::tuple(std::move(changes))},
        {"complete", value(run.complete)},
        {"counts", value::object(std::move(counts))},
        {"mode", value(run.mode)},
        {"workspace", value(run.workspace)},
    });
}

}  // namespace iacctl::policy
