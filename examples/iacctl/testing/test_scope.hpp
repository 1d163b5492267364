// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_TEST_SCOPE_HPP
#define IACCTL_TESTING_TEST_SCOPE_HPP

#include "language/configuration/test_file.hpp"
#include "language/evaluation/evaluate.hpp"
#include "workspace/program/root_values.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace iacctl::testing {

namespace infra = strider::infra;

/// The value of a variable from outside; nothing if there is none.
using global_variables = std::function<std::optional<language::value>(std::string const&)>;

/// The scope of a test file: variables, and outputs of runs that have ended. Not thread-safe.
class test_scope final : public language::scope {
public:
    using values = std::map<std::string, language::value, std::less<>>;

    /// \param defined  the values of the blocks `variable` of the file
    /// \param runs  an object of outputs for each run
    /// \pre `file` outlives this object
    test_scope(language::test_file const& file, values defined, global_variables globals,
        std::map<std::string, language::value> runs, language::call_context context)
        : file_(&file),
          defined_(std::move(defined)),
          globals_(std::move(globals)),
          runs_(std::move(runs)),
          context_(std::move(context))
    {}

    [[nodiscard]] auto resolve(language::reference const& r, infra::diagnostics& found) const
        -> language::value override;
    [[nodiscard]] auto context() const noexcept -> language::call_context const& override { return context_; }

    /// The value of a variable of the file, or of one from outside.
    [[nodiscard]] auto variable_value(std::string const& name, infra::diagnostics& found) const
        -> std::optional<language::value>;

    /// The place of a variable of the file; nothing if there is none with that name.
    [[nodiscard]] auto place_of(std::string const& name) const -> std::optional<language::source_range>
    {
        if (auto const own = file_->variables.find(name); own != file_->variables.end()) return own->second.range();
        if (auto const own = file_->definitions.find(name); own != file_->definitions.end()) return own->second.range;
        return std::nullopt;
    }

private:
    [[nodiscard]] auto run(language::reference const& r, infra::diagnostics& found) const -> language::value;

    language::test_file const* file_;
    values defined_;
    global_variables globals_;
    std::map<std::string, language::value> runs_;
    language::call_context context_;
    mutable std::set<std::string> under_way_;
};

/// The scope of values of mocks and overrides: functions.
class function_scope final : public language::scope {
public:
    explicit function_scope(language::call_context context) : context_(std::move(context)) {}

    [[nodiscard]] auto resolve(language::reference const& r, infra::diagnostics& found) const
        -> language::value override;
    [[nodiscard]] auto context() const noexcept -> language::call_context const& override { return context_; }

private:
    language::call_context context_;
};

/// The scope of assertions: the root module after a run, its outputs, and the test file.
class assertion_scope final : public language::inner_scope {
public:
    using variables = std::map<std::string, language::value, std::less<>>;

    /// \param of_run  variables that the run sets and the root module does not declare \pre all outlive this object
    assertion_scope(language::configuration const& root, program::root_values const& values, variables const& of_run,
        test_scope const& of_file)
        : inner_scope(values.scope()),
          root_(&root),
          values_(&values),
          run_(&of_run),
          file_(&of_file)
    {}

    [[nodiscard]] auto resolve(language::reference const& r, infra::diagnostics& found) const
        -> language::value override;
    [[nodiscard]] auto instance(language::reference const& r) const -> std::optional<language::value> override;

private:
    language::configuration const* root_;
    program::root_values const* values_;
    variables const* run_;
    test_scope const* file_;
};

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_TEST_SCOPE_HPP
