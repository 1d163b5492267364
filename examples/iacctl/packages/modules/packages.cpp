// SPDX-License-Identifier: BSL-1.0
#include "packages.hpp"

#include "base/http/url.hpp"
#include "git.hpp"
#include "messages/module_sources.hpp"
#include "messages/report.hpp"
#include "packages/archive.hpp"
#include "packages/checksums.hpp"
#include "packages/oci_repository.hpp"
#include "packages/package_files.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace fs = std::filesystem;

using language::module_source;

namespace {

constexpr unsigned most_redirections = 10;

auto unavailable(std::string const& address, std::string const& why) -> infra::failure
{
    return infra::failure(messages::make_error(messages::module_package_unavailable, {address, why}));
}

// Removes a parameter from the query of a URL. \return its value; nothing if there is none
auto take_parameter(std::string& url, std::string_view name) -> std::optional<std::string>
{
    auto const question = url.find('?');
    if (question == std::string::npos) return std::nullopt;
    std::string_view rest = std::string_view(url).substr(question + 1);
    std::optional<std::string> found;
    std::string kept;
    while (!rest.empty()) {
        auto const end = std::min(rest.find('&'), rest.size());
        auto const one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (one.starts_with(name) && one.substr(name.size()).starts_with('='))
            found = http::percent_decoded(one.substr(name.size() + 1));
        else kept += (kept.empty() ? "?" : "&") + std::string(one);
    }
    url = url.substr(0, question) + kept;
    return found;
}

// Returns whether the URL is that of an archive, by the extension of its path.
auto names_archive(std::string const& url) -> bool
{
    static constexpr std::array<std::string_view, 9> ends{
        ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar", ".tar.tbz2"};
    auto const path = std::string_view(url).substr(0, url.find('?'));
    return std::ranges::any_of(ends, [&](auto end) { return path.ends_with(end); });
}

// The content of <meta name="terraform-get" content="…">.
auto address_in_page(std::string_view page) -> std::string
{
    for (auto at = page.find("<meta"); at != std::string_view::npos; at = page.find("<meta", at + 1)) {
        auto const tag = page.substr(at, page.find('>', at) - at);
        auto const value = [&](std::string_view name) {
            auto const begin = tag.find(std::string(name) + "=\"");
            if (begin == std::string_view::npos) return std::string_view();
            auto const rest = tag.substr(begin + name.size() + 2);
            return rest.substr(0, rest.find('"'));
        };
        if (value("name") == "terraform-get") return std::string(value("content"));
    }
    return {};
}

}  // namespace

auto package_fetcher::read_address(std::string const& text, std::string const& base) -> expected<module_source>
{
    // A URL may be relative to the document that contains it.
    bool const relative = text.starts_with('/') || text.starts_with("./") || text.starts_with("../");
    auto const whole = relative ? packages::resolved(base, text) : std::optional(text);
    std::string why;
    auto made = whole ? module_source::parse(*whole, why) : std::nullopt;
    // A server must not refer to files of this machine.
    bool const files =
        made && (made->package.starts_with("file:") || made->package.find("::file:") != std::string::npos);
    if (!made || files || made->kind != module_source::kind_type::remote)
        return unavailable(base, "it refers to \"" + text + "\", which is not the address of a package on a server");
    return *made;
}

auto package_fetcher::fetch(module_source const& from, fs::path const& scratch) -> expected<module_package>
{
    return fetch(from, scratch, 0);
}

auto package_fetcher::fetch(module_source const& from, fs::path const& scratch, unsigned redirections)
    -> expected<module_package>
{
    if (redirections > most_redirections) return unavailable(from.package, "there are too many references");
    module_package made;
    made.directory = scratch / "package";
    made.subdirectory = from.subdirectory;
    std::string_view address = from.package;
    std::string way;
    if (auto const mark = address.find("::"); mark != std::string_view::npos && mark < address.find("://")) {
        way = address.substr(0, mark);
        address.remove_prefix(mark + 2);
    } else way = address.substr(0, address.find("://"));
    std::string url(address);
    if (way == "git") {
        auto const revision = git_revision::parse(url);
        if (!revision) return revision.error();
        if (auto problems = fetch_git(*revision, made.directory); !problems.empty())
            return infra::failure(std::move(problems));
    } else if (way == "file") {
        made.directory = http::percent_decoded(std::string_view(url).substr(url.find("://") + 3));
        made.elsewhere = true;
        std::error_code ignored;
        if (!made.directory.is_absolute() || !fs::is_directory(made.directory, ignored))
            return unavailable(url, "there is no such directory");
        return made;
    } else if (way == "http" || way == "https") {
        auto const archive = take_parameter(url, "archive");
        if (archive == "false" || (!archive && !names_archive(url))) {
            auto next = follow(url);
            if (!next) return next.error();
            if (!from.subdirectory.empty())
                next->subdirectory += (next->subdirectory.empty() ? "" : "/") + from.subdirectory;
            return fetch(*next, scratch, redirections + 1);
        }
        if (auto problems = fetch_archive(url, scratch); !problems.empty()) return infra::failure(std::move(problems));
    } else if (way == "oci") {
        if (auto problems = fetch_from_registry(url, scratch); !problems.empty())
            return infra::failure(std::move(problems));
    } else
        return unavailable(from.package,
            "packages come from git, from archives at HTTP URLs, from registries, from OCI registries and from "
            "directories");
    if (auto problems = packages::check_links(made.directory); !problems.empty())
        return infra::failure(std::move(problems));
    return made;
}

auto package_fetcher::fetch_archive(std::string const& address, fs::path const& scratch) -> infra::diagnostics
{
    std::string url = address;
    auto const checksum = take_parameter(url, "checksum");
    constexpr std::string_view scheme = "sha256:";
    if (checksum && !checksum->starts_with(scheme))
        return unavailable(url, "its checksum does not have the scheme sha256").why();
    auto const file = scratch / "archive";
    if (auto problems = client_->download(url, {}, file); !problems.empty()) return problems;
    if (checksum) {
        auto const sum = packages::archive_checksum(file);
        if (!sum) return sum.error().why();
        if (sum->substr(sum->find(':') + 1) != checksum->substr(scheme.size()))
            return unavailable(url, "the archive does not have the checksum of the address").why();
    }
    fs::create_directory(scratch / "package");
    return packages::extract_archive(file, scratch / "package");
}

auto package_fetcher::fetch_from_registry(std::string url, fs::path const& scratch) -> infra::diagnostics
{
    std::string const address = url;
    auto const tag = take_parameter(url, "tag");
    auto const digest = take_parameter(url, "digest");
    if (tag && digest) return unavailable(address, "it has both a tag and a digest, but only one is allowed").why();
    if (auto const question = url.find('?'); question != std::string::npos)
        return unavailable(address, "it has a parameter other than tag and digest: " + url.substr(question + 1)).why();
    // It becomes part of a URL and must not end the path.
    auto const reference = digest ? *digest : tag.value_or("latest");
    bool const valid = !reference.empty() && (reference.find(':') != std::string::npos) == digest.has_value()
        && reference.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:")
            == std::string::npos;
    if (!valid)
        return unavailable(address, "\"" + reference + "\" is not a " + (digest ? "digest, such as sha256:…" : "tag"))
            .why();
    constexpr std::string_view scheme = "oci://";
    std::string why;
    auto at = packages::oci_repository::parse(*client_, std::string_view(url).substr(scheme.size()), why);
    if (!at) return unavailable(address, why).why();
    auto const manifest = at->manifest(reference);
    if (!manifest) return manifest.error().why();
    if (!*manifest) return unavailable(address, "the registry does not have " + reference).why();
    if ((*manifest)->text_of("artifactType") != "application/vnd.opentofu.modulepkg")
        return unavailable(address,
            reference + " is not a package of modules: its artifactType is not application/vnd.opentofu.modulepkg")
            .why();
    auto const file = scratch / "archive";
    if (auto problems = at->download_archive(**manifest, file); !problems.empty()) return problems;
    fs::create_directory(scratch / "package");
    return packages::extract_archive(file, scratch / "package");
}

auto package_fetcher::follow(std::string const& url) -> expected<module_source>
{
    auto const requested = url + (url.find('?') == std::string::npos ? "?" : "&") + "terraform-get=1";
    auto const response = client_->get(requested, {});
    if (!response) return response.error();
    if (response->status != 200 && response->status != 204)
        return unavailable(url, "the status is " + std::to_string(response->status));
    auto const header = response->headers.find("X-Terraform-Get");
    auto const address = header != response->headers.end() ? header->second : address_in_page(response->body);
    if (address.empty()) return unavailable(url, "it is not an archive, and does not refer to a package");
    return read_address(address, url);
}

auto package_fetcher::registry_url(module_source const& from) -> expected<std::string>
{
    auto const slash = from.package.find('/');
    auto const host = from.package.substr(0, slash);
    auto const base = client_->service(host, "modules.v1");
    if (!base) return base.error();
    if (base->empty())
        return unavailable(from.package, "the host " + client_->requested_host(host) + " offers no module registry");
    return *base + from.package.substr(slash + 1);
}

auto package_fetcher::select(module_source const& from, version_constraints const& accepted) -> expected<version>
{
    auto const base = registry_url(from);
    if (!base) return base.error();
    auto const host = client_->requested_host(from.package.substr(0, from.package.find('/')));
    auto const document = client_->document(*base + "/versions", host);
    if (!document) return document.error();
    if (!*document) return unavailable(from.package, "the registry does not have the module");
    std::optional<version> newest;
    std::string listed;
    if (auto const* const modules = (*document)->content.find("modules");
        modules != nullptr && modules->elements() != nullptr)
        for (json const& module : *modules->elements()) {
            auto const* const versions = module.find("versions");
            if (versions == nullptr || versions->elements() == nullptr) continue;
            for (json const& one : *versions->elements()) {
                auto const* const text = one.find("version");
                auto const parsed =
                    text == nullptr || text->text() == nullptr ? std::nullopt : version::parse(*text->text(), true);
                if (!parsed) continue;
                listed += (listed.empty() ? "" : ", ") + parsed->text();
                if (accepted.allow_module(*parsed) && (!newest || *newest < *parsed)) newest = parsed;
            }
            break;  // the first one is the module itself
        }
    if (newest) return *newest;
    return unavailable(
        from.package, "no version meets the constraints; available: " + (listed.empty() ? "none" : listed));
}

auto package_fetcher::locate(module_source const& from, version const& selected) -> expected<module_source>
{
    auto const base = registry_url(from);
    if (!base) return base.error();
    auto const host = client_->requested_host(from.package.substr(0, from.package.find('/')));
    auto const url = *base + "/" + selected.text() + "/download";
    auto const response = client_->get(url, host);
    if (!response) return response.error();
    if (response->status != 200 && response->status != 204)
        return unavailable(url, "the status is " + std::to_string(response->status));
    std::string address;
    if (auto const header = response->headers.find("X-Terraform-Get"); header != response->headers.end())
        address = header->second;
    if (response->status == 200 && address.empty()) {
        auto const document = parse_json(response->body);
        auto const* const location = document ? document->find("location") : nullptr;
        if (location != nullptr && location->text() != nullptr) address = *location->text();
    }
    if (address.empty()) return unavailable(url, "the response does not contain the address of the module");
    return read_address(address, url);
}

}  // namespace iacctl::packages
