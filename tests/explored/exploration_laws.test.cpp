// SPDX-License-Identifier: BSL-1.0
// The exploration compared with the definition: random programs without branches, of which every assignment of stores to loads and
// every modification order is checked against the axioms. STRIDER_EXPLORED_SEED is the first program, STRIDER_EXPLORED_PROGRAMS their number.
#include <support/exploration.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

enum class step_kind : std::uint8_t { load, store, exchange, fence };

struct program_step {
    step_kind kind;
    std::size_t variable;
    std::memory_order order;
    std::uint64_t value;  // stored; no two are the same
};
using random_program = std::vector<std::vector<program_step>>;

[[nodiscard]] auto make_program(std::uint64_t seed) -> random_program
{
    std::mt19937_64 random(seed);
    auto const below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    auto const one_of = [&](std::initializer_list<std::memory_order> some) {
        return *(some.begin() + below(some.size()));
    };
    using enum std::memory_order;
    random_program made(2 + below(2));
    bool const has_fences = below(3) == 0;
    bool const is_sequential = below(2) == 0;
    std::size_t stores = 0;
    for (auto& thread : made)
        for (std::size_t count = 2 + below(made.size() == 2 ? 3 : 2); count != 0; --count) {
            program_step step{static_cast<step_kind>(below(has_fences ? 4 : 3)), below(2), relaxed, 0};
            bool const writes = step.kind == step_kind::store || step.kind == step_kind::exchange;
            if (writes && stores == 5) step.kind = step_kind::load;
            if (writes && stores != 5) step.value = ++stores;
            switch (step.kind) {
            case step_kind::load: step.order = one_of({relaxed, acquire, seq_cst}); break;
            case step_kind::store: step.order = one_of({relaxed, release, seq_cst}); break;
            case step_kind::exchange: step.order = one_of({relaxed, acquire, release, acq_rel, seq_cst}); break;
            case step_kind::fence: step.order = one_of({acquire, release, acq_rel, seq_cst}); break;
            }
            if (is_sequential && below(2) == 0) step.order = seq_cst;
            thread.push_back(step);
        }
    return made;
}

[[nodiscard]] auto describe(random_program const& program) -> std::string
{
    std::string text;
    for (auto const& thread : program) {
        for (auto const& step : thread)
            text += std::array{"load", "store", "exchange", "fence"}[static_cast<std::size_t>(step.kind)]
                + std::string(" ") + "xy"[step.variable] + " " + std::to_string(step.value) + " order "
                + std::to_string(static_cast<int>(step.order)) + "; ";
        text += "\n";
    }
    return text;
}

// The values that loads and exchanges read, in the order of the program: one text for each consistent execution.
using behaviours = std::multiset<std::string>;

// The axioms of RC11 with the release sequences of C++20, on sets of pairs.
class axioms {
public:
    explicit axioms(random_program const& program)
    {
        for (std::size_t t = 0; t < program.size(); ++t)
            for (program_step const& step : program[t]) {
                bool const is_exchange = step.kind == step_kind::exchange;
                if (step.kind == step_kind::load || is_exchange) add({t, false, false, step, is_exchange});
                if (step.kind == step_kind::store || is_exchange) add({t, true, false, step, is_exchange});
                if (step.kind == step_kind::fence) add({t, false, true, step, false});
            }
    }

    [[nodiscard]] auto all() -> behaviours
    {
        choose_stores(0);
        return found_;
    }

private:
    struct node {
        std::size_t thread;
        bool is_store;
        bool is_fence;
        program_step step;
        bool is_half;
        [[nodiscard]] auto is_load() const -> bool { return !is_store && !is_fence; }
    };
    static constexpr std::size_t none = 99;
    using relation = std::vector<std::uint32_t>;  // for each node a set of bits

