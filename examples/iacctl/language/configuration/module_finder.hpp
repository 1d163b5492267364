// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_MODULE_FINDER_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_MODULE_FINDER_HPP

#include "language/syntax/diagnostic.hpp"
#include "module_source.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// A module that has been installed.
struct installed_module {
    std::string source;   ///< as in `module_source::text`
    std::string version;  ///< of a registry; empty: it has none
    std::filesystem::path directory;  ///< relative to the root module
};

/// The list of installed modules, in the format of Terraform's `modules.json`.
class module_manifest {
public:
    std::map<std::string, installed_module>
        modules;  ///< by the names of calls with dots between them; "" is the root module

    /// Nothing if the text is not such a list.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<module_manifest>;
    /// The text, as Terraform writes it.
    [[nodiscard]] auto text() const -> std::string;

    /// The place of the list below a data directory.
    static constexpr std::string_view place = "modules/modules.json";
};

/// The names of calls with dots between them.
[[nodiscard]] auto module_key(std::vector<std::string> const& path) -> std::string;

struct module_call;

/// Finds modules that are not at local paths.
class module_finder {
public:
    module_finder() = default;
    module_finder(module_finder const&) = delete;
    auto operator=(module_finder const&) -> module_finder& = delete;
    virtual ~module_finder() = default;

    /// The module of a call; nothing after a diagnostic. \param path  the names of calls, from the root module
    [[nodiscard]] virtual auto find(std::vector<std::string> const& path, module_call const& call,
        module_source const& source, diagnostics& found) -> std::optional<installed_module> = 0;
};

/// Finds a module in a list if its source is the one of the call and its version satisfies the constraints of the call.
class manifest_finder final : public module_finder {
public:
    explicit manifest_finder(module_manifest const& from) : from_(&from) {}

    [[nodiscard]] auto find(std::vector<std::string> const& path, module_call const& call, module_source const& source,
        diagnostics& found) -> std::optional<installed_module> override;

private:
    module_manifest const* from_;
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_MODULE_FINDER_HPP
