// SPDX-License-Identifier: BSL-1.0
// Mirrors of packages: directories, servers of the network mirror protocol, and repositories of OCI registries.
#include "base/http/url.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "oci_repository.hpp"
#include "sources.hpp"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

auto no_package(provider_id const& p, version const& selected, platform const& target) -> infra::failure
{
    return infra::failure(
        messages::make_error(messages::platform_not_found, {p.shown(), selected.text(), target.text()}));
}

// Layouts: VERSION/OS_ARCH/ with the files, and terraform-provider-TYPE_VERSION_OS_ARCH.zip.
class filesystem_mirror final : public package_source {
public:
    explicit filesystem_mirror(fs::path directory) : directory_(std::move(directory)) {}

    auto versions(provider_id const& p) -> expected<std::optional<std::vector<version>>> override
    {
        std::vector<version> all;
        std::error_code error;
        fs::directory_iterator entries(directory_ / p.directory(), error);
        for (fs::directory_iterator const end; !error && entries != end; entries.increment(error)) {
            auto const name = entries->path().filename().string();
            std::error_code ignored;
            if (entries->is_directory(ignored)) {
                auto const parsed = version::parse(name);
                if (parsed && has_platform(entries->path())) all.push_back(*parsed);
            } else if (auto const parsed = packed_version(p, name)) all.push_back(*parsed);
        }
        if (all.empty()) return std::optional<std::vector<version>>();
        return std::optional(std::move(all));
    }

    auto fetch(provider_id const& p, version const& selected, platform const& target, fs::path const&)
        -> expected<fetched_package> override
    {
        auto const place = directory_ / p.directory();
        fetched_package made;
        made.content.path = place / selected.text() / target.text();
        std::error_code ignored;
        if (fs::is_directory(made.content.path, ignored)) return made;
        made.content.archive = true;
        made.content.path =
            place / ("terraform-provider-" + p.type + "_" + selected.text() + "_" + target.text() + ".zip");
        if (fs::exists(made.content.path, ignored)) return made;
        return no_package(p, selected, target);
    }

private:
    static auto has_platform(fs::path const& of_version) -> bool
    {
        std::error_code error;
        for (auto const& entry : fs::directory_iterator(of_version, error))
            if (std::error_code ignored;
                entry.is_directory(ignored) && platform::parse(entry.path().filename().string()))
                return true;
        return false;
    }
    // The version in "terraform-provider-aws_4.2.0_linux_amd64.zip".
    static auto packed_version(provider_id const& p, std::string_view name) -> std::optional<version>
    {
        auto const prefix = "terraform-provider-" + p.type + "_";
        constexpr std::string_view suffix = ".zip";
        if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
            return std::nullopt;
        name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
        auto const bar = name.find('_');
        if (bar == std::string_view::npos || !platform::parse(name.substr(bar + 1))) return std::nullopt;
        return version::parse(name.substr(0, bar));
    }

    fs::path directory_;
};

class network_mirror final : public package_source {
public:
    network_mirror(service_client& client, std::string url) : client_(&client), url_(std::move(url))
    {
        if (!url_.ends_with('/')) url_ += '/';
        if (auto const parsed = http::url::parse(url_)) host_ = parsed->authority();
    }

    auto versions(provider_id const& p) -> expected<std::optional<std::vector<version>>> override
    {
        if (auto const known = known_.find(p); known != known_.end()) return known->second;
        auto const index = client_->document(url_of(p, "index.json"), host_);
        if (!index) return index.error();
        std::optional<std::vector<version>> all;
        if (*index) {
            all.emplace();
            auto const* const listed = (*index)->content.find("versions");
            if (listed == nullptr || listed->members() == nullptr)
                return broken((*index)->url, "it has no object \"versions\"");
            for (json::member const& one : *listed->members())
                if (auto parsed = version::parse(one.name)) all->push_back(std::move(*parsed));
        }
        return known_.insert_or_assign(p, std::move(all)).first->second;
    }

    auto fetch(provider_id const& p, version const& selected, platform const& target, fs::path const& scratch)
        -> expected<fetched_package> override
    {
        auto const document = client_->document(url_of(p, selected.text() + ".json"), host_);
        if (!document) return document.error();
        auto const* const archives = *document ? (*document)->content.find("archives") : nullptr;
        auto const* const archive = archives == nullptr ? nullptr : archives->find(target.text());
        if (archive == nullptr) return no_package(p, selected, target);
        auto const* const reference = archive->find("url");
        auto const url = reference == nullptr || reference->text() == nullptr
            ? std::nullopt
            : resolved((*document)->url, *reference->text());
        if (!url) return broken((*document)->url, "an archive has no URL");
        fetched_package made;
        made.url = *url;
        made.content = {scratch / "package.zip", true};
        if (auto problems = client_->download(*url, host_, made.content.path); !problems.empty())
            return infra::failure(std::move(problems));
        std::set<std::string> checksums;
        if (auto const* const hashes = archive->find("hashes"); hashes != nullptr && hashes->elements() != nullptr)
            for (json const& one : *hashes->elements())
                if (one.text() != nullptr) checksums.insert(*one.text());
        // Checksums are optional. Those of unknown schemes are ignored.
        std::erase_if(
            checksums, [](std::string const& text) { return !text.starts_with("h1:") && !text.starts_with("zh:"); });
        if (checksums.empty()) return made;
        auto const matches = matches_any(made.content, checksums);
        if (!matches) return matches.error();
        if (!*matches)
            return infra::failure(messages::make_error(
                messages::wrong_checksum, {p.shown(), selected.text(), "that the mirror " + url_ + " lists"}));
        made.by = authentication::checksum;
        return made;
    }

private:
    [[nodiscard]] auto url_of(provider_id const& p, std::string const& name) const -> std::string
    {
        return url_ + p.address() + "/" + name;
    }
    static auto broken(std::string const& url, std::string const& why) -> infra::failure
    {
        return infra::failure(messages::make_error(messages::request_failed, {url, why}));
    }

