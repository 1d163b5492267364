// SPDX-License-Identifier: BSL-1.0
#include <support/exploration.hpp>

#include <support/execution_graph.hpp>
#include <support/explored_memory.hpp>
#include <support/fibre.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using explored_memory::outside;

// The name of a function in the text of the compiler, without its type.
[[nodiscard]] auto short_name(std::string_view text) -> std::string
{
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (c == '<') ++depth;
        else if (c == '>' && (i == 0 || text[i - 1] != '-')) --depth;
        else if (depth == 0 && c == '(') return std::string(text.substr(begin, i - begin));
        else if (depth == 0 && (c == ' ' || c == ':' || c == '*' || c == '&')) begin = i + 1;
    }
    return std::string(text.substr(begin));
}

// The sites by their place, which is looked up with each access.
class site_table {
public:
    auto find(exploration::access const& what, std::memory_order order, std::memory_order otherwise,
        load_mode mode = load_mode::plain, bool is_store = false) -> std::uint16_t
    {
        std::uint64_t const place = (std::uint64_t{what.where.line()} << 20U)
            | (std::uint64_t{what.where.column()} << 8U) | (static_cast<std::uint64_t>(order) << 4U)
            | static_cast<std::uint64_t>(otherwise);
        std::uint64_t const key =
            (reinterpret_cast<std::uintptr_t>(what.where.file_name()) ^ place * 0x9e37'79b9'7f4a'7c15U)
            * 0xbf58'476d'1ce4'e5b9U;
        auto const [known, is_new] = by_key_.try_emplace(key, 0);
        if (is_new) {
            known->second = add(what, order, otherwise);
            all[known->second].mode = mode;
            all[known->second].is_store = is_store;
        }
        ++all[known->second].uses;
        return known->second;
    }

    std::vector<access_site> all{access_site{}};  // the first one is that of events without a place

private:
    auto add(exploration::access const& what, std::memory_order order, std::memory_order otherwise) -> std::uint16_t
    {
        access_site made;
        made.file = what.where.file_name();
        if (auto const slash = made.file.rfind('/'); slash != std::string::npos) made.file.erase(0, slash + 1);
        made.function = short_name(what.where.function_name());
        made.line = what.where.line();
        made.column = what.where.column();
        made.variable = what.variable;
        made.operation = what.operation;
        made.order = made.planted = order;
        made.otherwise = made.planted_otherwise = otherwise;
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].line == made.line && all[i].column == made.column && all[i].file == made.file
                && all[i].order == order && all[i].otherwise == otherwise)
                return static_cast<std::uint16_t>(i);
        all.push_back(std::move(made));
        return static_cast<std::uint16_t>(all.size() - 1);
    }

    std::unordered_map<std::uint64_t, std::uint16_t> by_key_;
};

[[nodiscard]] auto known_sites() -> site_table&
{
    static site_table table;
    return table;
}

struct explored_thread {
    std::unique_ptr<fibre> place;
    void (*body)(void*) = nullptr;
    void* data = nullptr;
    std::size_t done = 0;  // events
    bool is_ended = false;
    bool waits = false;
    bool is_patient = false;  // it is about to wait for a value: other threads run first
    event_clocks before{};  // after its last event
    event_clocks memory{};  // the same with what synchronizes outside of the graph
    std::vector<event_clocks> memory_after;  // each event
    std::uint64_t ticks = 0;
    std::size_t started = 0;
    std::size_t variables = 0;
    std::vector<std::optional<std::uint64_t>> known;  // the values that it read or wrote last
    std::size_t remembered = 0;  // loads of such a value
    std::size_t repeated = 0;  // loads of one value at one place, without another event
};

// Executions that are still to be run: those of a graph with one more event, which has these alternatives.
struct open_graph {
    execution_graph graph;
    event next;
    std::size_t thread = 0;
    std::vector<event_id> stores;  // that a load may read
    std::vector<std::size_t> places;  // of a store, or the options of a choice

    [[nodiscard]] auto alternatives() const -> std::size_t { return stores.size() + places.size(); }
};

class search {
public:
    search(search_bounds bounds, exploration::program const& main, std::function<void()> const& at_end)
        : bounds_(bounds),
          main_(main),
          at_end_(at_end)
    {}

