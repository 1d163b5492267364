// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_BUILD_ENGINE_HPP
#define STRIDER_TESTS_SUPPORT_BUILD_ENGINE_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The engine in another domain: targets of a build. Program, provider and store have only the required members.
namespace strider::test::build {

using namespace strider::infra;

/// A file: the text from which it is built, and its digest, which is known after the build.
struct artefact {
    std::string source;
    std::optional<std::string> digest;

    [[nodiscard]] auto wholly_known() const -> bool { return digest.has_value(); }
    friend auto operator==(artefact const&, artefact const&) -> bool = default;
};

struct target {
    std::string name;
    std::string source;
    std::vector<std::string> inputs;
};

class build_file {
public:
    using value_type = artefact;
    using declaration_type = target;
    using scope_type = evaluation_scope<artefact>;

    explicit build_file(std::vector<target> targets) : targets_(std::move(targets)) {}

    [[nodiscard]] auto declarations() const -> std::vector<target> const& { return targets_; }
    [[nodiscard]] auto name_of(target const& t) const -> std::string { return t.name; }
    [[nodiscard]] auto address_of(target const& t) const -> address { return {"file", t.name}; }
    [[nodiscard]] auto provider_of(target const&) const -> std::string { return "compiler"; }
    [[nodiscard]] auto references(target const& t) const -> std::vector<reference>
    {
        std::vector<reference> all;
        for (std::string const& input : t.inputs) all.push_back({input, {}});
        return all;
    }
    [[nodiscard]] auto evaluate(target const& t, address const&, scope_type const& scope) const
        -> result<artefact, failure>
    {
        artefact a{t.source, std::nullopt};
        for (std::string const& input : t.inputs) a.source += "+" + scope.value(input)->digest.value_or("?");
        return a;
    }
    [[nodiscard]] auto encode(address const&, std::string const&, artefact const& a) const -> object
    {
        object o;
        o.attributes = document(a.digest.value_or("") + ":" + a.source);
        return o;
    }
    [[nodiscard]] auto decode(address const&, object const& o) const -> result<artefact, failure>
    {
        std::string const& text = o.attributes.text();
        auto const colon = text.find(':');
        return artefact{text.substr(colon + 1), text.substr(0, colon)};
    }

private:
    std::vector<target> targets_;
};

class compiler {
public:
    [[nodiscard]] auto read(read_request<artefact> r) -> task<result<read_result<artefact>, failure>>
    {
        co_return read_result<artefact>(std::move(r.prior));
    }
    [[nodiscard]] auto plan(plan_request<artefact> r) -> task<result<planned<artefact>, failure>>
    {
        bool const same = r.prior && r.prior->source == r.config.source;
        planned<artefact> p(same ? *r.prior : r.config);
        if (promises) p.after.digest = "#" + r.config.source;
        co_return p;
    }
    [[nodiscard]] auto apply(apply_request<artefact> r) -> task<applied<artefact>>
    {
        log.push_back(std::string(to_string(r.operation.kind)) + " " + r.operation.target.name());
        if (breaks) throw std::runtime_error("the compiler broke");
        if (r.planned) r.planned->digest = lies ? "none" : "#" + r.planned->source;
        applied<artefact> a(std::move(r.planned));
        co_return a;
    }

    std::vector<std::string> log;
    bool promises = false;  // plans the digest
    bool lies = false;      // creates a file with another digest
    bool breaks = false;
};

struct memory {
    snapshot state;

    [[nodiscard]] auto read() -> task<result<snapshot, failure>> { co_return state; }
    [[nodiscard]] auto append(std::span<journal_entry const>, snapshot const& after) -> task<strider::error_code>
    {
        state = after;
        co_return strider::error_code();
    }
};

/// Plans and applies. \return the problems of both
[[nodiscard]] auto run_engine(build_file const& wanted, compiler& with, memory& kept, std::string const& run)
    -> diagnostics;

}  // namespace strider::test::build

#endif  // STRIDER_TESTS_SUPPORT_BUILD_ENGINE_HPP
