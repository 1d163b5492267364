// SPDX-License-Identifier: BSL-1.0
#include "disk_model.hpp"
#include "file_recorder.hpp"
#include "trial.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace iacctl::durability {

namespace {

/// A run without a fault.
struct recording {
    disk_model before;
    std::vector<operation> operations;
    std::uint64_t calls = 0;
};

auto files_in(fs::path const& root) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    for (auto const& one : fs::recursive_directory_iterator(root)) {
        std::string const name = fs::relative(one.path(), root).string();
        if (!one.is_regular_file() || name.ends_with("-shm")) continue;
        std::ifstream in(one.path(), std::ios::binary);
        all[name].assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return all;
}

/// \throws std::runtime_error if the work fails, or the recording is incomplete
auto record(workload const& of, fs::path const& place) -> recording
{
    fs::path const root = place / "recorded";
    fs::create_directories(root);
    of.prepare(root);
    recording made{disk_model(root), {}, 0};
    {
        file_recorder recorder(root);
        if (!of.run(root, [&](std::uint64_t steps) { recorder.mark(steps); }))
            throw std::runtime_error(of.name + " fails without a fault");
        made.operations = recorder.operations();
        made.calls = recorder.calls();
    }
    disk_model after = made.before;
    for (operation const& one : made.operations) after.apply(one);
    std::mt19937_64 random;
    after.write_image(place / "replayed", loss::nothing, random);
    if (files_in(place / "replayed") != files_in(root))
        throw std::runtime_error(of.name + " is not recorded as a whole");
    fs::remove_all(place / "replayed");
    fs::remove_all(root);
    return made;
}

auto directory_for(trial_options const& options) -> fs::path
{
    fs::remove_all(options.directory);
    fs::create_directories(options.directory);
    return options.directory;
}

}  // namespace

auto try_crashes(trial_options const& options) -> tally
{
    constexpr std::array losses{loss::nothing, loss::everything, loss::some, loss::any};
    tally all;
    for (workload const& of : make_workloads(options.seed, options.samples)) {
        fs::path const place = directory_for(options);
        recording const whole = record(of, place);

        disk_model disk = whole.before;
        std::size_t applied = 0;
        std::uint64_t reported = 0;
        std::uint64_t image = 0;
        auto const trial = [&](std::uint64_t point) -> verdict {
            for (; applied < point; ++applied) {
                operation const& one = whole.operations[applied];
                bool const is_synchronization = one.kind == operation::kind_type::synchronize;
                if (options.synchronizes || !is_synchronization) disk.apply(one);
                if (one.kind == operation::kind_type::mark) reported = one.offset;
            }
            std::mt19937_64 random(options.seed * 1000003 + point);
            for (loss const lost : losses) {
                fs::path const root = place / std::to_string(++image);
                disk.write_image(root, lost, random);
                verdict found = of.judge(root, reported);
                if (found.result != verdict::result_type::sound) {
                    found.why = "loss " + std::to_string(static_cast<int>(lost)) + ": " + found.why;
                    return found;
                }
                fs::remove_all(root);
            }
            return {};
        };
        all += try_all(whole.operations.size() + 1, options, trial,
            [&](std::uint64_t point) { return of.name + ", crash after operation " + std::to_string(point); });
    }
    return all;
}

auto try_errors(trial_options const& options) -> tally
{
    struct fault {
        char const* name;
        int code;
        bool half;
        bool persistent;
        bool only_of_data;
    };
    constexpr std::array faults{fault{"EIO", EIO, false, false, false}, fault{"full disk", ENOSPC, true, true, false},
        fault{"EDQUOT", EDQUOT, false, false, false}, fault{"EIO from this operation on", EIO, false, true, false},
        fault{"short write", ENOSPC, true, false, false},
        fault{"EIO of fdatasync from here on", EIO, false, true, true}};
    constexpr std::uint64_t faults_a_call = 2;
    tally all;
    for (workload const& of : make_workloads(options.seed, options.samples)) {
        fs::path const place = directory_for(options);
        std::uint64_t const calls = record(of, place).calls;
        fs::path const origin = place / "origin";
        fs::create_directories(origin);
        of.prepare(origin);

        auto const fault_of = [&](std::uint64_t trial) {
            return faults[(trial / faults_a_call + trial % faults_a_call * 3) % faults.size()];
        };
        auto const trial = [&](std::uint64_t number) -> verdict {
            fault const chosen = fault_of(number);
            fs::path const root = place / std::to_string(number);
            fs::copy(origin, root, fs::copy_options::recursive);
            disk_model disk(root);
            std::uint64_t reported = 0;
            bool complete = false;
            {
                file_recorder recorder(root);
                recorder.inject(
                    {number / faults_a_call + 1, chosen.code, chosen.half, chosen.persistent, chosen.only_of_data});
                complete = of.run(root, [&](std::uint64_t steps) { reported = steps; });
                for (operation const& one : recorder.operations()) disk.apply(one);
            }
            if (complete && reported != of.steps) return {verdict::result_type::lost, "an error was not reported"};
            // A failed synchronization may have made all, nothing or a part durable.
            std::mt19937_64 random(options.seed + number);
            std::vector<fs::path> images{root};
            for (loss const lost : {loss::everything, loss::some}) {
                images.push_back(place / (std::to_string(number) + "-" + std::to_string(images.size())));
                disk.write_image(images.back(), lost, random);
            }
            for (fs::path const& one : images) {
                verdict found = of.judge(one, reported);
                if (found.result != verdict::result_type::sound) {
                    if (one != root) found.why = "after a loss of power: " + found.why;
                    return found;
                }
                fs::remove_all(one);
            }
            return {};
        };
        all += try_all(calls * faults_a_call, options, trial, [&](std::uint64_t number) {
            return of.name + ", call " + std::to_string(number / faults_a_call + 1) + ", " + fault_of(number).name;
        });
    }
    return all;
}

}  // namespace iacctl::durability
