// SPDX-License-Identifier: BSL-1.0
#include "test_suite.hpp"

#include "file_runner.hpp"
#include "interrupt_hub.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace iacctl::testing {

namespace fs = std::filesystem;

namespace {

// Files with values of variables in the directory of tests, which come before all others.
auto variable_files(fs::path const& in) -> std::vector<language::variable_option>
{
    std::vector<std::string> automatic;
    std::error_code problem;
    fs::directory_iterator entries(in, problem);
    for (fs::directory_iterator const end; !problem && entries != end; entries.increment(problem)) {
        auto name = entries->path().filename().string();
        if (name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json")) automatic.push_back(std::move(name));
    }
    std::ranges::sort(automatic);
    for (auto const* const first : {"terraform.tfvars.json", "terraform.tfvars"})
        if (fs::exists(in / first, problem)) automatic.insert(automatic.begin(), first);
    std::vector<language::variable_option> all;
    for (auto const& name : automatic)
        all.push_back({language::variable_option::option_kind::file, (in / name).lexically_normal().string()});
    return all;
}

}  // namespace

test_suite::test_suite(workspace::settings s, suite_options requested)
    : settings_(std::move(s)),
      requested_(std::move(requested))
{
    settings_.validation.ephemeral_root_outputs = true;
    requested_.tests = requested_.tests.lexically_normal();
    if (!requested_.tests.has_filename()) requested_.tests = requested_.tests.parent_path();
}

auto test_suite::load() -> infra::diagnostics
{
    infra::diagnostics found;
    bool const inside =
        requested_.tests.is_relative() && (requested_.tests.empty() || *requested_.tests.begin() != "..");
    if (!inside) return {make_error(messages::test_directory_outside, {requested_.tests.string()})};
    modules_[{}] = std::make_unique<module_under_test>(settings_, found);
    files_ = language::load_test_files(settings_.directory, requested_.tests, found);
    std::error_code none;
    bool const by_default = requested_.tests == suite_options().tests;
    if (!by_default && !fs::is_directory(settings_.directory / requested_.tests, none))
        found.add(language::warning(messages::test_directory_missing, {requested_.tests.string()}));
    for (std::string const& name : requested_.files) {
        auto const is_it = [&](auto const& file) { return fs::path(name).lexically_normal() == file.name; };
        if (std::ranges::none_of(files_, is_it)) found.add(language::warning(messages::unknown_test_file, {name}));
    }
    for (language::test_file const& file : files_)
        for (language::test_run const& run : file.runs) {
            if (!run.module || run.module->source.empty() || modules_.contains(run.module->source)) continue;
            std::string why;
            auto const source = language::module_source::parse(run.module->source, why);
            if (!source || source->kind != language::module_source::kind_type::local) {
                found.add(language::error(
                    messages::registry_module_in_test, {run.module->source}, run.module->source_range_));
                continue;
            }
            auto of_module = settings_;
            of_module.directory = (settings_.directory / run.module->source).lexically_normal();
            if (!of_module.directory.has_filename()) of_module.directory = of_module.directory.parent_path();
            std::error_code problem;
            if (!fs::is_directory(of_module.directory, problem)) {
                found.add(language::error(
                    messages::test_module_missing, {of_module.directory.string()}, run.module->source_range_));
                continue;
            }
            modules_[run.module->source] = std::make_unique<module_under_test>(std::move(of_module), found);
        }
    language::sort_by_place(found);
    auto reported = found;
    if (!requested_.files.empty())
        std::erase_if(files_, [&](language::test_file const& file) {
            return std::ranges::none_of(
                requested_.files, [&](auto const& name) { return fs::path(name).lexically_normal() == file.name; });
        });
    return reported;
}

auto test_suite::run(test_listener& to) -> suite_result
{
    interrupt_hub interrupts(settings_.interrupts);
    to.begins(files_);
    suite_result all;
    if (!files_.empty()) all.status = test_status::pass;
    for (language::test_file const& file : files_) {
        auto of_file = settings_;
        if (fs::path(file.name).parent_path() == requested_.tests)
            for (auto& one : variable_files(settings_.directory / requested_.tests))
                of_file.variables.push_back(std::move(one));
        file_runner runner(std::move(of_file), file, modules_, interrupts, requested_.verbose, to);
        all.files.push_back(runner.run());
        all.status = std::max(all.status, all.files.back().status);
    }
    all.interrupted = interrupts.count() > 0;
    to.ends(all);
    return all;
}

}  // namespace iacctl::testing
