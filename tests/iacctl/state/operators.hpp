// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_STATE_OPERATORS_HPP
#define IACCTL_TESTS_STATE_OPERATORS_HPP

#include "support.hpp"

#include "base/address_text.hpp"
#include "state/backend.hpp"
#include "state/part_locks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace iacctl::state::test {

/// Operators that change a workspace at the same time, each like a command: read state, decide, lock parts, compare
/// versions, write.
class operators {
public:
    /// \param connect  makes a backend for each command
    /// \param prepare  is called with each store before it is used
    operators(std::function<std::unique_ptr<backend>()> connect, std::function<void(store&)> prepare,
        std::string workspace, std::uint32_t seed)
        : connect_(std::move(connect)),
          prepare_(std::move(prepare)),
          workspace_(std::move(workspace)),
          seed_(seed)
    {}

    // \return the failure of an operator; empty: there is none
    auto run(unsigned count, int commands_each) -> std::string
    {
        std::vector<std::string> failures(count);
        {
            std::vector<std::jthread> all;
            for (unsigned i = 0; i < count; ++i)
                all.emplace_back([&, i] {
                    std::mt19937 random(seed_ * 31 + i);
                    for (int n = 0; n < commands_each && failures[i].empty(); ++n) failures[i] = command(random, i, n);
                });
        }
        for (std::string const& f : failures)
            if (!f.empty()) return f;
        return {};
    }
    // The state that results if the commands run one after the other, in the order in which they had their locks.
    [[nodiscard]] auto serial_result() const -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> values;
        for (auto const& done : done_) {
            std::string const value = outcome(done.id, done.parts, values);
            for (std::string const& part : done.parts.written) values[part] = value;
        }
        return values;
    }
    [[nodiscard]] auto refused() const -> int { return refused_; }

    [[nodiscard]] static auto values_of(infra::snapshot const& s) -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> values;
        for (auto const& [target, record] : s.resources) values[to_string(target)] = record.current->attributes.text();
        return values;
    }

private:
    struct done_command {
        std::string id;
        state_parts parts;
    };

    // The result of a command depends on everything that it reads or replaces. For a resource, that is all of its
    // instances.
    static auto outcome(std::string const& id, state_parts const& parts,
        std::map<std::string, std::string> const& values) -> std::string
    {
        std::size_t mixed = std::hash<std::string>()(id);
        auto const mix = [&](std::string const& value) { mixed = mixed * 1000003 + std::hash<std::string>()(value); };
        for (auto const* const some : {&parts.written, &parts.read})
            for (std::string const& part : *some) {
                mix(part);
                for (auto const& [name, value] : values)
                    if (name == part || (some == &parts.read && without_instance_keys(name) == part)) mix(value);
            }
        return "{\"id\":\"" + id + "\",\"of\":" + std::to_string(mixed >> 12) + "}";
    }
    static auto choose(std::mt19937& random) -> state_parts
    {
        state_parts parts;
        for (char const* name : {"a", "b", "many[0]", "many[1]", "many[\"x\"]", "z"}) switch (random() % 4) {
            case 0: parts.written.push_back(std::string("terraform_data.") + name); break;
            case 1:
                if (std::string_view(name).find('[') == std::string_view::npos)
                    parts.read.push_back(std::string("terraform_data.") + name);
                break;
            default: break;
            }
        if (random() % 4 == 0) parts.read.emplace_back("terraform_data.many");
        return parts;
    }

    auto command(std::mt19937& random, unsigned by, int number) -> std::string
    {
        state_parts const parts = choose(random);
        std::string const id = std::to_string(by) + "_" + std::to_string(number);
        auto const in = connect_();
        for (;;) {
            auto const held = in->lock(workspace_, {"apply", {}, {}, state_parts()});
            if (!held) return error_text(held);
            auto const store = in->open(workspace_, open_mode::read_write);
            prepare_(*store);
            auto now = store->read_now();
            if (!now) return error_text(now);
            auto const planned = *store->versions();
            std::string const value = outcome(id, parts, values_of(*now));

            std::chrono::milliseconds const wait(random() % 4 == 0 ? 120 : 0);
            lock_request const asked{"apply", wait, {}, parts};
            if (auto const taken = (*held)->exchange(asked); !taken) {
                if (kind_of(taken.error()) != state_error::locked) return error_text(taken);
                ++refused_;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                continue;
            }
            auto names = parts.written;
            names.insert(names.end(), parts.read.begin(), parts.read.end());
            auto const current = store->current_versions(names);
            if (!current) return error_text(current);
            auto const version = [](part_versions const& all, std::string const& part) {
                auto const found = all.find(part);
                return found == all.end() ? std::int64_t{0} : found->second;
            };
            if (std::ranges::any_of(
                    names, [&](auto const& p) { return version(planned, p) != version(*current, p); })) {
                ++refused_;
                continue;
            }
            if (!store->begin_generation("apply")) return "no generation";
            for (std::string const& part : parts.written) {
                infra::object o = some_object("x");
                o.attributes = infra::document(value);
                o.dependencies =
                    infra::dependency_set({"t.own"}, {infra::dependency_set({"t.part" + id}, {shared_set()})});
                auto const e = infra::journal_entry::record(*infra::parse_address(part), {}, std::move(o));
                if (!replay(*now, e)) return "an entry does not fit";
                if (auto const saved = store->append_now(std::vector{e}, *now); !saved) return error_text(saved);
            }
            if (auto const ended = store->end_generation("complete"); !ended) return error_text(ended);
            std::lock_guard const guard(mutex_);  // before the locks are released
            done_.push_back({id, parts});
            return {};
        }
    }
    // A set of dependencies that objects of several operators share.
    static auto shared_set() -> infra::dependency_set
    {
        return {{"t.shared"}, {infra::dependency_set({"t.of_all"}, {infra::dependency_set({"t.first"}, {})})}};
    }

    std::function<std::unique_ptr<backend>()> connect_;
    std::function<void(store&)> prepare_;
    std::string workspace_;
    std::uint32_t seed_;
    std::mutex mutex_;
    std::vector<done_command> done_;
    std::atomic<int> refused_ = 0;
};

}  // namespace iacctl::state::test

#endif  // IACCTL_TESTS_STATE_OPERATORS_HPP
