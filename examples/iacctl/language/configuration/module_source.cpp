// SPDX-License-Identifier: BSL-1.0
#include "module_source.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

auto is_local(std::string_view text) -> bool
{
    return text == "." || text == ".." || text.starts_with("./") || text.starts_with("../");
}

auto pieces_of(std::string_view text) -> std::vector<std::string>
{
    std::vector<std::string> all(1);
    for (char const c : text) {
        if (c == '/') all.emplace_back();
        else all.back() += c;
    }
    return all;
}

// Removes "//SUBDIRECTORY" from an address; a query after it is kept.
auto without_subdirectory(std::string_view text, std::string& subdirectory) -> std::string
{
    auto const query = std::min(text.find('?'), text.size());
    auto const scheme = text.find("://");
    auto const from = scheme == std::string_view::npos || scheme > query ? 0 : scheme + 3;
    auto const at = text.find("//", from);
    if (at == std::string_view::npos || at > query) return std::string(text);
    subdirectory = text.substr(at + 2, query - at - 2);
    return std::string(text.substr(0, at)) + std::string(text.substr(query));
}

// A subdirectory in its normal form; false if it leads out of the package.
auto normalize(std::string& subdirectory) -> bool
{
    if (subdirectory.empty()) return true;
    auto normal = std::filesystem::path(subdirectory).lexically_normal().generic_string();
    while (normal.ends_with('/')) normal.pop_back();
    if (normal == ".") normal.clear();
    if (normal == ".." || normal.starts_with("../") || normal.starts_with('/')) return false;
    subdirectory = std::move(normal);
    return true;
}

// Returns whether it has three names, or a host and three names.
auto is_registry_address(std::vector<std::string> const& parts) -> bool
{
    if (parts.size() != 3 && parts.size() != 4) return false;
    auto const host = parts.size() == 4 ? parts.front() : std::string("a.b");
    if (host.find('.') == std::string::npos && host.find(':') == std::string::npos) return false;
    if (parts.front() == "github.com" || parts.front() == "bitbucket.org") return false;
    auto const is_name = [](std::string const& part) {
        return !part.empty() && is_alphanumeric(part.front()) && is_alphanumeric(part.back())
            && std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
    };
    auto const is_provider = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
    return std::ranges::all_of(host, [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == ':'; })
        && is_alphanumeric(host.front()) && is_name(parts[parts.size() - 3]) && is_name(parts[parts.size() - 2])
        && !parts.back().empty() && std::ranges::all_of(parts.back(), is_provider);
}

// The full form of an abbreviated address; nothing if it is not abbreviated.
auto completed(std::string const& text, std::string& subdirectory) -> std::optional<std::string>
{
    auto const question = std::min(text.find('?'), text.size());
    std::string const path = text.substr(0, question);
    std::string const query = text.substr(question);
    for (std::string_view const host : {"github.com/", "bitbucket.org/"}) {
        if (!path.starts_with(host)) continue;
        auto parts = pieces_of(path);
        if (parts.size() < 3 || parts[1].empty() || parts[2].empty()) return std::nullopt;
        std::string deeper;
        for (std::size_t i = 3; i < parts.size(); ++i) deeper += (deeper.empty() ? "" : "/") + parts[i];
        if (!deeper.empty()) subdirectory = subdirectory.empty() ? deeper : deeper + "/" + subdirectory;
        if (!parts[2].ends_with(".git")) parts[2] += ".git";
        return "git::https://" + parts[0] + "/" + parts[1] + "/" + parts[2] + query;
    }
    // USER@HOST:PATH, the form of ssh.
    auto const at = path.find('@');
    auto const colon = path.find(':', at == std::string::npos ? 0 : at);
    if (at != std::string::npos && at > 0 && colon != std::string::npos && path.find('/') > colon
        && path.find("::") == std::string::npos)
        return "git::ssh://" + path.substr(0, colon) + "/" + path.substr(colon + 1) + query;
    if (path.starts_with('/')) return "file://" + path + query;
    return std::nullopt;
}

}  // namespace

auto module_source::parse(std::string_view text, std::string& why) -> std::optional<module_source>
{
    module_source made;
    if (is_local(text)) {
        made.package = text;
        return made;
    }
    auto const package = without_subdirectory(text, made.subdirectory);
    auto parts = pieces_of(package);
    if (package.find("::") == std::string::npos && package.find('?') == std::string::npos
        && is_registry_address(parts)) {
        made.kind = kind_type::registry;
        if (parts.size() == 4) parts.front() = ascii_lower_case(parts.front());
        made.package = parts.size() == 4 ? "" : "registry.terraform.io/";
        for (std::size_t i = 0; i < parts.size(); ++i) made.package += (i == 0 ? "" : "/") + parts[i];
    } else {
        made.kind = kind_type::remote;
        std::string_view rest = package;
        std::string forced;
        if (auto const mark = rest.find("::"); mark != std::string_view::npos && is_alphanumeric(rest.front())
            && std::ranges::all_of(rest.substr(0, mark), is_alphanumeric)) {
            forced = std::string(rest.substr(0, mark)) + "::";
            rest.remove_prefix(mark + 2);
        }
        auto const whole = completed(std::string(rest), made.subdirectory);
        if (whole) {
            // In "git::git@host:path" and "git::github.com/…" the scheme is given twice.
            bool const same = forced.empty() || whole->starts_with(forced);
            made.package = same ? *whole : forced + *whole;
        } else made.package = std::string(package);
        if (made.package.find("://") == std::string::npos) return std::nullopt;
    }
    if (!normalize(made.subdirectory)) {
        why = "the subdirectory leads out of the package";
        return std::nullopt;
    }
    return made;
}

auto module_source::text() const -> std::string
{
    if (subdirectory.empty()) return package;
    auto const query = kind == kind_type::remote ? std::min(package.find('?'), package.size()) : package.size();
    return package.substr(0, query) + "//" + subdirectory + package.substr(query);
}

}  // namespace iacctl::language
