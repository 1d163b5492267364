// SPDX-License-Identifier: BSL-1.0
#include "dependency_catalog.hpp"

#include "base/json.hpp"
#include "record_text.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <vector>

namespace iacctl::state {

namespace {

auto id_from(std::string_view key) -> std::optional<infra::dependency_set::id_type>
{
    infra::dependency_set::id_type id;
    if (key.size() != 32) return std::nullopt;
    auto const digits = [](std::string_view text, std::uint64_t& to) {
        return std::from_chars(text.data(), text.data() + text.size(), to, 16).ptr == text.data() + text.size();
    };
    if (!digits(key.substr(0, 16), id.high) || !digits(key.substr(16), id.low)) return std::nullopt;
    return id;
}

}  // namespace

auto dependency_catalog::key_of(infra::dependency_set const& set) -> std::string
{
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(set.id().high),
        static_cast<unsigned long long>(set.id().low));
    return text.data();
}

auto dependency_catalog::find(std::string_view key) const -> infra::dependency_set const*
{
    auto const id = id_from(key);
    auto const found = id ? known_.find(*id) : known_.end();
    return found == known_.end() ? nullptr : &found->second;
}

auto dependency_catalog::read(std::string_view key, std::string_view document) -> bool
{
    auto const whole = parse_json(document);
    json const* const names = whole ? whole->find("names") : nullptr;
    json const* const parts = whole ? whole->find("parts") : nullptr;
    if (names == nullptr || parts == nullptr || parts->elements() == nullptr) return false;
    auto own = read_dependencies(*names, *this);
    if (!own || is_kept(*own)) return false;
    std::vector<infra::dependency_set> contained;
    for (json const& part : *parts->elements()) {
        auto set = read_dependencies(part, *this);
        if (!set) return false;
        contained.push_back(std::move(*set));
    }
    infra::dependency_set const set(own->own_names(), std::move(contained));
    if (!is_kept(set) || key_of(set) != key) return false;
    known_.emplace(set.id(), set);
    return true;
}

auto dependency_catalog::text_of(infra::dependency_set const& set) -> std::string
{
    std::string out = "{\"names\":";
    append_dependencies(out, infra::dependency_set(set.own_names()));
    out += ",\"parts\":[";
    bool first = true;
    for (infra::dependency_set const& part : set.parts()) {
        if (!std::exchange(first, false)) out += ',';
        append_dependencies(out, part);
    }
    return out + "]}";
}

}  // namespace iacctl::state