    [[nodiscard]] auto run() -> search_result
    {
        search* const before = std::exchange(current_, this);
        auto const begin = std::chrono::steady_clock::now();
        is_complete_ = true;
        is_counted_ = false;
        execute(false);  // initialises what is static
        is_counted_ = true;
        open_.clear();
        result_ = {};
        is_complete_ = true;
        graph_ = {};
        do {
            execute(true);
            result_.longest = std::max(result_.longest, graph_.size());
            result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            if (result_.executions + result_.blocked >= bounds_.executions || result_.seconds >= bounds_.seconds) {
                is_complete_ = is_complete_ && open_.empty();
                break;
            }
        } while (result_.violation.empty() && take_next());
        result_.is_complete = is_complete_ && result_.violation.empty();
        current_ = before;
        return std::move(result_);
    }

    [[nodiscard]] static auto current() noexcept -> search& { return *current_; }
    [[nodiscard]] static auto is_active() noexcept -> bool { return current_ != nullptr; }

    auto make_variable(std::uint64_t value) -> std::uint16_t
    {
        explored_thread& me = threads_[me_];
        auto& known = variables_[graph_.name(me_)];
        if (known.size() == me.variables) {
            known.push_back(static_cast<std::uint16_t>(initial_values_.size()));
            initial_values_.push_back(0);
        }
        std::uint16_t const made = known[me.variables++];
        initial_values_[made] = value;
        return made;
    }

    auto load(exploration::access const& what, load_mode mode, std::memory_order order, std::memory_order otherwise,
        std::uint64_t expected) -> std::uint64_t
    {
        event e;
        e.kind = event_kind::load;
        e.mode = mode;
        e.location = what.location;
        e.expected = expected;
        e.site = known_sites().find(what, order, otherwise, mode);
        e.order = known_sites().all[e.site].planted;
        e.otherwise = known_sites().all[e.site].planted_otherwise;
        bool const is_dropped = known_sites().all[e.site].is_dropped;
        if (is_dropped) {
            auto const& known = threads_[me_].known;
            if (mode == load_mode::plain && what.location < known.size() && known[what.location]) {
                if (++threads_[me_].remembered > 1000) fail("a thread never ends");
                return *known[what.location];
            }
            e.mode = mode == load_mode::compare ? load_mode::modify : load_mode::plain;
        }
        if (!replays(e)) {
            auto const stores = graph_.candidates(me_, e);
            std::size_t chosen = 0;
            while (chosen != stores.size() && !try_load(graph_, me_, e, stores[chosen])) ++chosen;
            if (chosen == stores.size()) leave();
            defer({{}, e, me_, {stores.begin() + static_cast<std::ptrdiff_t>(chosen) + 1, stores.end()}, {}});
            added();
        }
        event const& done = proceed();
        explored_thread& me = threads_[me_];
        if (me.done > 1) {
            event const& previous =
                graph_.at({static_cast<std::uint8_t>(me_), static_cast<std::uint16_t>(me.done - 2)});
            bool const is_same = previous.kind == event_kind::load && previous.site == done.site
                && previous.location == done.location && previous.from == done.from && !done.is_exclusive;
            me.repeated = is_same ? me.repeated + 1 : 0;
        }
        // A loop that reads the same value again and again waits for another one.
        if (done.waits || me.repeated == 2) wait();
        if (is_dropped && mode == load_mode::compare) return expected;
        remember(done);
        return done.value;
    }

    void store(exploration::access const& what, std::uint64_t value, std::memory_order order, bool is_exclusive,
        std::memory_order otherwise)
    {
        event e;
        e.kind = event_kind::store;
        e.location = what.location;
        e.value = value;
        e.is_exclusive = is_exclusive;
        e.site = known_sites().find(what, order, otherwise, load_mode::plain, !is_exclusive);
        access_site const& site = known_sites().all[e.site];
        e.order = site.planted;
        if (site.is_dropped && site.mode != load_mode::compare) return;
        if (!replays(e)) {
            revisit(e);
            auto const places = graph_.places(me_, e);
            std::size_t chosen = 0;
            while (chosen != places.size() && !try_store(graph_, me_, e, places[chosen])) ++chosen;
            if (chosen == places.size()) leave();
            defer({{}, e, me_, {}, {places.begin() + static_cast<std::ptrdiff_t>(chosen) + 1, places.end()}});
            added();
        }
        remember(proceed());
    }

