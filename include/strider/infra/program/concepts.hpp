// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_CONCEPTS_HPP
#define STRIDER_INFRA_PROGRAM_CONCEPTS_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/task.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

/// A value of a configuration: parts of it may not be known before an apply.
template <class V>
concept configuration_value = std::regular<V> && requires(V const& v) {
    { v.wholly_known() } -> std::convertible_to<bool>;
};

/// How a declaration asks for more than one instance.
enum class repetition_kind : std::uint8_t { single, count, for_each };

/// What a declaration comes to: its instances, and what they are repeated by.
template <class V>
struct expansion {
    std::vector<address> instances;
    std::optional<V> repetition;
    repetition_kind kind = repetition_kind::single;
    bool wanted = true;  ///< false: the declaration only says how its objects go
};

/// The side that is compared with a plan: the final plan, once unknown values are known, or the result of the apply.
enum class plan_outcome : std::uint8_t { final_plan, result };

/// Desired configuration: declarations that refer to one another, and their values in a scope. It also checks what providers
/// answer: a plan must follow from what was asked for, and what comes of a plan must agree with it in all that was known.
///
/// All members may be called from several threads at once.
template <class P>
concept program = configuration_value<typename P::value_type>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, object const& o,
        typename P::value_type const& v, std::optional<typename P::value_type> const& prior,
        evaluation_scope<typename P::value_type> const& scope) {
           { p.declarations() } -> std::ranges::random_access_range;
           requires std::same_as<std::ranges::range_value_t<decltype(p.declarations())>, typename P::declaration_type>;
           { p.name_of(d) } -> std::convertible_to<std::string>;  // unique: "type.name", "local.x", "module.m"
           { p.kind_of(d) } -> std::same_as<declaration_kind>;
           { p.address_of(d) } -> std::convertible_to<address>;  // of a resource: its configuration address
           { p.module_of(d) } -> std::convertible_to<std::string>;  // name of the module it lies in; empty: the root
           { p.lifecycle_of(d) } -> std::convertible_to<lifecycle>;
           { p.provider_of(d) } -> std::convertible_to<std::string>;
           { p.references(d) } -> std::ranges::input_range;  // of `reference`, without evaluating
           { p.expand(d, scope) } -> std::same_as<checked<expansion<typename P::value_type>>>;
           { p.evaluate(d, a, scope) } -> std::same_as<checked<typename P::value_type>>;  // parts may be unknown
           {
               p.encode(a, v)
           } -> std::same_as<object>;  // parts may be unknown: what was asked for, what a provider left
           { p.decode(a, o) } -> std::same_as<checked<typename P::value_type>>;
           { p.encode_output(d, v) } -> std::same_as<output_value>;
           { p.decode_output(p.encode_output(d, v)) } -> std::same_as<checked<typename P::value_type>>;
           { p.is_sensitive(d) } -> std::convertible_to<bool>;  // of an output: it may hold secrets
           { p.is_null(v) } -> std::convertible_to<bool>;  // an output with such a value is not kept
           { p.check_object(a, v) } -> std::same_as<diagnostics>;  // that a provider says there is
           {
               p.check_plan(d, a, prior, v, v)
           } -> std::same_as<diagnostics>;  // what was there, was asked for, is planned
           { p.check_outcome(d, a, plan_outcome::result, v, v) } -> std::same_as<diagnostics>;  // planned, actual
           { p.prevented(d, a) } -> std::same_as<diagnostic>;  // prevent_destroy forbids what the plan calls for
           { p.describe(std::uint32_t{}) } -> std::convertible_to<std::string>;  // a place, "main.tf:12"
       };

/// The declaration with a number. \pre there is one
template <program P>
[[nodiscard]] auto declaration_at(P const& wanted, std::size_t number) -> decltype(auto)
{
    auto&& all = wanted.declarations();
    return std::ranges::begin(all)[static_cast<std::ranges::range_difference_t<decltype(all)>>(number)];
}

/// Optional: objects are worked on by provisioners too.
template <class P>
concept has_provisioners = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        evaluation_scope<typename P::value_type> const& scope, provisioner const& step) {
           { p.provisioners(d) } -> std::ranges::input_range;
           { p.evaluate_provisioner(d, step, a, v, scope) } -> std::same_as<checked<typename P::value_type>>;
           p.locate(d, step, std::declval<diagnostics&>());  // says where the step is, in diagnostics that do not
       };

