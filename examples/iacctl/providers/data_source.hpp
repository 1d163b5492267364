// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_DATA_SOURCE_HPP
#define IACCTL_PROVIDERS_DATA_SOURCE_HPP

#include "base/expected.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"
#include "state/encryption/target.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/task.hpp>

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// Inputs of a read other than the configuration.
struct data_context {
    std::set<std::string> const*
        withheld;  ///< variables of the environment that no program gets; outlives the coroutine
    std::shared_ptr<encryption::target const> encryption;  ///< methods that decrypt states; null: none
};

/// A type of data sources of a built-in provider.
class data_source {
public:
    virtual ~data_source() = default;

    [[nodiscard]] virtual auto name() const noexcept -> std::string_view = 0;
    /// In the format of state files: `provider["…"]`.
    [[nodiscard]] virtual auto provider() const noexcept -> std::string_view = 0;
    [[nodiscard]] virtual auto schema() const noexcept -> language::schema const& = 0;

    /// Reads the data. The configuration is wholly known and has every attribute of the schema; so has the result. A
    /// diagnostic about an attribute names it.
    [[nodiscard]] virtual auto read(language::value config, data_context in) const
        -> strider::infra::task<expected<language::value>> = 0;

    /// Warnings about the data.
    [[nodiscard]] virtual auto warnings_about(language::value const&) const -> strider::infra::diagnostics
    {
        return {};
    }

protected:
    data_source() = default;
    data_source(data_source const&) = default;
    auto operator=(data_source const&) -> data_source& = default;
};

/// The data that are known before they are read: attributes that are computed and not configured are unknown.
[[nodiscard]] auto to_be_read(data_source const& source, language::value const& config) -> language::value;

[[nodiscard]] auto external_data() -> data_source const&;
[[nodiscard]] auto http_data() -> data_source const&;
[[nodiscard]] auto local_file_data() -> data_source const&;
[[nodiscard]] auto null_data_source() -> data_source const&;
[[nodiscard]] auto terraform_remote_state() -> data_source const&;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_DATA_SOURCE_HPP