    void add(node const& n) { nodes_.push_back(n); }
    [[nodiscard]] static auto has(relation const& r, std::size_t a, std::size_t b) -> bool
    {
        return (r[a] >> b & 1U) != 0;
    }
    template <class F>
    [[nodiscard]] auto pairs(F f) const -> relation
    {
        relation r(nodes_.size());
        for (std::size_t a = 0; a < r.size(); ++a)
            for (std::size_t b = 0; b < r.size(); ++b) r[a] |= std::uint32_t{f(a, b)} << b;
        return r;
    }
    [[nodiscard]] static auto unite(relation a, relation const& b) -> relation
    {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] |= b[i];
        return a;
    }
    [[nodiscard]] static auto compose(relation const& a, relation const& b) -> relation
    {
        relation r(a.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t k = 0; k < a.size(); ++k)
                if (has(a, i, k)) r[i] |= b[k];
        return r;
    }
    [[nodiscard]] static auto close(relation r) -> relation
    {
        for (std::size_t k = 0; k < r.size(); ++k)
            for (std::size_t i = 0; i < r.size(); ++i)
                if (has(r, i, k)) r[i] |= r[k];
        return r;
    }
    [[nodiscard]] static auto is_irreflexive(relation const& r) -> bool
    {
        for (std::size_t i = 0; i < r.size(); ++i)
            if (has(r, i, i)) return false;
        return true;
    }
    [[nodiscard]] auto same_variable(std::size_t a, std::size_t b) const -> bool
    {
        return !nodes_[a].is_fence && !nodes_[b].is_fence && nodes_[a].step.variable == nodes_[b].step.variable;
    }
    [[nodiscard]] auto has_order(std::size_t a, std::initializer_list<std::memory_order> orders) const -> bool
    {
        return std::ranges::find(orders, nodes_[a].step.order) != orders.end();
    }

    void choose_stores(std::size_t n)
    {
        if (n == nodes_.size()) return choose_orders();
        if (!nodes_[n].is_load()) return choose_stores(n + 1);
        from_[n] = none;
        choose_stores(n + 1);
        for (std::size_t s = 0; s < nodes_.size(); ++s)
            if (nodes_[s].is_store && same_variable(s, n)) {
                from_[n] = s;
                choose_stores(n + 1);
            }
    }
    void choose_orders()
    {
        std::array<std::vector<std::size_t>, 2> stores;
        for (std::size_t n = 0; n < nodes_.size(); ++n)
            if (nodes_[n].is_store) stores[nodes_[n].step.variable].push_back(n);
        do {
            do {
                for (auto const& each : stores)
                    for (std::size_t i = 0; i < each.size(); ++i) place_[each[i]] = i + 1;
                if (is_consistent()) found_.insert(reads());
            } while (std::ranges::next_permutation(stores[1]).found);
        } while (std::ranges::next_permutation(stores[0]).found);
    }
    [[nodiscard]] auto reads() const -> std::string
    {
        std::string text;
        for (std::size_t n = 0; n < nodes_.size(); ++n)
            if (nodes_[n].is_load()) text += std::to_string(from_[n] == none ? 0 : nodes_[from_[n]].step.value) + " ";
        return text;
    }

    [[nodiscard]] auto is_consistent() const -> bool
    {
        auto const place_of = [&](std::size_t n) {
            return nodes_[n].is_store ? place_.at(n) : from_.at(n) == none ? 0 : place_.at(from_.at(n));
        };
        for (std::size_t a = 0; a < nodes_.size(); ++a)
            if (nodes_[a].is_half && nodes_[a].is_load() && place_of(a + 1) != place_of(a) + 1) return false;
        relation const po = pairs([&](auto a, auto b) { return nodes_[a].thread == nodes_[b].thread && a < b; });
        relation const rf = pairs([&](auto a, auto b) { return nodes_[b].is_load() && from_.at(b) == a; });
        relation const mo = pairs([&](auto a, auto b) {
            return nodes_[a].is_store && nodes_[b].is_store && same_variable(a, b) && place_of(a) < place_of(b);
        });
        relation const rb = pairs([&](auto a, auto b) {
            return nodes_[a].is_load() && nodes_[b].is_store && same_variable(a, b) && place_of(a) < place_of(b);
        });
        relation const rmw = pairs([&](auto a, auto b) {
            return nodes_[a].is_half && nodes_[b].is_half && nodes_[a].is_load() && b == a + 1;
        });
        relation const same = pairs([](auto a, auto b) { return a == b; });
        if (!is_irreflexive(close(unite(po, rf)))) return false;

        using enum std::memory_order;
        relation const chain = unite(same, close(compose(rf, rmw)));
        relation const begins = pairs([&](auto a, auto b) {
            if (!nodes_[b].is_store || !has_order(a, {release, acq_rel, seq_cst})) return false;
            return a == b || (nodes_[a].is_fence && has(po, a, b));
        });
        relation const ends = pairs([&](auto a, auto b) {
            if (!nodes_[a].is_load() || !has_order(b, {acquire, acq_rel, seq_cst})) return false;
            return a == b || (nodes_[b].is_fence && has(po, a, b));
        });
        relation const sw = compose(compose(compose(begins, chain), rf), ends);
        relation const hb = close(unite(po, sw));
        relation const eco = unite(unite(unite(rf, mo), rb), unite(compose(mo, rf), compose(rb, rf)));
        if (!is_irreflexive(hb) || !is_irreflexive(compose(hb, eco))) return false;

        auto const is_sequential = [&](auto a) { return has_order(a, {seq_cst}); };
        auto const fence = pairs([&](auto a, auto b) { return a == b && nodes_[a].is_fence && is_sequential(a); });
        auto const access = pairs([&](auto a, auto b) { return a == b && !nodes_[a].is_fence && is_sequential(a); });
        relation const elsewhere = pairs([&](auto a, auto b) { return has(po, a, b) && !same_variable(a, b); });
        relation const here = pairs([&](auto a, auto b) { return has(hb, a, b) && same_variable(a, b); });
        relation const scb = unite(unite(unite(po, compose(compose(elsewhere, hb), elsewhere)), here), unite(mo, rb));
        relation const hb_or_same = unite(same, hb);
        relation const base =
            compose(compose(unite(access, compose(fence, hb_or_same)), scb), unite(access, compose(hb_or_same, fence)));
        relation const fences = compose(compose(fence, unite(hb, compose(compose(hb, eco), hb))), fence);
        return is_irreflexive(close(unite(base, fences)));
    }

    std::vector<node> nodes_;
    std::array<std::size_t, 32> from_{};
    std::array<std::size_t, 32> place_{};
    behaviours found_;
};

