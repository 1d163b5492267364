// SPDX-License-Identifier: BSL-1.0
// Measures how much time an apply spends on storing the state.
//
//     state_overhead [SIZE...]        default: 1000 10000 100000
//
// The program measures the same apply three times: with a store that saves nothing, with the SQLite store at full
// durability, and with that store and encryption. The apply creates objects at parallelism 10, in a directory below the
// current one; each resource refers to two earlier ones. The overhead is the difference of the elapsed time and of the
// processor time, per created resource. The processor time depends less on other work of the machine.
#include "language/configuration/configuration.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/catalog.hpp"
#include "state/encryption/key_provider.hpp"
#include "state/encryption/target.hpp"
#include "state/record/sqlite_store.hpp"
#include "state/record/workspace_files.hpp"
#include "workspace/engine_runner.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
namespace fs = std::filesystem;
namespace infra = strider::infra;

auto configuration_text(std::size_t size) -> std::string
{
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += "resource \"terraform_data\" \"r" + std::to_string(i) + "\" {\n  input = [";
        for (std::size_t n = 2; n < 4 && i > 0; ++n) text += "terraform_data.r" + std::to_string(i / n) + ".id, ";
        text += "\"" + std::to_string(i) + "\"]\n}\n\n";
    }
    return text;
}

/// Saves nothing.
class empty_store final : public state::store {
public:
    auto read() -> state::task<expected<infra::snapshot>> override { co_return infra::snapshot(); }
    auto read_now() -> expected<infra::snapshot> override { return infra::snapshot(); }
    auto append(std::span<infra::journal_entry const>, infra::snapshot const&)
        -> state::task<strider::error_code> override
    {
        co_return strider::error_code();
    }
    auto append_now(std::span<infra::journal_entry const>, infra::snapshot const&) -> expected<void> override
    {
        return {};
    }
    [[nodiscard]] auto condition() const -> expected<void> override { return {}; }
    auto begin_generation(std::string_view) -> expected<std::int64_t> override { return std::int64_t{1}; }
    auto end_generation(std::string_view) -> expected<void> override { return {}; }
    auto ensure_space(state::space_estimate) -> expected<void> override { return {}; }
    [[nodiscard]] auto lineage() const -> std::string const& override { return lineage_; }
    [[nodiscard]] auto place() const -> std::string override { return "memory"; }

private:
    std::string lineage_ = "memory";
};

template <class T>
auto must(strider::result<T, infra::failure> result) -> T
{
    if (result) return std::move(*result);
    infra::diagnostic const& why = result.error().why().front();
    std::fprintf(stderr, "%s: %s\n", why.summary.c_str(), why.detail.c_str());
    std::exit(1);
}

/// The cost of one apply.
struct cost {
    double seconds = 0;
    double processor = 0;  // seconds of all threads
    std::size_t commits = 0;

    [[nodiscard]] static auto now() -> cost
    {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        auto const of = [](timeval const& t) {
            return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
        };
        auto const since = std::chrono::steady_clock::now().time_since_epoch();
        return {std::chrono::duration<double>(since).count(), of(usage.ru_utime) + of(usage.ru_stime)};
    }
};

class measurement {
public:
    measurement(std::size_t size, fs::path place)
        : wanted_(configuration(size), {}, "default",
              std::make_shared<providers::catalog const>(providers::built_in_providers())),
          place_(std::move(place))
    {
        how_.limits.parallelism = 10;
    }

    auto without_state() -> cost
    {
        empty_store store;
        return apply(store);
    }
    auto with_state(std::shared_ptr<encryption::target const> const& sealed_with) -> cost
    {
        fs::remove_all(place_);
        cost const found = [&] {
            state::sqlite_store store(
                state::workspace_files(place_ / "default", sealed_with), state::open_mode::read_write, {});
            return apply(store);
        }();
        fs::remove_all(place_);
        return found;
    }

private:
    static auto configuration(std::size_t size) -> language::configuration
    {
        infra::diagnostics found;
        return language::load_configuration({{"main.tf", configuration_text(size)}}, found);
    }
    auto apply(state::store& store) -> cost
    {
        auto prior = must(store.read_now());
        auto const plan = must(workspace::run_plan(wanted_, store, {}, prior, how_));
        cost const before = cost::now();
        (void)must(store.begin_generation("apply"));
        auto const report = workspace::run_apply(wanted_, store, plan, std::move(prior), how_);
        if (!report.ok() || !store.end_generation("complete")) {
            std::fprintf(stderr, "the apply failed\n");
            std::exit(1);
        }
        cost const after = cost::now();
        return {after.seconds - before.seconds, after.processor - before.processor, report.commits};
    }

    program::hcl_program wanted_;
    fs::path place_;
    workspace::run_options how_;
};

auto median(std::vector<cost> all, double cost::* of) -> double
{
    std::ranges::sort(all, {}, of);
    return all[all.size() / 2].*of;
}

void measure(std::size_t size, fs::path const& place)
{
    fs::create_directories(place);
    std::ofstream(place / "key") << std::string(64, '1');
    auto const encrypted = std::make_shared<encryption::target const>("state",
        std::vector<encryption::method>{
            {"method.aes_gcm.a", encryption::make_key_file("key_provider.file.a", place / "key"), {}}});
    measurement of(size, place / "states");
    std::vector<cost> costs[3];
    for (int turn = 0; turn < (size > 20'000 ? 1 : 5); ++turn) {
        costs[0].push_back(of.without_state());
        costs[1].push_back(of.with_state(std::make_shared<encryption::target const>()));
        costs[2].push_back(of.with_state(encrypted));
    }
    fs::remove_all(place);
    auto const milliseconds = [&](std::vector<cost> const& with, double cost::* of) {
        return (median(with, of) - median(costs[0], of)) * 1000 / static_cast<double>(size);
    };
    double const plain = milliseconds(costs[1], &cost::seconds);
    double const sealed = milliseconds(costs[2], &cost::seconds);
    std::printf("| %9zu | %10.3f | %10.3f | %9.2f | %12.3f | %12.3f | %11.2f |\n", size, plain, sealed, sealed / plain,
        milliseconds(costs[1], &cost::processor), milliseconds(costs[2], &cost::processor),
        static_cast<double>(costs[1].front().commits) / static_cast<double>(size));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
    if (sizes.empty()) sizes = {1000, 10'000, 100'000};
    std::printf(
        "of each created resource: milliseconds, those with encryption, the ratio, processor milliseconds, commits\n"
        "| resources |       time |  encrypted | encrypted |    processor |    encrypted |     commits |\n"
        "| --------- | ---------- | ---------- | --------- | ------------ | ------------ | ----------- |\n");
    for (std::size_t const size : sizes) measure(size, fs::current_path() / "state_overhead.tmp");
}
