// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_OPERATION_HPP
#define IACCTL_PROVIDERS_OPERATION_HPP

#include "base/child_process.hpp"
#include "language/values/value.hpp"
#include "provider.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// An operation of a built-in type, with all that it depends on: another machine can perform it.
class operation {
public:
    enum class kind_type : std::uint8_t { read, apply, look_up, import_object, read_data };

    operation() = default;  // g++ 12 destroys aggregates that are arguments of coroutines twice

    kind_type kind = kind_type::read;
    std::string type;  ///< of resources; of `read_data`, of data
    value settings;  ///< of the provider; null: none
    std::optional<value> prior;  ///< read: the object in state
    std::optional<value> planned;
    value config;  ///< read_data: the arguments
    strider::infra::pending_operation pending;  ///< apply, look_up
    std::string id;  ///< import_object
    std::set<std::string> withheld;  ///< variables of the environment that programs do not get

    /// True if a repetition does no harm.
    [[nodiscard]] auto is_repeatable() const noexcept -> bool { return kind != kind_type::apply; }
};

/// The answer to an operation. Which members count depends on its kind.
class operation_answer {
public:
    std::optional<value> object;
    strider::infra::diagnostics problems;
    bool interrupted = false;  ///< apply: see `applied`
    strider::infra::lookup_answer found = strider::infra::lookup_answer::unknown;  ///< look_up
};

/// Texts of operations and answers, for the same version of this program.
/// \return nothing if the text is not of this form
[[nodiscard]] auto encode(operation const& o) -> std::string;
[[nodiscard]] auto decode_operation(std::string_view text) -> std::optional<operation>;
[[nodiscard]] auto encode(operation_answer const& answer) -> std::string;
[[nodiscard]] auto decode_answer(std::string_view text) -> std::optional<operation_answer>;

/// The end of an operation on another machine. Without an obstacle, it has an answer.
class operation_outcome {
public:
    run_obstacle obstacle = run_obstacle::none;
    std::string obstacle_text;  ///< the reason of an obstacle
    operation_answer answer;
};

/// Performs operations of some built-in types on other machines. Thread-safe.
class operation_runner {
public:
    operation_runner() = default;
    operation_runner(operation_runner const&) = delete;
    auto operator=(operation_runner const&) -> operation_runner& = delete;
    virtual ~operation_runner() = default;

    /// True if the operations of a type are for this object.
    [[nodiscard]] virtual auto has(strider::infra::resource_mode mode, std::string_view type) const -> bool = 0;
    /// \pre it has the type
    [[nodiscard]] virtual auto perform(operation o) -> task<operation_outcome> = 0;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_OPERATION_HPP