    void simple(event e)
    {
        if (!replays(e)) {
            graph_.add(me_, e);
            added();
        }
        proceed();
    }

    auto choose(std::size_t options) -> std::size_t
    {
        event e;
        e.kind = event_kind::choice;
        e.options = static_cast<std::uint16_t>(options);
        if (!replays(e)) {
            graph_.add(me_, e);
            open_graph others{{}, e, me_, {}, {}};
            for (std::size_t i = options; i-- > 1;) others.places.push_back(i);
            defer(std::move(others));
            added();
        }
        return proceed().value;
    }

    void start_thread(void (*body)(void*), void* data)
    {
        event e;
        e.kind = event_kind::spawn;
        explored_thread& parent = threads_[me_];
        std::size_t shift = 56;
        while ((graph_.name(me_) >> shift & 0xff) != 0) {
            if (shift == 0) fail("threads start one another nine times");
            shift -= 8;
        }
        std::uint64_t const name = graph_.name(me_) | std::uint64_t{++parent.started} << shift;
        if (!replays(e)) {
            if (graph_.add_thread(me_, e, name) == most_threads) fail("the program starts too many threads");
            added();
        }
        std::size_t const number = proceed().value;
        explored_thread& child = threads_[number];
        child = {};
        child.place = std::make_unique<fibre>(&search::enter);
        child.body = body;
        child.data = data;
        child.before = parent.before;
        child.memory = parent.memory_after.back();
        count_ = std::max(count_, number + 1);
        is_started_[number] = true;
    }

    auto count() -> std::uint64_t
    {
        threads_[me_].repeated = 0;
        return ++threads_[me_].ticks;
    }

    [[noreturn]] void fail(std::string_view law)
    {
        refute(law);
        leave();
    }
    void refute(std::string_view law)
    {
        if (!result_.violation.empty()) return;
        result_.violation = law;
        result_.trace = describe();
    }

private:
    // Runs the program with the current graph, and adds events to it until the program ends.
    void execute(bool uses_area)
    {
        explored_memory::begin(uses_area);
        threads_ = {};
        is_started_ = {};
        count_ = 1;
        left_ = graph_.size();
        graph_.name_first(std::uint64_t{1} << 56U);
        is_abandoned_ = false;
        threads_[0].place = std::make_unique<fibre>(&search::enter);
        is_started_[0] = true;
        me_ = 0;
        explored_memory::current = {0, &threads_[0].memory};
        threads_[0].memory[0] = 1;
        home_.continue_with(*threads_[0].place);
        explored_memory::is_inside = false;
        if (!is_abandoned_) end();
    }

    // All threads have ended or wait.
    void end()
    {
        bool waits = false;
        bool waits_for_nothing = true;
        for (std::size_t t = 0; t < count_; ++t) {
            if (!is_started_[t] || threads_[t].is_ended) continue;
            waits = true;
            event const& load = graph_.at(graph_.last(t));
            if (load.from != graph_.latest(load.location)) waits_for_nothing = false;
        }
        if (waits && waits_for_nothing) {
            refute("all threads wait, and work is left");
        } else if (waits) {
            ++result_.blocked;
        } else if (std::string const law = missing_notification(); !law.empty()) {
            refute(law);
        } else {
            ++result_.executions;
            if (at_end_ && is_counted_) at_end_();
        }
    }

    // A thread may have slept until the value was stored: it continues only if it is notified after that.
    [[nodiscard]] auto missing_notification() const -> std::string
    {
        for (std::size_t t = 0; t < count_; ++t)
            for (std::size_t i = 0; i < graph_.size_of(t); ++i) {
                event const& load = graph_.at({static_cast<std::uint8_t>(t), static_cast<std::uint16_t>(i)});
                if (load.kind != event_kind::load || load.mode != load_mode::await_other || load.from == initial)
                    continue;
                if (i != 0
                    && graph_.happens_before(
                        load.from, graph_.at({static_cast<std::uint8_t>(t), static_cast<std::uint16_t>(i - 1)}).before))
                    continue;
                bool is_notified = false;
                for (event_id const e : graph_.in_order())
                    is_notified = is_notified
                        || (graph_.at(e).kind == event_kind::notify && graph_.at(e).location == load.location
                            && graph_.happens_before(load.from, graph_.at(e).before));
                if (!is_notified) return "a waiting thread is not notified";
            }
        return {};
    }

