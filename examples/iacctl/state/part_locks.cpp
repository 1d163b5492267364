// SPDX-License-Identifier: BSL-1.0
#include "part_locks.hpp"

#include "base/address_text.hpp"

#include <unordered_set>

namespace iacctl::state {

namespace {

constexpr std::size_t shown_parts = 10;

using part_set = std::unordered_set<std::string_view>;

auto set_of(std::vector<std::string> const& parts) -> part_set
{
    return {parts.begin(), parts.end()};
}

// Adds the parts of `written` that the other command reads, directly or as instances of a resource.
void add_read_by(
    std::vector<std::string> const& read, std::vector<std::string> const& written, std::vector<std::string>& found)
{
    if (read.empty()) return;
    part_set const others = set_of(read);
    for (std::string const& part : written)
        if (others.contains(part) || others.contains(without_instance_keys(part))) found.push_back(part);
}

}  // namespace

void add_version(part_versions& to, std::string_view part, std::int64_t version)
{
    // Some bits are omitted, since a version is also a number in JSON.
    constexpr std::uint64_t bits = (std::uint64_t{1} << 53U) - 1;
    auto const add = [&](std::string name) {
        std::int64_t& sum = to[std::move(name)];
        sum = static_cast<std::int64_t>((static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(version)) & bits);
    };
    add(std::string(part));
    if (part.find('[') != std::string_view::npos) add(without_instance_keys(part));
}

auto some_of(part_versions const& all, std::span<std::string const> parts) -> part_versions
{
    part_versions some;
    for (std::string const& part : parts)
        if (auto const found = all.find(part); found != all.end()) some.insert(*found);
    return some;
}

auto overlap(state_parts const& requested, state_parts const& held) -> std::vector<std::string>
{
    std::vector<std::string> found;
    part_set const written = set_of(held.written);
    for (std::string const& part : requested.written)
        if (written.contains(part)) found.push_back(part);
    add_read_by(held.read, requested.written, found);
    add_read_by(requested.read, held.written, found);
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

auto lines_of(std::vector<std::string> const& parts) -> std::string
{
    std::string lines;
    for (std::size_t i = 0; i < std::min(parts.size(), shown_parts); ++i) lines += "\n  - " + parts[i];
    if (parts.size() > shown_parts) lines += "\n  - and " + std::to_string(parts.size() - shown_parts) + " more";
    return lines;
}

}  // namespace iacctl::state