/// Optional: objects may have moved; also by themselves, between the only one and the first of many.
template <class P>
concept has_moves = program<P> && requires(P const& p, typename P::declaration_type const& d) {
    { p.moves() } -> std::ranges::input_range;  // of `move_statement`
    { p.repetition_of(d) } -> std::same_as<repetition_kind>;  // as it is written
};

/// Optional: objects may be dropped from state and left alone.
template <class P>
concept has_forgotten = program<P> && requires(P const& p, address const& a) {
    { p.is_forgotten(a) } -> std::convertible_to<bool>;  // if nothing declares it any more
};

/// Optional: objects that exist already enter state while a plan is made.
template <class P>
concept has_imports = program<P>
    && requires(
        P const& p, typename P::declaration_type const& d, evaluation_scope<typename P::value_type> const& scope) {
           { p.imports(d, scope) } -> std::same_as<checked<std::vector<import_target>>>;  // into a resource
       };

/// Optional: says where a declaration is, in diagnostics about an instance of it that do not.
template <class P>
concept has_places =
    program<P> && requires(P const& p, typename P::declaration_type const& d, address const& a, diagnostics& problems) {
        p.locate(d, a, problems);
    };

/// What a provider says, with the place that it is about.
template <program P>
[[nodiscard]] auto located(P const& wanted, [[maybe_unused]] std::size_t declaration, [[maybe_unused]] address const& a,
    diagnostics problems) -> diagnostics
{
    if constexpr (has_places<P>)
        if (declaration != static_cast<std::size_t>(-1))
            wanted.locate(declaration_at(wanted, declaration), a, problems);
    return problems;
}

/// Optional: parts of a wish are ignored in favour of what is there.
template <class P>
concept has_ignored_changes =
    program<P> && requires(P const& p, typename P::declaration_type const& d, typename P::value_type const& v) {
        { p.ignore_changes(d, v, v) } -> std::same_as<typename P::value_type>;  // prior, wanted
    };

/// Optional: the change of one thing replaces an instance of another, in the same instance of a module.
template <class P>
concept has_replace_triggers = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        replace_trigger const& trigger) {
           { p.replace_triggers(d, a) } -> std::same_as<checked<std::vector<replace_trigger>>>;
           { p.trigger_differs(trigger, v, v) } -> std::convertible_to<bool>;
       };

/// Optional: conditions that must hold before and after.
template <class P>
concept has_conditions = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        evaluation_scope<typename P::value_type> const& scope) {
           { p.has_conditions(d) } -> std::convertible_to<bool>;
           { p.check(d, a, condition_time::before, v, scope) } -> std::same_as<diagnostics>;
       };

/// Optional: assertions about everything, perhaps with data of their own that nobody else can refer to.
template <class P>
concept has_checks = program<P>
    && requires(P const& p, typename P::declaration_type const& d,
        evaluation_scope<typename P::value_type> const& scope, std::vector<unread_data> const& unread) {
           { p.is_of_check(d) } -> std::convertible_to<bool>;  // a check, or its data
           { p.data_of(d) } -> std::same_as<std::optional<std::size_t>>;  // of a check: the number of their declaration
           { p.assess(d, scope, unread) } -> std::same_as<diagnostics>;  // what does not hold, in warnings
       };

template <program P>
[[nodiscard]] auto is_of_check([[maybe_unused]] P const& wanted, [[maybe_unused]] typename P::declaration_type const& d)
    -> bool
{
    if constexpr (has_checks<P>) return wanted.is_of_check(d);
    else return false;
}

/// Asks a provider what became of an object. A class, as all that travels through coroutines.
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

/// Asks a provider what it would make of a wish.
template <class V>
class plan_request {
public:
    plan_request(address about, std::string maker, std::optional<V> before, V wish)
        : target(std::move(about)),
          provider(std::move(maker)),
          prior(std::move(before)),
          wanted(std::move(wish))
    {}
    address target;
    std::string provider;
    std::optional<V> prior;
    V wanted;
};

/// What a provider would make: a value with unknown parts, and which changed attributes need a new object.
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