    // Takes the next graph. \return false if there is none
    [[nodiscard]] auto take_next() -> bool
    {
        while (!open_.empty()) {
            open_graph& top = open_.back();
            if (top.alternatives() == 0) {  // a graph without another event
                graph_ = std::move(top.graph);
                open_.pop_back();
                return true;
            }
            bool const is_last = top.alternatives() == 1;
            execution_graph graph = is_last ? std::move(top.graph) : top.graph;
            ++graph.deviations;
            event const next = top.next;
            std::size_t const thread = top.thread;
            bool is_consistent = true;
            if (next.kind == event_kind::load) {
                event_id const from = top.stores.front();
                top.stores.erase(top.stores.begin());
                is_consistent = try_load(graph, thread, next, from);
            } else {
                std::size_t const place = top.places.back();
                top.places.pop_back();
                if (next.kind == event_kind::store) {
                    is_consistent = try_store(graph, thread, next, place);
                } else {
                    event chosen = next;
                    chosen.value = place;
                    graph.add(thread, chosen);
                }
            }
            if (is_last) open_.pop_back();
            if (!is_consistent) continue;
            graph_ = std::move(graph);
            return true;
        }
        return false;
    }

    [[nodiscard]] auto value_of(execution_graph const& graph, std::uint16_t location, event_id store) const
        -> std::uint64_t
    {
        return store == initial ? initial_values_[location] : graph.at(store).value;
    }
    [[nodiscard]] auto try_load(execution_graph& graph, std::size_t thread, event const& e, event_id from) -> bool
    {
        graph.add_load(thread, e, from, value_of(graph, e.location, from));
        // A thread that waits after it has read an old value waits for ever.
        bool const is_useful = !graph.at(graph.last(thread)).waits || from == graph.latest(e.location);
        if (is_useful && graph.is_sequential_at(thread)) return true;
        graph.remove_last(thread);
        return false;
    }
    [[nodiscard]] auto try_store(execution_graph& graph, std::size_t thread, event const& e, std::size_t place) -> bool
    {
        graph.add_store(thread, e, place);
        if (graph.is_sequential_at(thread)) return true;
        graph.remove_last(thread);
        return false;
    }

    // The event of the graph has other alternatives.
    void defer(open_graph others)
    {
        if (others.alternatives() == 0) return;
        if (graph_.deviations >= bounds_.deviations) {
            is_complete_ = false;
            return;
        }
        others.graph = graph_;
        others.graph.remove_last(me_);
        open_.push_back(std::move(others));
    }

    // Earlier loads may read the store that is about to be added.
    void revisit(event const& e)
    {
        for (event_id const load : graph_.revisitable(me_, e)) {
            if (graph_.deviations >= bounds_.deviations) {
                is_complete_ = false;
                return;
            }
            auto [rest, again] = graph_.cut(load, me_);
            auto const places = rest.places(me_, e);
            for (std::size_t const place : places) {
                execution_graph graph = rest;
                if (!try_store(graph, me_, e, place)) continue;
                if (!graph.add_again(load, again, graph.last(me_), e.value) || !graph.is_sequential_at(load.thread))
                    continue;
                open_.push_back({std::move(graph), {}, 0, {}, {}});
            }
        }
    }

    void added() { ++left_; }
    void remember(event const& access)
    {
        auto& known = threads_[me_].known;
        if (known.size() <= access.location) known.resize(access.location + std::size_t{1});
        known[access.location] = access.value;
    }

