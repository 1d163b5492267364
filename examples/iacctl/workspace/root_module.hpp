// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_ROOT_MODULE_HPP
#define IACCTL_WORKSPACE_ROOT_MODULE_HPP

#include "base/expected.hpp"
#include "language/configuration/configuration.hpp"
#include "settings.hpp"
#include "state/encryption/target.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::workspace {

/// The values of variables in the settings, for the parts that are evaluated before a plan. Mistakes in them are
/// reported when all variables are read.
[[nodiscard]] auto load_options_of(settings const& s) -> language::load_options;

/// The root module of a configuration. Files are read at the first call that needs them, and only once: a command uses
/// one version of them, even if they change while it runs. Not thread-safe.
class root_module {
public:
    using variable_map = std::map<std::string, language::value, std::less<>>;

    explicit root_module(settings s) : settings_(std::move(s)) {}

    [[nodiscard]] auto options() const noexcept -> settings const& { return settings_; }

    /// The blocks that set the place and the encryption of state.
    [[nodiscard]] auto state_place(infra::diagnostics& found) const -> language::configuration const&;
    /// The whole configuration, with all modules.
    /// \post a later call reads the files again
    [[nodiscard]] auto take_configuration(infra::diagnostics& found) const -> language::configuration;
    /// The whole configuration, which the next `take_configuration` returns.
    [[nodiscard]] auto configuration() const -> language::configuration const&;
    /// The values of its variables, for the parts that are evaluated before a plan. They are collected at the first call
    /// after `take_configuration`. Mistakes in them are not reported here.
    [[nodiscard]] auto variables() const -> variable_map const& { return variables_of(configuration()); }
    /// The mistakes in the options of variables, for commands that make no plan. Missing values are none.
    [[nodiscard]] auto check_variables() const -> infra::diagnostics;
    /// The encryption of the block `encryption` and TF_ENCRYPTION. Without either of them, nothing is encrypted.
    ///
    /// If there are keys, this process writes no core dump from then on.
    /// \return on failure the errors of the block; only referenced parts of the rest of the configuration are read
    /// \source OpenTofu, "State and Plan Encryption"
    [[nodiscard]] auto encryption() const -> expected<std::shared_ptr<encryption::targets const>>;

private:
    struct loaded {
        language::configuration content;
        infra::diagnostics found;
    };

    struct collected {
        variable_map values;
        infra::diagnostics found;
    };

    // \param root  this module, maybe without its child modules
    auto variables_of(language::configuration const& root) const -> variable_map const&;
    // The mistakes in the values of variables, apart from missing values.
    [[nodiscard]] auto wrong_values() const -> infra::diagnostics;

    settings settings_;
    mutable std::optional<collected> variables_;
    mutable std::optional<loaded> state_place_;
    mutable std::optional<loaded> whole_;
    mutable std::optional<expected<std::shared_ptr<encryption::targets const>>> encryption_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_ROOT_MODULE_HPP
