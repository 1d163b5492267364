// SPDX-License-Identifier: BSL-1.0
#include <support/toy_world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using namespace strider::test;

// Laws of the engine for any program, any prior state and any faults. Each seed is one story; a violation prints the
// seed. STRIDER_ENGINE_SEEDS is the number of seeds, STRIDER_ENGINE_FIRST_SEED the first one.
auto from_environment(char const* name, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class random_lifecycle {
public:
    explicit random_lifecycle(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] auto one_in(std::uint32_t n) -> bool { return random_() % n == 0; }
    [[nodiscard]] auto below(std::uint32_t n) -> std::uint32_t { return static_cast<std::uint32_t>(random_() % n); }

    // Resources r0, r1, ..., of which some are missing; each may refer to earlier ones.
    [[nodiscard]] auto program(std::uint32_t size) -> std::string
    {
        static constexpr std::array<char const*, 3> attributes{"id", "size", "stamp"};
        std::string text;
        std::vector<std::string> there;
        for (std::uint32_t i = 0; i < size; ++i) {
            if (one_in(6)) continue;
            std::string const name = "r" + std::to_string(i);
            text += name + " size=" + std::to_string(below(3)) + " kind=" + (one_in(2) ? "x" : "y");
            for (std::string const& other : there) {
                if (one_in(3)) text += " " + other + "=$" + other + "." + attributes[below(3)];
                else if (one_in(8)) text += " @depends_on=" + other;
            }
            if (one_in(5)) text += " @cbd";
            if (one_in(6)) text += " @count=" + std::to_string(below(3) + 1);
            if (one_in(8)) text += " @create=hello";
            if (one_in(8)) text += " @destroy=bye";
            text += "\n";
            there.push_back(name);
        }
        if (!there.empty()) text += "output.o =$" + there.back() + ".stamp\n";
        return text;
    }
    [[nodiscard]] auto seed() -> std::uint64_t { return random_() | 1U; }

private:
    std::mt19937_64 random_;
};

// A cloud and a state. A copy saves the present moment.
struct moment {
    infra::sim::cloud cloud;
    infra::sim::durable_state kept;
    int runs = 0;

    // \return whether there was a plan; a refused one has changed nothing
    auto run(std::string const& text, run_conditions how, bool destroy = false) -> std::optional<toy_applied>
    {
        auto const plan = this->plan(text, how.seed, destroy);
        if (!plan) return std::nullopt;
        how.run = "run" + std::to_string(++runs);
        return apply_simulated(toy(text), *plan, cloud, kept, how);
    }
    auto plan(std::string const& text, std::uint64_t seed, bool destroy = false) -> std::optional<toy_plan>
    {
        run_conditions calm;
        calm.seed = seed;
        infra::plan_options options;
        if (destroy) options.mode = plan_mode::destroy;
        auto plan = plan_simulated(toy(text), options, cloud, kept, calm);
        if (!plan) ADD_FAILURE() << "a plan did not end";
        else if (*plan) return std::move(**plan);
        else refused = plan->error().why();
        return std::nullopt;
    }

    infra::diagnostics refused;
};

auto id_of(infra::object const& o) -> std::string
{
    auto const value = infra::sim::from_document(o.attributes);
    return value ? (*value)["id"] : "damaged";
}

// The laws that must hold at every moment, also after a crash.
void expect_sound(moment const& now)
{
    auto const& state = now.kept.now();
    for (auto const& e : infra::verify_integrity(state)) ADD_FAILURE() << e.address << ": " << e.code;

    std::set<std::string> known;
    for (auto const& [_, record] : state.resources) {
        if (record.current) known.insert(id_of(*record.current));
        for (auto const& [key, old] : record.deposed) known.insert(id_of(old));
    }
    std::set<std::string> open;
    for (auto const& o : now.cloud.log())
        if (state.pending.contains(o.key)) open.insert(o.object);
    for (auto const& [id, _] : now.cloud.resources())
        EXPECT_TRUE(known.contains(id) || open.contains(id)) << id << " exists and nobody knows";

    for (std::size_t count = 0; count <= now.kept.entries().size(); ++count) {
        auto const prefix = now.kept.after(count);
        if (!prefix) {
            ADD_FAILURE() << "entry " << count << " does not fit: " << prefix.error().message();
            break;
        }
        for (auto const& e : infra::verify_integrity(*prefix))
            ADD_FAILURE() << "after " << count << " entries: " << e.address << ": " << e.code;
    }
    EXPECT_TRUE(now.cloud.duplicates().empty()) << now.cloud.duplicates().front();
}

// A plan may be refused only because of a cycle.
void expect_cycle(moment const& now)
{
    ASSERT_FALSE(now.refused.empty());
    for (auto const& why : now.refused) EXPECT_EQ(why.code, infra::codes::dependency_cycle);
}

// A run without faults completes everything; after it there is nothing to do, and then everything can be destroyed.
void expect_recovery(moment now, std::string const& text, std::uint64_t seed)
{
    run_conditions calm;
    calm.seed = seed;
    auto const done = now.run(text, calm);
    if (!done) return expect_cycle(now);
    EXPECT_TRUE(done->ok);
    for (auto const& p : done->problems) ADD_FAILURE() << p.address << ": " << p.code;
    expect_sound(now);
    EXPECT_TRUE(now.kept.now().pending.empty());

    auto const again = now.plan(text, seed);
    ASSERT_TRUE(again.has_value());
    EXPECT_FALSE(again->has_changes());

    auto const gone = now.run(text, calm, true);
    ASSERT_TRUE(gone.has_value());
    EXPECT_TRUE(gone->ok);
    EXPECT_TRUE(now.kept.now().resources.empty());
    EXPECT_TRUE(now.kept.now().outputs.empty());
    EXPECT_TRUE(now.cloud.resources().empty()) << now.cloud.resources().begin()->first;
}

TEST(EngineLaws, AfterAnyFaultStateIsConsistentAndTheNextRunConverges)
{
    std::uint64_t const first = from_environment("STRIDER_ENGINE_FIRST_SEED", 1);
    std::uint64_t const count = from_environment("STRIDER_ENGINE_SEEDS", 40);
    std::size_t refused = 0;
    for (std::uint64_t seed = first; seed != first + count && !HasFailure(); ++seed) {
        random_lifecycle s(seed);
        std::string const before = s.program(2 + s.below(6));
        std::string const after = s.program(2 + s.below(6));
        SCOPED_TRACE("seed " + std::to_string(seed) + "\nfrom\n" + before + "to\n" + after);
        run_conditions calm;
        calm.seed = s.seed();
        moment now;
        auto const made = now.run(before, calm);
        ASSERT_TRUE(made.has_value() && made->ok);
        expect_sound(now);

        run_conditions rough;
        rough.seed = s.seed();
        rough.limits.parallelism = s.one_in(3) ? 1 : 10;
        rough.provider = strider::sim::fault_plan::seeded(s.seed(), {.fails = 80, .throws = 40, .slow = 40});
        // Plans and reads have no faults, because the tested operations come after them.
        for (std::uint32_t i = 0; i < 8; ++i) rough.provider.on("plan toy.r" + std::to_string(i), fault::none);
        if (s.one_in(4)) rough.store = strider::sim::fault_plan::seeded(s.seed(), {.fails = 60, .throws = 30});
        if (s.one_in(4)) {
            rough.stop = s.one_in(2) ? asio::cancellation_type::partial : asio::cancellation_type::terminal;
            rough.stop_at = [left = 1 + s.below(6)](toy_event const& e) mutable {
                return e.kind == infra::event_kind::operation_started && left-- == 1;
            };
        }
        auto const done = now.run(after, rough);
        if (!done) {
            ++refused;
            expect_cycle(now);
            continue;
        }
        expect_sound(now);
        expect_recovery(now, after, s.seed());
        expect_recovery(now, before, s.seed());
    }
    RecordProperty("refused", static_cast<int>(refused));
    EXPECT_LT(refused, count);
}

TEST(EngineLaws, AfterACrashAtAnyStepTheNextRunConverges)
{
    std::uint64_t const first = from_environment("STRIDER_ENGINE_FIRST_SEED", 1);
    std::uint64_t const count = from_environment("STRIDER_ENGINE_SEEDS", 40) / 8 + 1;
    for (std::uint64_t seed = first; seed != first + count && !HasFailure(); ++seed) {
        random_lifecycle s(seed + 1'000'000);
        std::string const before = s.program(2 + s.below(4));
        std::string const after = s.program(2 + s.below(4));
        SCOPED_TRACE("seed " + std::to_string(seed) + "\nfrom\n" + before + "to\n" + after);
        run_conditions how;
        how.seed = s.seed();
        moment start;
        auto const made = start.run(before, how);
        ASSERT_TRUE(made.has_value() && made->ok);
        std::uint64_t const stride = 5 + s.below(20);

        for (std::uint64_t k = s.below(5); !HasFailure(); k += stride) {
            SCOPED_TRACE("crash after " + std::to_string(k) + " steps");
            moment now = start;
            how.crash_after = k;
            auto const plan = now.plan(after, how.seed);
            if (!plan) break;
            how.run = "crash";
            auto const done = apply_simulated(toy(after), *plan, now.cloud, now.kept, how);
            expect_sound(now);
            if (done) break;
            expect_recovery(now, after, how.seed);
        }
    }
}

// One lifecycle, with a crash at every single step: two replacements with create_before_destroy, an updated dependent, a
// removed one, and a new one.
TEST(EngineLaws, AfterACrashAtEachStepTheNextRunConverges)
{
    std::string const before = "a kind=x @cbd\n b kind=x from=$a.id @cbd\n c from=$b.id\n d from=$a.id\n";
    std::string const after = "a kind=y @cbd\n b kind=y from=$a.id @cbd\n c from=$b.id\n e from=$c.id\n";
    for (std::uint64_t const seed : {0U, 7U}) {
        run_conditions how;
        how.seed = seed;
        moment start;
        auto const made = start.run(before, how);
        ASSERT_TRUE(made.has_value() && made->ok);

        for (std::uint64_t k = 0; !HasFailure(); ++k) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", crash after " + std::to_string(k) + " steps");
            moment now = start;
            how.crash_after = k;
            auto const plan = now.plan(after, seed);
            ASSERT_TRUE(plan.has_value());
            auto const done = apply_simulated(toy(after), *plan, now.cloud, now.kept, how);
            expect_sound(now);
            if (done) break;
            if (k % 7 == 0) expect_recovery(now, after, seed);
        }
    }
}

}  // namespace
