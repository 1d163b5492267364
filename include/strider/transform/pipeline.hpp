// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_PIPELINE_HPP
#define STRIDER_TRANSFORM_PIPELINE_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/transform/detail/stage_order.hpp>
#include <strider/transform/transformer.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace strider {

/// Runs stages in sequence and stops at the first error. A wrong order does not compile: the error names the property
/// and the stages.
///
/// The check covers the stages of one pipeline. What earlier calls have done to a graph is not a part of its type: a stage, or a
/// pipeline, that needs a property is combined with the stage that establishes it, and not applied to a graph alone.
///
/// A pipeline is a stage too: it `needs` the properties that no earlier stage of it establishes, and it combines what
/// its stages exclude, establish and invalidate. A pipeline that needs a property can therefore be the end of other
/// pipelines, but calling it alone does not compile. Stages without data take no space.
/// \complexity that of the stages.
template <transformer... Stages>
class pipeline : public transformer_base {
    using sequence = detail::sequence_of<Stages...>;

public:
    using needs = typename sequence::needs;  ///< needed by a stage, established by none before it
    using excludes = typename sequence::excludes;  ///< excluded by a stage, invalidated by none before it
    using establishes = typename sequence::establishes;  ///< established and not invalidated later
    using invalidates = typename sequence::invalidates;  ///< invalidated and not established again

    pipeline() = default;
    /// Stores the stages in the order in which they run.
    constexpr explicit pipeline(Stages... stages)
        requires(sizeof...(Stages) > 0)
        : stages_(std::move(stages)...)
    {}

    /// Returns the result of the last stage, or the error of the first stage that fails. Without stages, returns `g`.
    template <mutable_digraph G>
        requires(transformer_for<Stages, G> && ...)  // if false, a call of that stage alone names what its policy lacks
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        static_assert(detail::check_needs<Stages...>());
        return run<0>(g);
    }

    /// Deleted for a graph that does not change, such as a `dag`.
    template <directed_graph G>
        requires(!mutable_digraph<G>)
    void operator()(G const&) const = delete;  // a pipeline rewrites a digraph: run its stages before freeze(graph)

    /// The stages in the order in which they run; valid as long as the pipeline. A temporary returns them by value.
    /// @{
    [[nodiscard]] constexpr auto stages() const& noexcept -> std::tuple<Stages...> const& { return stages_; }
    [[nodiscard]] constexpr auto stages() && -> std::tuple<Stages...> { return std::move(stages_); }
    /// @}

private:
    template <transformer...>
    friend class pipeline;

    // Both move the graph into the stage.
    template <class Stage, class G>
    [[nodiscard]] static auto apply_stage(Stage const& stage, G& g) -> result<G>
    {
        return stage(std::move(g));
    }
    // A nested pipeline receives the properties it needs from the stages before it.
    template <class... Inner, class G>
    [[nodiscard]] static auto apply_stage(pipeline<Inner...> const& stage, G& g) -> result<G>
    {
        return stage.template run<0>(g);
    }
    template <std::size_t I, class G>
    [[nodiscard]] auto run(G& g) const -> result<G>
    {
        if constexpr (I == sizeof...(Stages)) {
            return std::move(g);
        } else if constexpr (I + 1 == sizeof...(Stages)) {
            return apply_stage(std::get<I>(stages_), g);
        } else {
            result<G> next = apply_stage(std::get<I>(stages_), g);
            if (!next) return next;
            return run<I + 1>(*next);
        }
    }

    [[no_unique_address]] std::tuple<Stages...> stages_;
};

/// Appends the stages of a pipeline to those of another one.
template <transformer... A, transformer... B>
[[nodiscard]] constexpr auto operator|(pipeline<A...> const& a, pipeline<B...> const& b)
{
    return std::apply(
        [](auto const&... s) { return pipeline<A..., B...>(s...); }, std::tuple_cat(a.stages(), b.stages()));
}
/// Appends a stage to a pipeline.
template <transformer... A, transformer B>
[[nodiscard]] constexpr auto operator|(pipeline<A...> const& a, B b)
{
    return std::apply([&](auto const&... s) { return pipeline<A..., B>(s..., std::move(b)); }, a.stages());
}
/// Inserts a stage before those of a pipeline.
template <transformer A, transformer... B>
[[nodiscard]] constexpr auto operator|(A a, pipeline<B...> const& b)
{
    return std::apply([&](auto const&... s) { return pipeline<A, B...>(std::move(a), s...); }, b.stages());
}
/// Combines stages as values: `forced_cbd{p} | destroy_split{p} | cycle_validation{}`.
template <transformer A, transformer B>
[[nodiscard]] constexpr auto operator|(A a, B b) -> pipeline<A, B>
{
    return pipeline<A, B>(std::move(a), std::move(b));
}

}  // namespace strider

#endif  // STRIDER_TRANSFORM_PIPELINE_HPP
