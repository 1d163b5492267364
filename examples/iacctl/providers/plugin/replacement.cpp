// SPDX-License-Identifier: BSL-1.0
#include "replacement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace iacctl::plugin {

namespace {

namespace infra = strider::infra;
using language::value;

// The part of a value at a step; nothing if there is none. Parts of unknown values are unknown.
auto part_at(value const& v, infra::attribute_step const& step) -> std::optional<value>
{
    if (v.is_unknown()) return value::unknown();
    if (auto const* const name = std::get_if<std::string>(&step)) {
        auto const* const found = v.find(*name);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }
    auto const index = std::get<std::int64_t>(step);
    auto const elements = v.elements();
    if (index < 0 || static_cast<std::size_t>(index) >= elements.size()) return std::nullopt;
    return elements[static_cast<std::size_t>(index)];
}

auto part_at(value const& v, infra::attribute_path const& path) -> std::optional<value>
{
    std::optional<value> found = v;
    for (auto const& step : path) {
        found = part_at(*found, step);
        if (!found) return found;
    }
    return found;
}

auto is_write_only(language::schema const& described_by, infra::attribute_path const& path) -> bool
{
    auto const* within = &described_by;
    for (auto const& step : path) {
        auto const* const name = std::get_if<std::string>(&step);
        if (name == nullptr) continue;  // an element of the blocks or attributes of the preceding step
        if (auto const* const attribute = within->find(*name)) {
            if (attribute->write_only) return true;
            if (!attribute->nested) return false;
            within = attribute->nested->content.get();
        } else if (auto const* const block = within->find_block(*name)) {
            within = block->content.get();
        }
    }
    return false;
}

}  // namespace

auto replacement_of(value const& before, value const& after, language::schema const& described_by,
    std::vector<infra::attribute_path> const& named) -> required_replacement
{
    required_replacement made;
    if (before.is_null()) return made;
    for (auto const& path : named) {
        auto const old = part_at(before, path);
        auto const now = part_at(after, path);
        if (!old && !now) {
            made.invalid.push_back(path);
            continue;
        }
        bool const both_null = (!old || old->is_null()) && (!now || now->is_null());
        bool const same = both_null || (old && now && old->wholly_known() && now->wholly_known() && *old == *now);
        if (!same || is_write_only(described_by, path)) made.paths.push_back(path);
    }
    return made;
}

}  // namespace iacctl::plugin
