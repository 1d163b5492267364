// SPDX-License-Identifier: BSL-1.0
#include <explored/explored_programs.hpp>

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/detail/stealing/sequential_run.hpp>
#include <strider/walk/detail/stealing/termination_counter.hpp>
#include <strider/walk/detail/stealing/work_deque.hpp>
#include <strider/walk/detail/stealing/worker_set.hpp>

#include <support/explored_threads.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using deque = detail::basic_work_deque<explored_threads>;
using termination = detail::basic_termination_counter<explored_threads>;

// Explores threads that share a world. At the end, `law` returns a violated law, or an empty text.
template <class World>
[[nodiscard]] auto program_of(std::string name, std::vector<std::function<void(std::shared_ptr<World> const&)>> bodies,
    std::function<std::string(World const&)> law, std::function<void(World&)> prepare = {}) -> explored_program
{
    auto const explore = [bodies = std::move(bodies), law = std::move(law), prepare = std::move(prepare)](
                             search_bounds bounds) {
        World const* last = nullptr;
        return exploration::run(
            bounds,
            [&] {
                auto const world = std::make_shared<World>();
                last = world.get();
                new std::shared_ptr<World>(world);  // is not destroyed before the end of the execution
                if (prepare) prepare(*world);
                for (auto const& body : bodies) exploration::start([world, &body] { body(world); });
            },
            [&] {
                if (std::string const violated = law(*last); !violated.empty()) exploration::refute(violated);
            });
    };
    return {std::move(name), explore};
}

// Entries of a deque with plain data, which their owner writes before it offers them, and the thread that takes them changes.
struct deque_world {
    deque offers{2};
    std::array<int, 8> data{};

    void give(std::uint32_t v)
    {
        data.at(v) = 1;
        if (!offers.push(v)) take(v);  // the deque is full: the owner keeps the entry
    }
    void take(std::uint32_t v)
    {
        if (v == deque::none || v == deque::lost) return;
        exploration::require(++data.at(v) == 2, "each entry is taken once, by a thread that sees its data");
    }
    void take_all()
    {
        for (auto v = offers.pop(); v != deque::none; v = offers.pop()) take(v);
    }
};
using deque_body = std::function<void(std::shared_ptr<deque_world> const&)>;

[[nodiscard]] auto all_taken(std::size_t count) -> std::function<std::string(deque_world const&)>
{
    return [count](deque_world const& w) {
        for (std::size_t v = 1; v <= count; ++v)
            if (w.data.at(v) != 2) return std::string("each entry is taken");
        return std::string();
    };
}
[[nodiscard]] auto thief(int steals) -> deque_body
{
    return [steals](auto const& w) {
        for (int i = 0; i < steals; ++i) w->take(w->offers.steal());
    };
}

void add_deques(std::vector<explored_program>& all)
{
    deque_body const alternating = [](auto const& w) {
        w->give(1);
        w->give(2);
        w->take(w->offers.pop());
        w->give(3);
        w->take_all();
    };
    deque_body const at_once = [](auto const& w) {
        std::array<std::uint32_t, 3> const some{1, 2, 3};
        for (auto const v : some) w->data.at(v) = 1;
        for (std::size_t i = w->offers.push(some.data(), some.size()); i < some.size(); ++i) w->take(some.at(i));
        w->take(w->offers.pop());
        w->give(4);
        w->take_all();
    };
    deque_body const emptying = [](auto const& w) {
        w->give(1);
        w->give(2);
        w->take_all();
    };
    // The places of the deque are used again while a thief is slow.
    deque_body const refilling = [](auto const& w) {
        for (std::uint32_t v = 1; v <= 4; ++v) w->give(v);
        w->take_all();
    };
    deque_body const looking = [](auto const& w) {
        if (w->offers.size() != 0) w->take(w->offers.steal());
    };
    all.push_back(program_of<deque_world>("deque, owner and thief", {alternating, thief(3)}, all_taken(3)));
    all.push_back(program_of<deque_world>("deque, many offered at once", {at_once, thief(3)}, all_taken(4)));
    all.push_back(program_of<deque_world>("deque, two thieves", {emptying, thief(2), thief(1)}, all_taken(2)));
    all.push_back(program_of<deque_world>("deque, places used again", {refilling, thief(2)}, all_taken(4)));
    all.push_back(program_of<deque_world>("deque, a thief that looks first", {emptying, looking}, all_taken(2)));
}

// A worker offers an entry and is then busy until it is taken; others find nothing and leave.
struct offer_world {
    termination entry;
    deque offers{2};
    explored_atomic<bool, -1> is_taken{false};
    int data = 0;
    int ends = 0;
    bool has_joined = false;

