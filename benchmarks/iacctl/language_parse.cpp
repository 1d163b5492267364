// SPDX-License-Identifier: BSL-1.0
// Measures how fast a configuration is parsed, how much memory its tree takes, and how fast its bodies are evaluated.
#include <language/evaluation/evaluate.hpp>
#include <language/syntax/parser.hpp>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstddef>
#include <memory>
#include <string>

namespace {

using namespace iacctl::language;

/// Resource bodies with eight arguments each: templates, calls and references. Every tenth has a comment.
auto bodies(std::size_t count) -> std::string
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        auto const n = std::to_string(i);
        if (i % 10 == 0) text += "# The server number " + n + " of the fleet.\n";
        text += "resource \"cloud_server\" \"server_" + n + "\" {\n" + "  name        = \"${local.prefix}-server-" + n
            + "\"\n" + "  size        = upper(local.size)\n" + "  disk_gb     = 20 + " + n + " * 2\n"
            + "  zone        = local.zones[" + std::to_string(i % 3) + "]\n"
            + "  public      = local.size == \"large\" ? true : false\n" + "  tags        = { Name = \"server-" + n
            + "\", Role = local.role }\n" + "  networks    = [local.network, \"net-" + n + "\"]\n"
            + "  description = format(\"%s in %s\", local.role, local.zones[0])\n" + "}\n\n";
    }
    return text;
}

class fixed_scope final : public scope {
public:
    fixed_scope()
        : locals_(value::object({{"prefix", value("prod")}, {"size", value("large")}, {"role", value("web")},
              {"network", value("net-main")}, {"zones", value::tuple({value("a"), value("b"), value("c")})}}))
    {}
    [[nodiscard]] auto resolve(reference const& of, diagnostics&) const -> value override
    {
        auto const* const found = locals_.find(of.name);
        return found ? *found : value::unknown();
    }

private:
    value locals_;
};

void parse(benchmark::State& state)
{
    auto const text = bodies(static_cast<std::size_t>(state.range(0)));
    std::size_t memory = 0;
    for (auto _ : state) {
        state.PauseTiming();
        auto copy = text;
        auto const before = mallinfo2();
        state.ResumeTiming();
        diagnostics found;
        auto tree = parse_file("main.tf", std::move(copy), found);
        benchmark::DoNotOptimize(tree);
        state.PauseTiming();
        auto const after = mallinfo2();
        memory = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
        if (found.has_errors()) state.SkipWithError("the generated file has mistakes");
        tree.reset();
        state.ResumeTiming();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
    state.counters["tree_bytes_per_byte"] = static_cast<double>(memory) / static_cast<double>(text.size());
}
BENCHMARK(parse)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

void evaluate_bodies(benchmark::State& state)
{
    diagnostics found;
    auto const count = static_cast<std::size_t>(state.range(0));
    auto const tree = parse_file("main.tf", bodies(count), found);
    fixed_scope const in;
    for (auto _ : state)
        for (auto const& block : tree->root().blocks)
            for (auto const& one : block.content.attributes) benchmark::DoNotOptimize(evaluate(one.of, in, found));
    if (found.has_errors()) state.SkipWithError("the generated bodies have mistakes");
    state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}
BENCHMARK(evaluate_bodies)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
