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
auto unknown_parts(value const& of) -> value
{
    auto const made = [&] {
        if (!of.has_data()) return value(of.is_unknown());
        if (of.is(type_kind::object) || of.is(type_kind::map)) {
            std::vector<value_entry> entries;
            for (auto const& [key, part] : of.entries()) entries.push_back({key, unknown_parts(part)});
            return value::object(std::move(entries));
        }
        if (of.is(type_kind::list) || of.is(type_kind::set) || of.is(type_kind::tuple)) {
            std::vector<value> parts;
            for (value const& part : of.elements()) parts.push_back(unknown_parts(part));
            return value::tuple(std::move(parts));
        }
        return value(false);
    };
    return made().with_marks(of.marks());
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

auto actions_of(infra::action what) -> std::vector<std::string_view>
{
    switch (what) {
    case infra::action::destroy_then_create: return {"delete", "create"};
    case infra::action::create_then_destroy: return {"create", "delete"};
    case infra::action::forget_then_create: return {"forget", "create"};
    default: return {word_of(what)};
    }
}

auto list_of(std::vector<value> texts) -> value
{
    return value::list(type::string(), std::move(texts));
}

auto optional_text(std::string const* of) -> value
{
    return of == nullptr ? value::null(type::string()) : value(*of);
}

auto count(std::ptrdiff_t number) -> value
{
    return value(language::number(std::int64_t{number}));
}

auto key_of(infra::instance_key const& of) -> value
{
    if (auto const* const index = of.index()) return value(language::number(*index));
    return optional_text(of.name());
}

}  // namespace

auto word_of(infra::action what) noexcept -> std::string_view
{
    switch (what) {
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

auto value_of(planned_change const& of) -> value
{
    std::vector<value> actions;
    for (std::string_view const one : actions_of(of.what)) actions.emplace_back(one);
    std::vector<value> paths;
    for (auto const& path : of.replace_paths) paths.emplace_back(text_of(path));
    auto const previous = of.previous ? to_string(*of.previous) : std::string();
    infra::address const& a = of.address;
    return value::object({
        {"action", value(word_of(of.what))},
        {"actions", list_of(std::move(actions))},
        {"address", value(to_string(a))},
        {"after", of.after},
        {"after_unknown", unknown_parts(of.after)},
        {"before", of.before},
        {"deposed", optional_text(of.deposed_key.empty() ? nullptr : &of.deposed_key)},
        {"importing", optional_text(of.import_id ? &*of.import_id : nullptr)},
        {"key", key_of(a.key())},
        {"mode", value(a.mode() == infra::resource_mode::data ? "data" : "managed")},
        {"module", value(to_string(a.module()))},
        {"name", value(a.name())},
        {"previous_address", optional_text(of.previous ? &previous : nullptr)},
        {"provider", value(of.provider)},
        {"reason", value(to_string(of.reason))},
        {"replace_paths", list_of(std::move(paths))},
        {"type", value(a.type())},
    });
}

auto value_of(planned_run const& of, std::vector<value> changes) -> value
{
    std::vector<value_entry> counts;
    for (std::string_view const word : action_words)
        counts.push_back({std::string(word),
            count(std::ranges::count(of.changes, word, [](planned_change const& one) { return word_of(one.what); }))});
    counts.push_back({"import",
        count(std::ranges::count_if(of.changes, [](planned_change const& one) { return one.import_id.has_value(); }))});
    return value::object({
        {"changes", value::tuple(std::move(changes))},
        {"complete", value(of.complete)},
        {"counts", value::object(std::move(counts))},
        {"mode", value(of.mode)},
        {"workspace", value(of.workspace)},
    });
}

}  // namespace iacctl::policy
