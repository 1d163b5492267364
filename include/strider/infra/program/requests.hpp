// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_REQUESTS_HPP
#define STRIDER_INFRA_PROGRAM_REQUESTS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

// Requests and answers are classes with constructors: g++ 12 destroys aggregates that are arguments of coroutines twice.

/// Request for the present value of an object.
template <class V>
class read_request {
public:
    /// Sets all members.
    read_request(address about, std::string maker, V before, document kept = {})
        : target(std::move(about)),
          provider(std::move(maker)),
          prior(std::move(before)),
          private_data(std::move(kept))
    {}
    address target;  ///< the instance
    std::string provider;  ///< name of the provider
    V prior;  ///< the value in state
    document private_data;  ///< returned by the provider with the prior value
};

/// Answer to a request that finds an object or data.
template <class V>
class read_result {
public:
    read_result() = default;
    /// Sets all members.
    explicit read_result(std::optional<V> existing, document kept = {}, diagnostics found = {})
        : object(std::move(existing)),
          private_data(std::move(kept)),
          warnings(std::move(found))
    {}
    std::optional<V> object;  ///< empty: the object does not exist any more
    document private_data;  ///< opaque to the engine, which stores it with the object
    diagnostics warnings;  ///< reported to the user; do not fail the request
    std::optional<deferral_reason> deferred;  ///< the provider cannot answer yet: no other member counts
};

/// Request for the value that an object would have after an apply.
template <class V>
class plan_request {
public:
    /// Sets all members.
    plan_request(address about, std::string maker, std::optional<V> before, V desired, document kept = {})
        : target(std::move(about)),
          provider(std::move(maker)),
          prior(std::move(before)),
          config(std::move(desired)),
          private_data(std::move(kept))
    {}
    address target;  ///< the instance
    std::string provider;  ///< name of the provider
    std::optional<V> prior;  ///< empty: create
    V config;  ///< desired configuration; parts may be unknown
    std::optional<V> declared;  ///< the declared configuration, if the prior object provides parts of `config`
    document private_data;  ///< of the prior object; empty: create
    document planned_data;  ///< returned by the provider with an earlier plan of this change; empty: there is none
};

/// Planned value, of which parts may be unknown, and the values whose changes require a replacement of the object.
template <class V>
class planned {
public:
    planned() = default;
    /// Sets the value and the paths; the other members keep their defaults.
    explicit planned(V result, std::vector<attribute_path> because_of = {})
        : after(std::move(result)),
          replace_paths(std::move(because_of))
    {}
    V after{};  ///< the planned value
    std::vector<attribute_path> replace_paths;  ///< empty: an update in place is enough
    document private_data;  ///< for the apply of this plan, and for the plan before it
    diagnostics warnings;  ///< reported to the user; do not fail the plan
    bool legacy_type_system = false;  ///< the value may differ from the configuration: it is not checked
    std::optional<deferral_reason> deferred;  ///< the provider cannot plan yet: a later plan decides
};

/// Request for data of objects that this state does not manage.
template <class V>
class data_request {
public:
    /// Sets all members.
    data_request(address about, std::string reader, V with)
        : target(std::move(about)),
          provider(std::move(reader)),
          config(std::move(with))
    {}
    address target;  ///< the data
    std::string provider;  ///< name of the provider
    V config;  ///< wholly known
};

/// Request for an existing object that state does not know.
class import_request {
public:
    /// Sets all members.
    import_request(address about, std::string finder, std::string name, document attributes = {})
        : target(std::move(about)),
          provider(std::move(finder)),
          id(std::move(name)),
          identity(std::move(attributes))
    {}
    address target;  ///< the instance that the object will belong to
    std::string provider;  ///< name of the provider
    std::string id;  ///< of the object, in a format of its provider
    document identity;  ///< in place of the id, in a format of the program; empty: the id counts
};

/// Request for a change. `operation` identifies it; a request that is repeated after a crash has the same identifier.
template <class V>
class apply_request {
public:
    /// Sets all members.
    apply_request(
        pending_operation todo, std::optional<V> before, std::optional<V> after, V desired = {}, document kept = {})
        : operation(std::move(todo)),
          prior(std::move(before)),
          planned(std::move(after)),
          config(std::move(desired)),
          private_data(std::move(kept))
    {}
    pending_operation operation;  ///< kind, instance, provider and idempotency key
    std::optional<V> prior;  ///< empty: create
    std::optional<V> planned;  ///< empty: destroy
    V config;  ///< desired configuration; `V()` for a destroy
    document private_data;  ///< of the plan; for a destroy, of the prior object
};

/// Result of a change. It may have an object and errors at once. `interrupted`: the result is not known.
template <class V>
class applied {
public:
    applied() = default;
    /// Sets the object and the diagnostics; the other members keep their defaults.
    explicit applied(std::optional<V> made, diagnostics found = {})
        : object(std::move(made)),
          problems(std::move(found))
    {}
    /// The result of a call whose effect is not known: `interrupted`, without an object.
    [[nodiscard]] static auto unknown() -> applied
    {
        applied a;
        a.interrupted = true;
        return a;
    }
    /// True if at least one diagnostic is an error.
    [[nodiscard]] auto failed() const noexcept -> bool { return problems.has_errors(); }
    std::optional<V> object;  ///< the object that exists after the call; empty: none
    document private_data;  ///< stored with the object
    diagnostics problems;  ///< errors and warnings, in order
    bool interrupted = false;  ///< the effect is not known: the operation stays pending and is looked up later
    bool legacy_type_system = false;  ///< the object may differ from the plan: it is not checked
};

/// State of an operation whose end was not recorded. `not_done` is final: an operation that may still be done later, because
/// its process or a request of it is still under way, is `unknown`.
enum class lookup_answer : std::uint8_t { not_done, done, unknown };

/// Answer to a request for the result of such an operation.
template <class V>
class looked_up {
public:
    looked_up() = default;
    /// Sets the answer and the object; the private data are empty.
    explicit looked_up(lookup_answer found, std::optional<V> existing = {}) : answer(found), object(std::move(existing))
    {}
    lookup_answer answer = lookup_answer::unknown;  ///< unknown unless the provider is sure
    std::optional<V> object;  ///< the object, if the answer is `done` and the operation no destroy
    document private_data;  ///< stored with the object
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_REQUESTS_HPP