    void look()
    {
        auto const v = offers.steal();
        if (v == deque::none || v == deque::lost) return;
        exploration::require(data == 1, "a thief sees what was done before the offer");
        data = 2;
        is_taken.store(true, std::memory_order_relaxed);
        is_taken.notify_one();
    }
    void leave()
    {
        if (entry.leave()) ++ends;
    }
    // Looks for entries as an active worker, then leaves, unless something was offered meanwhile.
    void work()
    {
        for (bool in = true; in;) {
            auto const seen = entry.offers();
            look();
            leave();
            in = entry.offers() != seen && entry.join(2);
        }
    }
    static void help(std::shared_ptr<offer_world> const& self)
    {
        if (self->entry.join_queued(2)) self->work();
    }
    static void offer(std::shared_ptr<offer_world> const& self)
    {
        self->data = 1;
        (void)self->offers.push(1);
        self->entry.offer();
        if (self->entry.reserve(2)) exploration::start([self] { help(self); });
        self->is_taken.wait(false, std::memory_order_relaxed);
        self->leave();
    }
};

// Workers of a run write plain data, and the last one that leaves reads it. Late helpers do not join.
struct end_world {
    termination entry;
    std::array<int, 3> data{};
    explored_atomic<int, -1> inside{1};
    bool is_over = false;

    void leave(std::size_t me)
    {
        data.at(me) = 1;
        inside.fetch_sub(1, std::memory_order_relaxed);
        if (!entry.leave()) return;
        exploration::require(!is_over, "a run ends once");
        is_over = true;
        for (int& each : data) each = 0;
    }
    void help(std::size_t me, std::uint32_t most)
    {
        if (!entry.join(most)) return;
        exploration::require(!is_over, "a run that is over is not joined");
        auto const others = static_cast<std::uint32_t>(inside.fetch_add(1, std::memory_order_relaxed));
        exploration::require(others < most, "no more workers than permitted");
        leave(me);
    }
};

void add_ends(std::vector<explored_program>& all)
{
    auto const taken_and_ended = [](offer_world const& w) {
        return w.data == 2 && w.ends == 1 ? std::string() : std::string("the entry is taken, and the run ends once");
    };
    all.push_back(program_of<offer_world>("termination, an offer while a worker leaves",
        {&offer_world::offer, [](auto const& w) { w->work(); }}, taken_and_ended, [](offer_world& w) {
            w.entry.open();
            (void)w.entry.join(2);
        }));
    all.push_back(program_of<offer_world>("termination, an offer while a helper stops waiting",
        {&offer_world::offer,
            [](auto const& w) {
                (void)w->entry.await_offer();
                offer_world::help(w);
            }},
        taken_and_ended, [](offer_world& w) {
            w.entry.open();
            (void)w.entry.queue_again(2);
        }));
    all.push_back(program_of<offer_world>("termination, a run begins while a helper stops waiting",
        {[](auto const& w) {
             w->entry.open();
             offer_world::offer(w);
         },
            [](auto const& w) { offer_world::help(w); }},
        taken_and_ended, [](offer_world& w) { (void)w.entry.queue_again(2); }));
    all.push_back(program_of<offer_world>(
        "termination, an offer by a worker that joined",
        {[](auto const& w) {
             if (!w->entry.join(2)) return;
             w->has_joined = true;
             offer_world::offer(w);
         },
            [](auto const& w) { w->work(); }},
        [](offer_world const& w) {
            bool const is_right = w.ends == 1 && w.data == (w.has_joined ? 2 : 0);
            return is_right ? std::string() : std::string("the entry is taken, and the run ends once");
        },
        [](offer_world& w) { w.entry.open(); }));
    auto const is_over = [](end_world const& w) { return w.is_over ? std::string() : std::string("the run ends"); };
    all.push_back(program_of<end_world>("termination, late helpers",
        {[](auto const& w) { w->leave(0); }, [](auto const& w) { w->help(1, 3); },
            [](auto const& w) { w->help(2, 3); }},
        is_over, [](end_world& w) { w.entry.open(); }));
    all.push_back(program_of<end_world>("termination, a full run",
        {[](auto const& w) { w->leave(0); }, [](auto const& w) { w->help(1, 2); },
            [](auto const& w) { w->help(2, 2); }},
        is_over, [](end_world& w) { w.entry.open(); }));
}

// Workers note failures; the last one that leaves takes them.
struct failure_world {
    termination entry;
    detail::basic_run_failure<explored_threads> failure;
    bool has_failed = false;
    bool has_thrown = false;