    // Waits for the turn of this thread. \return true if its next event is in the graph already
    [[nodiscard]] auto replays(event const& e) -> bool
    {
        explored_thread& me = threads_[me_];
        me.is_patient = e.mode == load_mode::await_other || e.mode == load_mode::await_modify;
        while (!is_my_turn()) continue_with(next_thread());
        me.is_patient = false;
        if (me.done == graph_.size_of(me_)) return false;
        event const& it = graph_.at({static_cast<std::uint8_t>(me_), static_cast<std::uint16_t>(me.done)});
        bool const is_same = it.kind == e.kind && it.location == e.location && it.mode == e.mode && it.site == e.site
            && it.options == e.options && (e.kind != event_kind::store || it.value == e.value)
            && (e.kind != event_kind::load || it.expected == e.expected);
        if (!is_same) fail("the program is not deterministic");
        return true;
    }
    // Takes the next event of this thread from the graph.
    auto proceed() -> event const&
    {
        explored_thread& me = threads_[me_];
        if (me.done == 2000) fail("a thread never ends");
        event const& it = graph_.at({static_cast<std::uint8_t>(me_), static_cast<std::uint16_t>(me.done)});
        ++me.done;
        --left_;
        for (std::size_t t = 0; t < most_threads; ++t)
            if (t != me_ && it.before[t] > me.before[t])
                join(me.memory, threads_[t].memory_after[it.before[t] - std::size_t{1}]);
        me.before = it.before;
        me.memory[me_] = static_cast<std::uint16_t>(me.done);
        me.memory_after.push_back(me.memory);
        me.memory[me_] = static_cast<std::uint16_t>(me.done + 1);
        return it;
    }

    [[nodiscard]] auto is_executed(event_id e) const -> bool
    {
        return e == initial || threads_[e.thread].done > e.index;
    }
    [[nodiscard]] auto can_replay(std::size_t t) const -> bool
    {
        if (!is_started_[t] || threads_[t].done == graph_.size_of(t)) return false;
        event const& it = graph_.at({static_cast<std::uint8_t>(t), static_cast<std::uint16_t>(threads_[t].done)});
        return it.kind != event_kind::load || is_executed(it.from);
    }
    [[nodiscard]] auto is_my_turn() const -> bool { return left_ != 0 ? can_replay(me_) : first_thread() == me_; }
    // The thread that adds the next event: the order depends on the graph only.
    [[nodiscard]] auto first_thread() const -> std::size_t
    {
        std::size_t first = most_threads;
        for (std::size_t t = 0; t < count_; ++t)
            if (is_started_[t] && !threads_[t].is_ended && !threads_[t].waits
                && (first == most_threads || runs_before(t, first)))
                first = t;
        return first;
    }
    [[nodiscard]] auto runs_before(std::size_t a, std::size_t b) const -> bool
    {
        if (threads_[a].is_patient != threads_[b].is_patient) return threads_[b].is_patient;
        return graph_.name(a) < graph_.name(b);
    }
    [[nodiscard]] auto next_thread() const -> std::size_t
    {
        if (left_ == 0) return first_thread();
        for (std::size_t t = 0; t < count_; ++t)
            if (can_replay(t)) return t;
        return most_threads;
    }
    void continue_with(std::size_t next)
    {
        if (next == me_) return;
        std::size_t const before = me_;
        if (next != most_threads) become(next);
        threads_[before].place->continue_with(next == most_threads ? home_ : *threads_[next].place);
        become(before);
    }
    void become(std::size_t thread)
    {
        me_ = thread;
        explored_memory::current = {thread, &threads_[thread].memory};
    }

    // The thread does not continue in this execution.
    [[noreturn]] void wait()
    {
        threads_[me_].waits = true;
        end_thread();
    }
    [[noreturn]] void end_thread()
    {
        std::size_t const next = next_thread();
        if (next == most_threads) {
            if (left_ != 0) fail("the program is not deterministic");
            fibre::end_with(home_);
        }
        become(next);
        fibre::end_with(*threads_[next].place);
    }
    [[noreturn]] void leave()
    {
        is_abandoned_ = true;
        fibre::end_with(home_);
    }

    static void enter()
    {
        search& world = current();
        std::size_t const me = world.me_;
        explored_thread& self = world.threads_[me];
        self.memory[me] = 1;
        explored_memory::is_inside = true;
        try {
            if (me == 0) world.main_();
            else self.body(self.data);
        } catch (...) {
            explored_memory::is_inside = false;
            world.fail("a thread ends with an exception");
        }
        explored_memory::is_inside = false;
        self.is_ended = true;
        world.end_thread();
    }

