// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_PROVISIONERS_HPP
#define STRIDER_INFRA_PROGRAM_PROVISIONERS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/task.hpp>

#include <concepts>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace strider::infra {

/// Optional: resources have provisioners: steps beside the provider, run when an object is created or destroyed.
///
/// - `provisioners(d)`: range of `provisioner`, in the order in which they run.
/// - `evaluate_provisioner(d, step, a, self, scope)`: configuration of a step for the object `self` of instance `a`.
/// - `locate(d, step, problems)`: adds the place of the step to the diagnostics that have none.
template <class P>
concept has_provisioners = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        evaluation_scope<typename P::value_type> const& scope, provisioner const& step, diagnostics& problems) {
           { p.provisioners(d) } -> std::ranges::input_range;
           { p.evaluate_provisioner(d, step, a, v, scope) } -> std::same_as<result<typename P::value_type, failure>>;
           p.locate(d, step, problems);
       };

/// Request to run a provisioner. `print` receives its output, line by line.
template <class V>
class provision_request {
public:
    /// Sets all members.
    provision_request(address about, std::string kind, V with, std::function<void(std::string_view)> output)
        : target(std::move(about)),
          type(std::move(kind)),
          config(std::move(with)),
          print(std::move(output))
    {}
    address target;  ///< the instance
    std::string type;  ///< type of the provisioner
    V config;  ///< evaluated configuration, without unknown parts
    /// may be called several times until the task ends
    std::function<void(std::string_view)> print;
};

/// A provider that runs provisioners. Required if the program has any.
template <class X, class P>
concept runs_provisioners = program<P> && requires(X& x, provision_request<typename P::value_type> step) {
    { x.provision(std::move(step)) } -> std::same_as<task<diagnostics>>;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_PROVISIONERS_HPP
