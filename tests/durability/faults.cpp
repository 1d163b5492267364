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

auto chosen_workloads(trial_options const& options) -> std::vector<workload>
{
    auto all = make_workloads(options.seed, options.samples);
    std::erase_if(all, [&](workload const& one) { return one.name.find(options.work) == std::string::npos; });
    return all;
}

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

auto apply(std::vector<operation> const& operations, std::size_t count, disk_model& disk) -> std::uint64_t
{
    std::uint64_t reported = 0;
    for (std::size_t i = 0; i < count; ++i) {
        disk.apply(operations[i]);
        if (operations[i].kind == operation::kind_type::mark) reported = operations[i].offset;
    }
    return reported;
}

// Judges files, and records the work of the process that continues.
struct continuation {
    verdict found;
    std::vector<operation> operations;

    continuation(workload const& of, fs::path const& root, std::uint64_t reported)
    {
        file_recorder recorder(root);
        found = of.judge(root, reported, [&](std::uint64_t steps) { recorder.mark(steps); });
        operations = recorder.operations();
    }
};

auto is_sound(verdict const& found) -> bool
{
    return found.result == verdict::result_type::sound;
}

// The states of files after losses of power.
class power_losses {
public:
    power_losses(workload const& of, fs::path place) : of_(&of), place_(std::move(place)) {}

    /// Judges one image for each of the losses; those of sound ones are removed.
    [[nodiscard]] auto judge(disk_model const& disk, std::initializer_list<loss> losses, std::uint64_t reported,
        std::mt19937_64& random) -> verdict
    {
        for (loss const lost : losses) {
            fs::path const root = place_ / ("image-" + std::to_string(++images_));
            disk.write_image(root, lost, random);
            verdict found = of_->judge(root, reported, [](std::uint64_t) {});
            if (!is_sound(found)) {
                found.why = "loss " + std::to_string(static_cast<int>(lost)) + ": " + found.why;
                return found;
            }
            fs::remove_all(root);
        }
        return {{}, {}, losses.size()};
    }

private:
    workload const* of_;
    fs::path place_;
    std::uint64_t images_ = 0;
};

// Judges the files after the work that another process continued: a loss of power at its end and at one point in it.
auto judge_continued(disk_model const& before, continuation const& next, std::uint64_t reported, power_losses& losses,
    std::mt19937_64& random) -> verdict
{
    verdict all = next.found;
    for (std::size_t const count : {next.operations.size(), random() % (next.operations.size() + 1)}) {
        disk_model disk = before;
        std::uint64_t const then = std::max(reported, apply(next.operations, count, disk));
        verdict found = losses.judge(disk, {loss::everything, loss::some, loss::any}, then, random);
        all.images += found.images;
        if (is_sound(found)) continue;
        found.why = "another process continued, then after its operation " + std::to_string(count) + ", " + found.why;
        return found;
    }
    return all;
}

}  // namespace

auto try_crashes(trial_options const& options) -> tally
{
    tally all;
    for (workload const& of : chosen_workloads(options)) {
        fs::path const place = directory_for(options);
        recording const whole = record(of, place);

        disk_model disk = whole.before;
        std::size_t applied = 0;
        std::uint64_t reported = 0;
        power_losses losses(of, place);
        auto const trial = [&](std::uint64_t point) -> verdict {
            for (; applied < point; ++applied) {
                operation const& one = whole.operations[applied];
                bool const is_synchronization = one.kind == operation::kind_type::synchronize;
                if (options.synchronizes || !is_synchronization) disk.apply(one);
                if (one.kind == operation::kind_type::mark) reported = one.offset;
            }
            std::mt19937_64 random(options.seed * 1000003 + point);
            return losses.judge(disk, {loss::nothing, loss::everything, loss::some, loss::any}, reported, random);
        };
        all += try_all(whole.operations.size() + 1, options, trial,
            [&](std::uint64_t point) { return of.name + ", crash after operation " + std::to_string(point); });
    }
    return all;
}

auto try_kills(trial_options const& options) -> tally
{
    tally all;
    for (workload const& of : chosen_workloads(options)) {
        fs::path const place = directory_for(options);
        recording const whole = record(of, place);
        power_losses losses(of, place);
        auto const trial = [&](std::uint64_t point) -> verdict {
            disk_model disk = whole.before;
            std::uint64_t const reported = apply(whole.operations, point, disk);
            std::mt19937_64 random(options.seed * 1000003 + point);
            fs::path const root = place / std::to_string(point);
            disk.write_image(root, loss::nothing, random);
            disk.continue_in(root);
            continuation const next(of, root, reported);
            if (!is_sound(next.found)) return next.found;
            fs::remove_all(root);
            return judge_continued(disk, next, reported, losses, random);
        };
        all += try_all(whole.operations.size() + 1, options, trial,
            [&](std::uint64_t point) { return of.name + ", killed after operation " + std::to_string(point); });
    }
    return all;
}

auto try_errors(trial_options const& options) -> tally
{
    using calls = failing_calls;
    using pages = pages_after_failure;
    struct fault {
        char const* name;
        int code;
        bool half = false;
        bool persistent = false;
        failing_calls calls = failing_calls::all;
        pages_after_failure pages = pages_after_failure::kept;
    };
    constexpr std::array faults{fault{"EIO", EIO}, fault{"full disk", ENOSPC, true, true}, fault{"EDQUOT", EDQUOT},
        fault{"EIO from this operation on", EIO, false, true}, fault{"short write", ENOSPC, true},
        fault{"EIO of fdatasync from here on", EIO, false, true, calls::data_synchronizations},
        fault{"EIO of one synchronization", EIO, false, false, calls::synchronizations},
        fault{"EIO of one synchronization, pages dropped", EIO, false, false, calls::synchronizations, pages::dropped},
        fault{
            "EIO of one synchronization, some pages dropped", EIO, false, false, calls::synchronizations, pages::mixed},
        fault{"EIO of synchronizations from here on, pages dropped", EIO, false, true, calls::synchronizations,
            pages::dropped}};
    constexpr std::uint64_t faults_a_call = 2;
    tally all;
    for (workload const& of : chosen_workloads(options)) {
        fs::path const place = directory_for(options);
        std::uint64_t const count = record(of, place).calls;
        power_losses losses(of, place);
        fs::path const origin = place / "origin";
        fs::create_directories(origin);
        of.prepare(origin);

        auto const fault_of = [&](std::uint64_t trial) {
            return faults[(trial / faults_a_call + trial % faults_a_call * 5) % faults.size()];
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
                recorder.inject({number / faults_a_call + 1, chosen.code, chosen.half, chosen.persistent, chosen.calls,
                    chosen.pages, options.seed + number});
                complete = of.run(root, [&](std::uint64_t steps) { reported = steps; });
                apply(recorder.operations(), recorder.operations().size(), disk);
            }
            if (complete && reported != of.steps) return {verdict::result_type::lost, "an error was not reported"};
            // A failed synchronization may have made all, nothing or a part durable.
            std::mt19937_64 random(options.seed + number);
            verdict found = losses.judge(disk, {loss::everything, loss::some}, reported, random);
            if (!is_sound(found)) return found;
            disk.continue_in(root);
            continuation const next(of, root, reported);
            if (!is_sound(next.found)) return next.found;
            fs::remove_all(root);
            return judge_continued(disk, next, reported, losses, random);
        };
        all += try_all(count * faults_a_call, options, trial, [&](std::uint64_t number) {
            return of.name + ", call " + std::to_string(number / faults_a_call + 1) + ", " + fault_of(number).name;
        });
    }
    return all;
}

}  // namespace iacctl::durability
