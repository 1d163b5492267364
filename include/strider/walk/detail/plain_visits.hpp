// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_PLAIN_VISITS_HPP
#define STRIDER_WALK_DETAIL_PLAIN_VISITS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/grant.hpp>
#include <strider/walk/detail/pace.hpp>
#include <strider/walk/hand_stepped.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

template <class Run>
[[nodiscard]] auto visit_plainly(Run& run, vertex_id v) noexcept -> visit_outcome
{
    if (run.stopping()) return visit_outcome::cancelled();
    try {
        if constexpr (std::is_void_v<decltype(run.invoke(v))>) {
            run.invoke(v);
            return {};
        } else {
            return run.invoke(v);
        }
    } catch (...) {
        return visit_outcome::failure(std::current_exception());
    }
}

// A handler that visits one vertex after another, as long as there is a next one and others of the executor's handlers have
// not waited for a millisecond. Whoever steps by hand gets a say after each visit.
template <class Run>
class plain_worker {
public:
    explicit plain_worker(grant<Run> first) noexcept : current_(std::move(first)) {}

    void operator()()
    {
        constexpr auto slice = tick_clock::nanoseconds(1'000'000);
        tick_clock::ticks const begin = tick_clock::now();
        for (bool go_on = true; go_on;) {
            visit_outcome outcome = visit_plainly(current_.run(), current_.vertex());
            current_ = Run::exchange(std::move(current_), std::move(outcome));
            if (!current_) return;
            go_on = !is_hand_stepped_v<typename Run::executor_type> && tick_clock::now() - begin < slice;
        }
        typename Run::executor_type const executor = current_.run().executor();
        asio::post(executor, std::move(*this));
    }

private:
    grant<Run> current_;
};

// Some visits that go together from the control strand to the executor and back.
template <class Run>
class visit_batch {
public:
    visit_batch(std::shared_ptr<Run> run, std::span<vertex_id const> vertices) noexcept
        : run_(std::move(run)),
          vertices_(vertices)
    {}

    void operator()()
    {
        std::vector<walk_report::entry> others;
        for (vertex_id const v : vertices_)
            if (visit_outcome outcome = visit_plainly(*run_, v); !outcome.is_done() || outcome.is_unchanged())
                others.emplace_back(v, std::move(outcome));
        asio::strand<typename Run::executor_type> const strand = run_->strand();
        asio::dispatch(strand, [run = std::move(run_), all = vertices_, others = std::move(others)]() mutable {
            Run::settle_batch(std::move(run), all, std::move(others));
        });
    }

private:
    std::shared_ptr<Run> run_;
    std::span<vertex_id const> vertices_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_PLAIN_VISITS_HPP
