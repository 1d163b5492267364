// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_MODULES_GIT_HPP
#define IACCTL_PACKAGES_MODULES_GIT_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <string>

namespace iacctl::packages {

namespace infra = strider::infra;

/// A revision of a git repository.
class git_revision {
public:
    std::string url;   ///< with the scheme https, http, ssh, git or file
    std::string ref;   ///< a branch, a tag or a commit; empty: the default branch
    std::string depth;  ///< the number of commits to fetch; empty: all

    /// Parts of an address: "https://example.com/network.git?ref=v1&depth=1".
    [[nodiscard]] static auto parse(std::string const& address) -> expected<git_revision>;
};

/// Checks out a revision with its submodules into a directory that does not exist, with the program git.
///
/// Only the schemes above are allowed. No part of an address can become an option, and git never prompts for passwords.
[[nodiscard]] auto fetch_git(git_revision const& revision, std::filesystem::path const& to) -> infra::diagnostics;

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_MODULES_GIT_HPP
