// SPDX-License-Identifier: BSL-1.0
#include "version_constraint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace iacctl::language {

namespace {

struct version {
    std::vector<unsigned> parts;
    std::string prerelease;
};

[[nodiscard]] std::optional<version> parse(std::string_view text)
{
    version made;
    if (text.starts_with('v')) text.remove_prefix(1);
    text = text.substr(0, text.find('+'));
    auto const dash = text.find('-');
    if (dash != std::string_view::npos) {
        made.prerelease = text.substr(dash + 1);
        if (made.prerelease.empty()) return std::nullopt;
        text = text.substr(0, dash);
    }
    for (;;) {
        auto const dot = std::min(text.find('.'), text.size());
        unsigned part = 0;
        auto const [end, problem] = std::from_chars(text.data(), text.data() + dot, part);
        if (dot == 0 || problem != std::errc() || end != text.data() + dot) return std::nullopt;
        made.parts.push_back(part);
        if (dot == text.size()) break;
        text.remove_prefix(dot + 1);
    }
    return made;
}

[[nodiscard]] int compare(version const& a, version const& b)
{
    for (std::size_t i = 0; i < std::max(a.parts.size(), b.parts.size()); ++i) {
        auto const left = i < a.parts.size() ? a.parts[i] : 0U;
        auto const right = i < b.parts.size() ? b.parts[i] : 0U;
        if (left != right) return left < right ? -1 : 1;
    }
    if (a.prerelease == b.prerelease) return 0;
    if (a.prerelease.empty() || b.prerelease.empty()) return a.prerelease.empty() ? 1 : -1;
    return a.prerelease < b.prerelease ? -1 : 1;
}

[[nodiscard]] bool fits(version const& of, std::string_view sign, version const& wanted)
{
    int const order = compare(of, wanted);
    if (sign == "=" || sign.empty()) return order == 0;
    if (sign == "!=") return order != 0;
    if (sign == ">") return order > 0;
    if (sign == ">=") return order >= 0;
    if (sign == "<") return order < 0;
    if (sign == "<=") return order <= 0;
    // ~>: as new, and equal in all parts but the last one given.
    if (order < 0) return false;
    for (std::size_t i = 0; i + 1 < wanted.parts.size(); ++i)
        if (i >= of.parts.size() || of.parts[i] != wanted.parts[i]) return false;
    return wanted.parts.size() > 1 || of.parts[0] >= wanted.parts[0];
}

}  // namespace

std::optional<bool> satisfies(std::string_view version, std::string_view constraints)
{
    static constexpr std::array<std::string_view, 7> signs{"~>", ">=", "<=", "!=", "=", ">", "<"};
    auto const given = parse(version);
    if (!given) return std::nullopt;
    bool all = true;
    for (bool more = true; more;) {
        auto const comma = std::min(constraints.find(','), constraints.size());
        auto one = constraints.substr(0, comma);
        more = comma < constraints.size();
        if (more) constraints.remove_prefix(comma + 1);
        auto const trim = [&] {
            while (one.starts_with(' ')) one.remove_prefix(1);
            while (one.ends_with(' ')) one.remove_suffix(1);
        };
        trim();
        std::string_view sign;
        for (auto const known : signs)
            if (sign.empty() && one.starts_with(known)) sign = known;
        one.remove_prefix(sign.size());
        trim();
        auto const wanted = parse(one);
        if (!wanted) return std::nullopt;
        all = fits(*given, sign, *wanted) && all;
    }
    return all;
}

}  // namespace iacctl::language
