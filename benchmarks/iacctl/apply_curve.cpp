// SPDX-License-Identifier: BSL-1.0
// How do plan, apply and destroy grow with the number of resources? Each has two references to earlier ones.
//
//     apply_curve [SIZE...]        default: 100 300 1000 3000 10000
//
// Prints seconds, peak memory, journal entries and the commits they took, with full durability, in a directory under the
// current one. What a resource depends on, all told, is kept with it, so that order survives its configuration. `tree`
// refers to the resources at a half and a third of its own number: these lists stay short. `any` refers to any two: they
// grow with the root of the size.
#include "commands/engine_runner.hpp"
#include "language/configuration/configuration.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace iacctl;
namespace infra = strider::infra;

auto configuration_text(std::size_t size, bool tree) -> std::string
{
    std::mt19937 random(1);
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += "resource \"terraform_data\" \"r" + std::to_string(i) + "\" {\n  input = [";
        for (std::size_t n = 2; n < 4 && i > 0; ++n)
            text += "terraform_data.r" + std::to_string(tree ? i / n : random() % i) + ".id, ";
        text += "\"" + std::to_string(i) + "\"]\n}\n\n";
    }
    return text;
}

class stopwatch {
public:
    [[nodiscard]] auto seconds() const -> double
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

auto peak_megabytes() -> double
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

template <class T>
auto must(infra::expected<T> result) -> T
{
    if (result) return std::move(*result);
    std::fprintf(
        stderr, "%s: %s\n", result.error().why().front().summary.c_str(), result.error().why().front().detail.c_str());
    std::exit(1);
}

void measure(std::size_t size, bool tree)
{
    std::filesystem::path const directory = std::filesystem::current_path() / "apply_curve.tmp";
    std::filesystem::remove_all(directory);
    stopwatch const loading;
    language::diagnostics found;
    std::map<std::string, std::string> files;
    files.emplace("main.tf", configuration_text(size, tree));
    program::hcl_program const wanted(language::load_configuration(files, found), {}, "default");
    double const load = loading.seconds();

    auto store = must(state::sqlite_store::open(directory / "default", state::open_mode::read_write));
    commands::run_options const how;
    double seconds[4] = {};
    std::size_t entries = 0;
    std::size_t commits = 0;
    auto const run = [&](double& plan_time, double* apply_time, infra::plan_mode mode) {
        infra::plan_options options;
        options.mode = mode;
        stopwatch const planning;
        auto prior = must(store.read_now());
        auto const plan = must(commands::run_plan(wanted, store, options, prior, how));
        plan_time = planning.seconds();
        if (apply_time == nullptr) return;
        must(store.begin_generation("benchmark"));
        stopwatch const applying;
        auto const report = commands::run_apply(wanted, store, plan, std::move(prior), how);
        *apply_time = applying.seconds();
        if (mode == infra::plan_mode::normal) {
            entries = report.entries;
            commits = report.commits;
        }
        if (!report.ok() || store.end_generation("complete")) {
            std::fprintf(stderr, "the apply failed\n");
            std::exit(1);
        }
    };
    double destroy_plan = 0;
    run(seconds[0], &seconds[1], infra::plan_mode::normal);
    run(seconds[2], nullptr, infra::plan_mode::normal);
    run(destroy_plan, &seconds[3], infra::plan_mode::destroy);
    std::printf("| %6zu | %4s | %6.3f | %6.3f | %6.3f | %6.3f | %6.3f | %7.1f | %7zu | %7zu |\n", size,
        tree ? "tree" : "any", load, seconds[0], seconds[1], seconds[2], seconds[3], peak_megabytes(), entries,
        commits);
    std::fflush(stdout);
    std::filesystem::remove_all(directory);
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
    if (sizes.empty()) sizes = {100, 300, 1000, 3000, 10000};
    std::printf(
        "| size   | refs | load s | plan s | apply s | no-op plan s | destroy s | peak MB | entries | commits |\n"
        "| ------ | ---- | ------ | ------ | ------- | ------------ | --------- | ------- | ------- | ------- |\n");
    for (bool const tree : {true, false})
        for (std::size_t const size : sizes) measure(size, tree);
}
