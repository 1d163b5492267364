// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_DATA_SOURCE_HPP
#define IACCTL_PROVIDERS_DATA_SOURCE_HPP

#include "encryption/target.hpp"
#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/program/task.hpp>

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// Things beside its configuration on which reading depends.
struct data_surroundings {
    std::set<std::string> const*
        withheld;  ///< variables of the environment that no program gets; outlives the coroutine
    std::shared_ptr<encryption::target const> encryption;  ///< methods that decrypt states; null: none
};

/// One type of data that can be read and belong to somebody else.
class data_source {
public:
    virtual ~data_source() = default;

    [[nodiscard]] virtual auto name() const noexcept -> std::string_view = 0;
    /// As state files write it: `provider["…"]`.
    [[nodiscard]] virtual auto provider() const noexcept -> std::string_view = 0;
    [[nodiscard]] virtual auto schema() const noexcept -> language::schema const& = 0;

    /// Reads. The configuration is known as a whole and has every attribute of the schema; so has what comes back. A
    /// diagnostic that is about an attribute names it.
    [[nodiscard]] virtual auto read(language::value config, data_surroundings in) const
        -> strider::infra::task<strider::infra::expected<language::value>> = 0;

    /// Warnings about data that were read.
    [[nodiscard]] virtual auto warnings_about(language::value const&) const -> strider::infra::diagnostics
    {
        return {};
    }

protected:
    data_source() = default;
    data_source(data_source const&) = default;
    auto operator=(data_source const&) -> data_source& = default;
};

/// What is known of data before they are read: what is computed, and not given, is not.
[[nodiscard]] auto to_be_read(data_source const& source, language::value const& config) -> language::value;

[[nodiscard]] auto external_data() -> data_source const&;
[[nodiscard]] auto http_data() -> data_source const&;
[[nodiscard]] auto local_file_data() -> data_source const&;
[[nodiscard]] auto null_data_source() -> data_source const&;
[[nodiscard]] auto terraform_remote_state() -> data_source const&;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_DATA_SOURCE_HPP