    service_client* client_;
    std::string url_;
    std::string host_;
    std::map<provider_id, std::optional<std::vector<version>>> known_;
};

// A version is a tag with the manifest of an index: one manifest, with one archive, for each platform.
class oci_mirror final : public package_source {
public:
    oci_mirror(service_client& client, std::string pattern) : client_(&client), pattern_(std::move(pattern)) {}

    auto versions(provider_id const& p) -> expected<std::optional<std::vector<version>>> override
    {
        auto const at = repository_of(p);
        if (!at) return at.error();
        auto const tags = (*at)->tags();
        if (!tags) return tags.error();
        std::optional<std::vector<version>> all;
        if (*tags) all.emplace();
        if (all)
            for (std::string tag : **tags) {
                // A tag cannot contain a plus sign.
                std::ranges::replace(tag, '_', '+');
                if (auto parsed = version::parse(tag)) all->push_back(std::move(*parsed));
            }
        return all;
    }

    auto fetch(provider_id const& p, version const& selected, platform const& target, fs::path const& scratch)
        -> expected<fetched_package> override
    {
        auto const found = repository_of(p);
        if (!found) return found.error();
        oci_repository& at = **found;
        auto tag = selected.text();
        std::ranges::replace(tag, '+', '_');
        auto const index = at.manifest(tag);
        if (!index) return index.error();
        if (!*index) return no_package(p, selected, target);
        if (!has_type(**index, "application/vnd.opentofu.provider"))
            return at.failed("the tag " + tag + " is not the index of a provider: its artifactType differs");
        auto const chosen = digest_for(**index, target);
        if (chosen.empty()) return no_package(p, selected, target);
        auto const manifest = at.manifest(chosen);
        if (!manifest) return manifest.error();
        if (!*manifest) return at.failed("it does not have the manifest " + chosen);
        if (!has_type(**manifest, package_type))
            return at.failed("the manifest " + chosen + " is not the manifest of a package: its artifactType differs");
        fetched_package made;
        made.url = at.text() + "@" + chosen;
        made.content = {scratch / "package.zip", true};
        made.by = authentication::checksum;
        if (auto problems = at.download_archive(**manifest, made.content.path); !problems.empty())
            return infra::failure(std::move(problems));
        return made;
    }

private:
    static constexpr std::string_view package_type = "application/vnd.opentofu.provider-target";

    static auto has_type(json const& j, std::string_view desired) -> bool
    {
        return j.text_of("artifactType") == desired;
    }

    // Manifests with further platform properties are variants, which are not for this program.
    static auto digest_for(json const& index, platform const& target) -> std::string
    {
        auto const* const all = index.find("manifests");
        if (all == nullptr || all->elements() == nullptr) return {};
        for (json const& one : *all->elements()) {
            auto const* const of = one.find("platform");
            if (!has_type(one, package_type) || of == nullptr || of->members() == nullptr || of->members()->size() != 2)
                continue;
            auto digest = one.text_of("digest");
            if (of->text_of("os") + "_" + of->text_of("architecture") == target.text()
                && digest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:") == std::string::npos)
                return digest;
        }
        return {};
    }

    // The repositories of one command, with cached responses of the registries.
    auto repository_of(provider_id const& p) -> expected<oci_repository*>
    {
        if (auto const known = known_.find(p); known != known_.end()) return &known->second;
        std::string address = pattern_;
        for (auto const& [name, part] : installation_method::template_parts) {
            std::string const reference = "${" + std::string(name) + "}";
            for (auto at = address.find(reference); at != std::string::npos; at = address.find(reference))
                address.replace(at, reference.size(), p.*part);
        }
        std::string why;
        auto made = oci_repository::parse(*client_, address, why);
        if (!made) return infra::failure(messages::make_error(messages::request_failed, {"oci://" + address, why}));
        return &known_.emplace(p, std::move(*made)).first->second;
    }

    service_client* client_;
    std::string pattern_;
    std::map<provider_id, oci_repository> known_;
};

}  // namespace

auto make_oci_mirror(service_client& client, std::string pattern) -> std::unique_ptr<package_source>
{
    return std::make_unique<oci_mirror>(client, std::move(pattern));
}

auto make_filesystem_mirror(fs::path directory) -> std::unique_ptr<package_source>
{
    return std::make_unique<filesystem_mirror>(std::move(directory));
}

auto make_network_mirror(service_client& client, std::string url) -> std::unique_ptr<package_source>
{
    return std::make_unique<network_mirror>(client, std::move(url));
}

}  // namespace iacctl::packages
