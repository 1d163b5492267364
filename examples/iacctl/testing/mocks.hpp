// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_MOCKS_HPP
#define IACCTL_TESTING_MOCKS_HPP

#include "language/values/value.hpp"
#include "providers/provider.hpp"

#include <strider/infra/model/address.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::testing {

namespace infra = strider::infra;

/// Values that a test sets for computed attributes.
struct mock_values {
    language::value values = language::value::object({});  ///< an object
    bool in_plan = false;  ///< plans have the values, too
    std::string place;  ///< "main.tftest.hcl:3,1-20"
};

/// A mocked provider.
struct mocked_provider {
    std::map<std::pair<infra::resource_mode, std::string>, mock_values> types;
    std::map<infra::address, mock_values> objects;  ///< resources, or instances
};

/// Values that replace answers of providers in a run of a test.
struct mocks {
    std::map<std::string, mocked_provider, std::less<>> providers;  ///< by name of the configuration
    std::map<infra::address, mock_values> objects;  ///< resources, or instances

    [[nodiscard]] auto empty() const noexcept -> bool { return providers.empty() && objects.empty(); }
    /// The values for an instance, in place of a request to its provider; null: the provider is used.
    [[nodiscard]] auto find(std::string_view configuration, infra::address const& instance) const -> mock_values const*;
};

/// Makes instances of providers that answer requests for mocked objects themselves, and pass all other requests on.
///
/// A created object has its configured values; other values are set by the test, or generated: eight random letters and
/// digits, 0, false, or an empty collection. They are unknown in a plan unless they are set for it. Later changes keep
/// them.
/// \source Terraform, "Mocks"
[[nodiscard]] auto make_mocks(std::shared_ptr<mocks const> m) -> providers::instance_maker;

/// A value of a type, with the parts in `given`. If these do not fit the type, returns nothing and the reason.
[[nodiscard]] auto filled(language::value const& given, language::type const& desired, std::string& why)
    -> std::optional<language::value>;
/// A generated value: random for strings, otherwise the smallest one; null if the type may be any.
[[nodiscard]] auto generated(language::type const& desired) -> language::value;

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_MOCKS_HPP