    [[nodiscard]] auto describe() const -> std::string
    {
        std::string text;
        for (event_id const e : graph_.in_order()) {
            event const& it = graph_.at(e);
            access_site const& site = known_sites().all[it.site];
            text += "thread " + std::to_string(e.thread) + " event " + std::to_string(e.index) + ": ";
            switch (it.kind) {
            case event_kind::load:
                text += it.waits ? "waits, reads " : it.is_exclusive ? "modifies " : "reads ";
                text += std::to_string(it.value);
                text += it.from == initial
                    ? " as initialised"
                    : " of thread " + std::to_string(it.from.thread) + " event " + std::to_string(it.from.index);
                break;
            case event_kind::store: text += "writes " + std::to_string(it.value); break;
            case event_kind::fence: text += "fence"; break;
            case event_kind::spawn: text += "starts thread " + std::to_string(it.value); break;
            case event_kind::choice: text += "chooses " + std::to_string(it.value); break;
            case event_kind::notify: text += "notifies"; break;
            }
            if (it.kind == event_kind::load || it.kind == event_kind::store)
                text += ", variable " + std::to_string(it.location) + ", " + name_of(it.effective_order()) + ", "
                    + site.function + " " + site.file + ":" + std::to_string(site.line);
            text += "\n";
        }
        return text;
    }

    inline static search* current_ = nullptr;

    search_bounds bounds_;
    exploration::program const& main_;
    std::function<void()> const& at_end_;
    search_result result_;
    bool is_complete_ = true;

    execution_graph graph_;
    std::vector<open_graph> open_;
    std::unordered_map<std::uint64_t, std::vector<std::uint16_t>> variables_;  // of the threads with these names
    std::vector<std::uint64_t> initial_values_;

    fibre home_;
    std::array<explored_thread, most_threads> threads_;
    std::array<bool, most_threads> is_started_{};
    std::size_t count_ = 0;  // a bound of the numbers of threads
    std::size_t me_ = 0;
    std::size_t left_ = 0;  // events of the graph that are to be repeated
    bool is_abandoned_ = false;
    bool is_counted_ = true;
};

}  // namespace

auto name_of(std::memory_order order) -> std::string
{
    switch (order) {
    case std::memory_order_relaxed: return "relaxed";
    case std::memory_order_consume: return "consume";
    case std::memory_order_acquire: return "acquire";
    case std::memory_order_release: return "release";
    case std::memory_order_acq_rel: return "acq_rel";
    case std::memory_order_seq_cst: return "seq_cst";
    }
    return "?";
}

auto exploration::run(search_bounds bounds, program const& main, std::function<void()> const& at_end) -> search_result
{
    return search(bounds, main, at_end).run();
}

auto exploration::sites() -> std::vector<access_site>&
{
    return known_sites().all;
}

auto exploration::choose(std::size_t options) -> std::size_t
{
    outside const mark;
    return search::current().choose(options);
}

void exploration::fail(std::string_view law)
{
    explored_memory::is_inside = false;
    search::current().fail(law);
}

void exploration::refute(std::string_view law)
{
    search::current().refute(law);
}

void exploration::fence(std::memory_order order, std::source_location where)
{
    outside const mark;
    event e;
    e.kind = event_kind::fence;
    e.site = known_sites().find({0, -1, "fence", where}, order, std::memory_order_relaxed);
    e.order = known_sites().all[e.site].planted;
    search::current().simple(e);
}

auto exploration::count() -> std::uint64_t
{
    return search::current().count();
}

auto exploration::is_active() noexcept -> bool
{
    return search::is_active();
}

auto exploration::make_variable(std::uint64_t value) -> std::uint16_t
{
    outside const mark;
    return search::current().make_variable(value);
}

auto exploration::load(access const& what, load_mode mode, std::memory_order order, std::memory_order otherwise,
    std::uint64_t expected) -> std::uint64_t
{
    outside const mark;
    return search::current().load(what, mode, order, otherwise, expected);
}

void exploration::store(
    access const& what, std::uint64_t value, std::memory_order order, bool is_exclusive, std::memory_order otherwise)
{
    outside const mark;
    search::current().store(what, value, order, is_exclusive, otherwise);
}

void exploration::notify(access const& what)
{
    outside const mark;
    event e;
    e.kind = event_kind::notify;
    e.location = what.location;
    e.site = known_sites().find(what, std::memory_order_relaxed, std::memory_order_relaxed);
    if (!known_sites().all[e.site].is_dropped) search::current().simple(e);
}

void exploration::start_thread(void (*body)(void*), void* data)
{
    outside const mark;
    search::current().start_thread(body, data);
}

}  // namespace strider::test
