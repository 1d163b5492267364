// SPDX-License-Identifier: BSL-1.0
// The provider registry protocol. \source Terraform, provider registry protocol
#include "base/characters.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "signatures.hpp"
#include "sources.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

// The checksums in a document with lines "DIGEST  NAME".
auto checksums_in(std::string_view document) -> std::map<std::string, std::string, std::less<>>
{
    std::map<std::string, std::string, std::less<>> made;
    while (!document.empty()) {
        auto const end = std::min(document.find('\n'), document.size());
        auto line = document.substr(0, end);
        document.remove_prefix(std::min(end + 1, document.size()));
        while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
        constexpr std::size_t digits = 64;
        if (line.size() < digits + 3
            || !std::ranges::all_of(line.substr(0, digits), [](char c) { return hex_digit(c) >= 0; }))
            continue;
        auto name = line.substr(digits);
        while (name.starts_with(' ') || name.starts_with('*')) name.remove_prefix(1);
        made.insert_or_assign(std::string(name), ascii_lower_case(line.substr(0, digits)));
    }
    return made;
}

class registry final : public package_source {
public:
    explicit registry(service_client& client) : client_(&client) {}

    auto versions(provider_id const& p) -> expected<std::optional<std::vector<version>>> override
    {
        if (auto const known = known_.find(p); known != known_.end()) return known->second;
        auto const document = document_of(p, "versions");
        if (!document) return document.error();
        std::optional<std::vector<version>> all;
        if (*document) {
            all.emplace();
            auto const* const listed = (*document)->content.find("versions");
            if (listed == nullptr || listed->elements() == nullptr)
                return broken((*document)->url, "it has no list \"versions\"");
            for (json const& one : *listed->elements())
                if (auto parsed = version::parse(one.text_of("version"), true)) all->push_back(std::move(*parsed));
        }
        return known_.insert_or_assign(p, std::move(all)).first->second;
    }

    auto fetch(provider_id const& p, version const& selected, platform const& target, fs::path const& scratch)
        -> expected<fetched_package> override
    {
        auto const found = document_of(p, selected.text() + "/download/" + target.system + "/" + target.architecture);
        if (!found) return found.error();
        if (!*found)
            return infra::failure(
                messages::make_error(messages::platform_not_found, {p.shown(), selected.text(), target.text()}));
        service_document const& document = **found;
        std::string const file = document.content.text_of("filename");
        std::string const checksum = ascii_lower_case(document.content.text_of("shasum"));
        if (document.content.text_of("os") != target.system || document.content.text_of("arch") != target.architecture)
            return broken(document.url, "it describes another platform");

        // The list of checksums is read first, so that a package that is not in it is not downloaded.
        auto const list = file_of(document, "shasums_url");
        if (!list) return list.error();
        auto const checksums = checksums_in(*list);
        auto const own = checksums.find(file);
        if (own == checksums.end() || own->second != checksum)
            return infra::failure(messages::make_error(
                messages::wrong_checksum, {p.shown(), selected.text(), "of the registry's document SHA256SUMS"}));
        fetched_package made;
        std::vector<std::string> keys;
        if (auto const* const all = document.content.find("signing_keys"); all != nullptr)
            if (auto const* const gpg = all->find("gpg_public_keys"); gpg != nullptr && gpg->elements() != nullptr)
                for (json const& key : *gpg->elements()) keys.push_back(key.text_of("ascii_armor"));
        auto const signature = file_of(document, "shasums_signature_url");
        if (!signature) return signature.error();
        auto signer = check_signature(*list, *signature, keys, scratch);
        if (!signer) return signer.error();
        made.by = authentication::signature;
        made.signer = std::move(*signer);
        for (auto const& [_, sum] : checksums) made.signed_checksums.insert("zh:" + sum);

        auto const url = resolved(document.url, document.content.text_of("download_url"));
        if (!url) return broken(document.url, "it has no URL of the package");
        made.url = *url;
        made.content = {scratch / "package.zip", true};
        auto const host = client_->requested_host(p.host);
        if (auto problems = client_->download(*url, host, made.content.path); !problems.empty())
            return infra::failure(std::move(problems));
        auto const matches = matches_any(made.content, {"zh:" + checksum});
        if (!matches) return matches.error();
        if (!*matches)
            return infra::failure(messages::make_error(
                messages::wrong_checksum, {p.shown(), selected.text(), "of the registry's document SHA256SUMS"}));
        return made;
    }

private:
    auto document_of(provider_id const& p, std::string const& subject) -> expected<std::optional<service_document>>
    {
        auto const base = client_->service(p.host, "providers.v1");
        if (!base) return base.error();
        if (base->empty())
            return infra::failure(
                messages::make_error(messages::no_provider_registry, {client_->requested_host(p.host)}));
        return client_->document(*base + p.name_space + "/" + p.type + "/" + subject, client_->requested_host(p.host));
    }

    auto file_of(service_document const& document, std::string_view name) -> expected<std::string>
    {
        auto const url = resolved(document.url, document.content.text_of(name));
        if (!url || document.content.text_of(name).empty())
            return broken(document.url, "it has no \"" + std::string(name) + "\"");
        return client_->text(*url);
    }

    static auto broken(std::string const& url, std::string const& why) -> infra::failure
    {
        return infra::failure(messages::make_error(messages::request_failed, {url, why}));
    }

    service_client* client_;
    std::map<provider_id, std::optional<std::vector<version>>> known_;
};

}  // namespace

auto make_registry(service_client& client) -> std::unique_ptr<package_source>
{
    return std::make_unique<registry>(client);
}

}  // namespace iacctl::packages
