// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_POLICY_PLANNED_CHANGE_HPP
#define IACCTL_POLICY_PLANNED_CHANGE_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::policy {

namespace infra = strider::infra;

/// A change, as the input of policies.
struct planned_change {
    infra::address address;
    std::optional<infra::address> previous;
    std::string deposed_key;  ///< empty: the current object
    std::string provider;
    infra::action what = infra::action::no_op;
    infra::action_reason reason = infra::action_reason::none;
    language::value before;  ///< null if there is no object; with the marks of the schema, like `after`
    language::value after;
    std::vector<infra::attribute_path> replace_paths;
    std::optional<std::string> import_id;
};

/// A plan, as the input of policies.
struct planned_run {
    std::string_view mode;  ///< "normal", "destroy", "refresh-only"
    std::string workspace;
    std::string created;  ///< RFC 3339
    bool complete = true;  ///< false with -target or -exclude
    std::vector<planned_change> changes;
};

/// The word of policies for an action: "replace" for both orders, and for a replacement that keeps the prior object.
[[nodiscard]] auto word_of(infra::action a) noexcept -> std::string_view;
/// Returns whether the word is that of an action.
[[nodiscard]] auto is_action_word(std::string_view word) noexcept -> bool;

/// The value of `change`.
[[nodiscard]] auto value_of(planned_change const& change) -> language::value;
/// The value of `plan`. \param changes  the values of its changes
[[nodiscard]] auto value_of(planned_run const& run, std::vector<language::value> changes) -> language::value;

}  // namespace iacctl::policy

#endif  // IACCTL_POLICY_PLANNED_CHANGE_HPP
