// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_TEST_FILE_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_TEST_FILE_HPP

#include "configuration.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// `override_resource`, `override_data` or `override_module`: values that replace those of a provider or module.
struct test_override {
    enum class kind_type : std::uint8_t { resource, data, module };

    kind_type kind = kind_type::resource;
    expression target;  ///< a traversal
    expression values;  ///< `values` or `outputs`; empty if absent
    bool in_plan = false;  ///< plans have the values, too
    source_range range;
};

/// `mock_resource` or `mock_data`: values for the computed attributes of a type.
struct test_mock {
    resource_mode mode = resource_mode::managed;
    std::string type;
    expression defaults;  ///< empty if absent
    bool in_plan = false;
    source_range range;
};

/// A block `provider` or `mock_provider` of a test file.
struct test_provider {
    std::string name;
    std::string alias;
    std::optional<provider_block> configured;  ///< nothing: the provider is mocked
    std::vector<test_mock> mocks;
    std::vector<test_override> overrides;
    source_range range;

    /// "local" or "local.alias".
    [[nodiscard]] auto key() const -> std::string { return alias.empty() ? name : name + "." + alias; }
};

/// A block `run`: a plan or apply with its expectations.
struct test_run {
    enum class command_type : std::uint8_t { apply, plan };

    std::string name;
    command_type command = command_type::apply;
    bool refresh_only = false;  ///< plan_options
    bool refresh = true;
    std::vector<expression> replace;  ///< traversals
    std::vector<expression> target;
    std::map<std::string, expression, std::less<>> variables;
    std::vector<test_override> overrides;
    std::vector<passed_provider> providers;
    std::vector<check_rule> assertions;
    std::vector<reference> expect_failures;
    std::optional<module_call> module;  ///< the configuration that is executed; nothing: that of the directory
    std::string state_key;  ///< runs with the same one share a state; empty: that of the configuration of the directory
    bool parallel = false;
    source_range range;

    [[nodiscard]] auto applies() const noexcept -> bool { return command == command_type::apply; }
};

/// A file `*.tftest.hcl`, `*.tftest.json`, or for OpenTofu `*.tofutest.hcl` or `*.tofutest.json`. Its parts point into its trees.
struct test_file {
    std::string name;  ///< relative to the configuration: "tests/main.tftest.hcl"
    std::vector<std::shared_ptr<syntax_tree>> trees;  ///< its own, and those of files with mocks
    std::map<std::string, expression, std::less<>> variables;
    std::map<std::string, variable, std::less<>> definitions;  ///< of variables whose values come from outside
    std::map<std::string, test_provider, std::less<>> providers;  ///< by key
    std::vector<test_override> overrides;
    std::vector<test_run> runs;
};

/// Loads the test files of a configuration and of its directory of tests, with the mock files that they name; sorted by
/// name.
[[nodiscard]] auto load_test_files(std::filesystem::path const& directory, std::filesystem::path const& tests,
    diagnostics& found, file_source const& files = disk()) -> std::vector<test_file>;

/// Reports references of runs to runs that are not executed before them.
void check_run_references(test_file const& file, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_TEST_FILE_HPP
