// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_REQUESTS_HPP
#define STRIDER_INFRA_PROGRAM_REQUESTS_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
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
    read_request(address about, std::string maker, V before)
        : target(std::move(about)),
          provider(std::move(maker)),
          prior(std::move(before))
    {}
    address target;
    std::string provider;
    V prior;
};

/// Request for the value that an object would have after an apply.
template <class V>
class plan_request {
public:
    plan_request(address about, std::string maker, std::optional<V> before, V desired)
        : target(std::move(about)),
          provider(std::move(maker)),
          prior(std::move(before)),
          config(std::move(desired))
    {}
    address target;
    std::string provider;
    std::optional<V> prior;  ///< empty: create
    V config;  ///< desired configuration; parts may be unknown
};

/// Planned value, of which parts may be unknown, and the changed attributes that require a replacement of the object.
template <class V>
class planned {
public:
    planned() = default;
    explicit planned(V result, std::vector<std::string> because_of = {})
        : after(std::move(result)),
          replace_paths(std::move(because_of))
    {}
    V after{};
    std::vector<std::string> replace_paths;
};

/// Request for data of objects that this state does not manage.
template <class V>
class data_request {
public:
    data_request(address about, std::string reader, V with, diagnostics& notes)
        : target(std::move(about)),
          provider(std::move(reader)),
          config(std::move(with)),
          warnings(&notes)
    {}
    address target;
    std::string provider;
    V config;
    diagnostics* warnings;  ///< receives warnings about data that were read; outlives the request
};

/// Request for a change. `operation` identifies it; a request that is repeated after a crash has the same identifier.
template <class V>
class apply_request {
public:
    apply_request(pending_operation todo, std::optional<V> before, std::optional<V> after)
        : operation(std::move(todo)),
          prior(std::move(before)),
          planned(std::move(after))
    {}
    pending_operation operation;
    std::optional<V> prior;
    std::optional<V> planned;  ///< empty: destroy
};

/// Result of a change. It may have an object and errors at once. `interrupted`: the result is not known.
template <class V>
class applied {
public:
    applied() = default;
    explicit applied(std::optional<V> made, diagnostics found = {})
        : object(std::move(made)),
          problems(std::move(found))
    {}
    [[nodiscard]] static auto unknown() -> applied
    {
        applied a;
        a.interrupted = true;
        return a;
    }
    [[nodiscard]] auto failed() const noexcept -> bool
    {
        for (diagnostic const& d : problems)
            if (d.level == severity::error) return true;
        return false;
    }
    std::optional<V> object;
    diagnostics problems;
    bool interrupted = false;
};

/// State of an operation whose end was not recorded.
enum class lookup_answer : std::uint8_t { not_done, done, unknown };

template <class V>
class looked_up {
public:
    looked_up() = default;
    explicit looked_up(lookup_answer found, std::optional<V> existing = {}) : answer(found), object(std::move(existing))
    {}
    lookup_answer answer = lookup_answer::unknown;
    std::optional<V> object;  ///< the object, if the answer is `done` and the operation no destroy
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_REQUESTS_HPP