/// Asks a provider for data that are nobody's object here.
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
    diagnostics* warnings;  ///< get what is worth knowing about data that could be read; outlives the request
};

/// Tells a provider to do something; `operation` is the same when it is told again.
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

/// What came of it: an object and errors may come together. Interrupted: nobody knows.
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

/// What a provider finds out about an operation of which the end was not recorded.
enum class lookup_answer : std::uint8_t { not_done, done, unknown };

template <class V>
class looked_up {
public:
    looked_up() = default;
    explicit looked_up(lookup_answer found, std::optional<V> existing = {}) : answer(found), object(std::move(existing))
    {}
    lookup_answer answer = lookup_answer::unknown;
    std::optional<V> object;  ///< what exists, if the answer is `done` and it was no destroy
};

/// Tells a provider to run a provisioner; `print` takes what it writes, line by line.
template <class V>
class provision_request {
public:
    provision_request(address about, std::string kind, V with, std::function<void(std::string_view)> output)
        : target(std::move(about)),
          type(std::move(kind)),
          config(std::move(with)),
          print(std::move(output))
    {}
    address target;
    std::string type;
    V config;
    std::function<void(std::string_view)> print;
};

/// Who makes, changes and destroys objects. Called from several visits at once.
template <class X, class P>
concept provider_for = program<P>
    && requires(X& x, read_request<typename P::value_type> read, plan_request<typename P::value_type> plan,
        apply_request<typename P::value_type> apply, provision_request<typename P::value_type> step) {
           { x.read(std::move(read)) } -> std::same_as<task<checked<std::optional<typename P::value_type>>>>;
           { x.plan(std::move(plan)) } -> std::same_as<task<checked<planned<typename P::value_type>>>>;
           { x.apply(std::move(apply)) } -> std::same_as<task<applied<typename P::value_type>>>;
           { x.look_up(std::move(apply)) } -> std::same_as<task<looked_up<typename P::value_type>>>;
           { x.provision(std::move(step)) } -> std::same_as<task<diagnostics>>;
           { x.stop() } noexcept;
       };

/// Optional: data can be read that belong to others.
template <class X, class P>
concept has_data_sources = program<P> && requires(X& x, data_request<typename P::value_type> request) {
    { x.read_data(std::move(request)) } -> std::same_as<task<checked<typename P::value_type>>>;
};

/// Optional: objects can be found by the ids that others know them by.
template <class X, class P>
concept imports_objects = program<P> && requires(X& x, address target, std::string provider, std::string id) {
    {
        x.import_object(std::move(target), std::move(provider), std::move(id))
    } -> std::same_as<task<checked<typename P::value_type>>>;
};

/// Optional: there may be several configurations of a provider. Each is told before anything is asked that names it; parts
/// of it may be unknown while planning.
template <class X, class P>
concept takes_configuration = program<P> && requires(X& x, std::string name, typename P::value_type config) {
    { x.configure(std::move(name), std::move(config)) } -> std::same_as<task<diagnostics>>;
};

/// Optional: some configurations of providers that state names may be gone. `what`: the object that needs one.
template <class P>
concept knows_providers = program<P> && requires(P const& p, std::string const& what, std::string const& provider) {
    { p.missing_provider(what, provider) } -> std::same_as<std::optional<diagnostic>>;
};

/// Is anything declared that providers are to be told?
template <program P>
[[nodiscard]] auto declares_providers(P const& wanted) -> bool
{
    for (auto const& d : wanted.declarations())
        if (wanted.kind_of(d) == declaration_kind::provider) return true;
    return false;
}

/// Evaluates the declaration of a provider and tells the provider; other declarations may see the value.
template <program P, class X>
[[nodiscard]] auto configure(P const& wanted, X& provider, typename P::declaration_type const& d,
    evaluation_scope<typename P::value_type> const& scope) -> task<checked<typename P::value_type>>
{
    auto config = wanted.evaluate(d, address(), scope);
    if constexpr (takes_configuration<X, P>) {
        if (!config) co_return config;
        auto telling = provider.configure(wanted.name_of(d), *config);
        diagnostics problems = co_await std::move(telling);
        if constexpr (has_places<P>) wanted.locate(d, address(), problems);
        if (has_errors(problems)) co_return failure(std::move(problems));
    }
    co_return config;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_CONCEPTS_HPP