    void fail(std::exception_ptr what)
    {
        failure.note(std::move(what));
        end();
    }
    void end()
    {
        if (!entry.leave()) return;
        has_failed = failure.has_failed();
        has_thrown = failure.take() != nullptr;
    }
};

// Three workers want helpers for a run of at most three.
struct reserve_world {
    termination entry;
    explored_atomic<int, -1> reserved{0};

    void reserve()
    {
        if (!entry.reserve(3)) return;
        exploration::require(reserved.fetch_add(1, std::memory_order_relaxed) < 2, "no more helpers than permitted");
    }
};

// Two workers settle the dependencies of a vertex, which one of them then visits, twice.
struct counters_world {
    detail::basic_hot_records<explored_threads> records{row_of_two()};
    std::array<int, 2> data{};
    int visits = 0;
    explored_atomic<int, -1> begun{1};

    [[nodiscard]] static auto row_of_two() -> detail::row_arrays<vertex_id>
    {
        static auto const graph = [] {
            digraph<int> draft;
            for (int v = 0; v < 3; ++v) draft.add_vertex(v);
            for (std::size_t v = 0; v < 2; ++v) draft.add_edge(draft_vertex_id(2), depends_on(draft_vertex_id(v)));
            return freeze(std::move(draft)).value();
        }();
        return detail::dag_access::dependents(graph);
    }
    void settle(std::size_t me)
    {
        for (int run = 1; run <= 2; ++run) {
            if (begun.load(std::memory_order_acquire) != run) begun.wait(run - 1, std::memory_order_acquire);
            data.at(me) = run;
            auto const bit = [run](std::size_t of) { return 1U << (2 * static_cast<unsigned>(run - 1) + of); };
            records.pass_on(2, bit(me));
            if (!records.settle_one(2)) continue;
            exploration::require(data.at(0) == run && data.at(1) == run, "a visit sees its dependencies");
            exploration::require(
                records.take_inherited(2) == (bit(0) | bit(1)), "a vertex inherits from all dependencies");
            ++visits;
            records.restore(2);
            begun.store(run + 1, std::memory_order_release);
            begun.notify_one();
        }
    }
};

// There are as many workers as slots, which are used again.
struct slots_world {
    detail::basic_worker_set<explored_threads> workers{2, 1};

    void use()
    {
        auto& mine = workers.acquire_slot();
        exploration::require(!mine.leads, "a slot has one worker");
        mine.leads = true;
        mine.leads = false;
        workers.release_slot(mine);
    }
};

}  // namespace

auto explored_protocols() -> std::vector<explored_program>
{
    std::vector<explored_program> all;
    add_deques(all);
    add_ends(all);
    auto const thrower = [](auto const& w) { w->fail(std::make_exception_ptr(std::runtime_error("planned"))); };
    all.push_back(program_of<failure_world>(
        "failures of two workers", {thrower, thrower, [](auto const& w) { w->fail(nullptr); }},
        [](failure_world const& w) {
            return w.has_failed && w.has_thrown ? std::string() : std::string("the last worker sees the failure");
        },
        [](failure_world& w) {
            w.entry.open();
            (void)w.entry.join(3);
            (void)w.entry.join(3);
        }));
    all.push_back(program_of<failure_world>(
        "a failure in a later run",
        {[](auto const& w) {
             (void)w->failure.has_failed();
             w->end();
         },
            [](auto const& w) { w->fail(nullptr); }},
        [](failure_world const& w) {
            return w.has_failed ? std::string() : std::string("the last worker sees the failure");
        },
        [](failure_world& w) {
            w.entry.open();
            (void)w.entry.join(2);
        }));
    auto const reserve = [](auto const& w) { w->reserve(); };
    all.push_back(program_of<reserve_world>(
        "termination, three workers want helpers", {reserve, reserve, reserve},
        [](reserve_world const&) { return std::string(); }, [](reserve_world& w) { w.entry.open(); }));
    all.push_back(program_of<counters_world>("counters of two dependencies",
        {[](auto const& w) { w->settle(0); }, [](auto const& w) { w->settle(1); }}, [](counters_world const& w) {
            return w.visits == 2 ? std::string() : std::string("the vertex is visited in each run");
        }));
    auto const twice = [](auto const& w) {
        w->use();
        w->use();
    };
    all.push_back(program_of<slots_world>("slots of two workers", {twice, [](auto const& w) { w->use(); }},
        [](slots_world const&) { return std::string(); }));
    return all;
}

}  // namespace strider::test