[[nodiscard]] auto explored(random_program const& program) -> behaviours
{
    struct world {
        std::array<explored_atomic<std::uint64_t>, 2> variables;
    };
    behaviours found;
    std::vector<std::vector<std::uint64_t>> read(program.size());
    for (std::size_t t = 0; t < program.size(); ++t) read[t].resize(program[t].size());
    auto const body = [&] {
        auto const shared = std::make_shared<world>();
        for (std::size_t t = 0; t < program.size(); ++t)
            exploration::start([&, shared, t] {
                for (std::size_t i = 0; i < program[t].size(); ++i) {
                    program_step const& step = program[t][i];
                    auto& variable = shared->variables[step.variable];
                    (void)exploration::count();
                    switch (step.kind) {
                    case step_kind::load: read[t][i] = variable.load(step.order); break;
                    case step_kind::store: variable.store(step.value, step.order); break;
                    case step_kind::exchange: read[t][i] = variable.exchange(step.value, step.order); break;
                    case step_kind::fence: exploration::fence(step.order); break;
                    }
                }
            });
    };
    auto const result = exploration::run({}, body, [&] {
        std::string text;
        for (std::size_t t = 0; t < program.size(); ++t)
            for (std::size_t i = 0; i < program[t].size(); ++i)
                if (program[t][i].kind == step_kind::load || program[t][i].kind == step_kind::exchange)
                    text += std::to_string(read[t][i]) + " ";
        found.insert(text);
    });
    EXPECT_TRUE(result.is_complete) << result.violation << "\n" << result.trace;
    EXPECT_EQ(result.blocked, 0U);
    return found;
}

[[nodiscard]] auto number_of(char const* name, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Exploration, MakesEachConsistentExecutionOfARandomProgramOnce)
{
    std::uint64_t const first = number_of("STRIDER_EXPLORED_SEED", 1);
    std::uint64_t const count = number_of("STRIDER_EXPLORED_PROGRAMS", 300);
    std::size_t executions = 0;

    for (std::uint64_t seed = first; seed != first + count && !HasFailure(); ++seed) {
        random_program const program = make_program(seed);
        behaviours const expected = axioms(program).all();

        EXPECT_EQ(explored(program), expected) << "STRIDER_EXPLORED_SEED=" << seed << "\n" << describe(program);
        executions += expected.size();
    }

    std::printf("%zu executions of %d programs\n", executions, static_cast<int>(count));
}

}  // namespace
}  // namespace strider::test
