// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_LOCK_FILE_HPP
#define IACCTL_PACKAGES_LOCK_FILE_HPP

#include "base/expected.hpp"
#include "provider_id.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::packages {

namespace infra = strider::infra;

/// The selection of one provider.
class locked_provider {
public:
    version selected;
    std::string constraints;       ///< those of the configuration at the time of the selection; empty: any version
    std::set<std::string> hashes;  ///< of the packages of this version: "h1:…", "zh:…"

    friend auto operator==(locked_provider const& a, locked_provider const& b) -> bool
    {
        return a.selected.text() == b.selected.text() && a.constraints == b.constraints && a.hashes == b.hashes;
    }
};

/// Terraform's dependency lock file, `.terraform.lock.hcl`.
class lock_file {
public:
    static constexpr std::string_view name = ".terraform.lock.hcl";

    std::map<provider_id, locked_provider> providers;

    /// Reads a file. If it does not exist, the result is empty.
    [[nodiscard]] static auto read(std::filesystem::path const& file) -> expected<lock_file>;
    /// Reads the text of a file. \param shown  its name in diagnostics
    [[nodiscard]] static auto parse(std::string const& shown, std::string text) -> expected<lock_file>;

    /// The text, identical to that of Terraform byte for byte.
    [[nodiscard]] auto text() const -> std::string;
    /// Replaces the file atomically. An interrupted write leaves the previous file.
    [[nodiscard]] auto write(std::filesystem::path const& file) const -> infra::diagnostics;

    [[nodiscard]] auto find(provider_id const& p) const -> locked_provider const*
    {
        auto const at = providers.find(p);
        return at == providers.end() ? nullptr : &at->second;
    }

    friend auto operator==(lock_file const&, lock_file const&) -> bool = default;
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_LOCK_FILE_HPP
