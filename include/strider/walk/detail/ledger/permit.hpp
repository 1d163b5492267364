// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_PERMIT_HPP
#define STRIDER_WALK_DETAIL_LEDGER_PERMIT_HPP

#include <strider/core/vertex_id.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <utility>

namespace strider::detail {

// The permission to visit one vertex; at most `max_concurrency` exist. A permit owns the walk. A strand without a
// permit owns no part of it, so the handler of the walk is called even if frames of its strands are still unwinding.
template <class Run>
class permit {
public:
    permit() = default;
    permit(boost::intrusive_ptr<Run> run, vertex_id v) noexcept : run_(std::move(run)), vertex_(v) {}

    [[nodiscard]] explicit operator bool() const noexcept { return run_ != nullptr; }
    [[nodiscard]] auto run() const noexcept -> Run& { return *run_; }
    [[nodiscard]] auto vertex() const noexcept -> vertex_id { return vertex_; }
    [[nodiscard]] auto share() const noexcept -> boost::intrusive_ptr<Run> { return run_; }
    [[nodiscard]] auto release() noexcept -> boost::intrusive_ptr<Run> { return std::move(run_); }

private:
    boost::intrusive_ptr<Run> run_;
    vertex_id vertex_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_PERMIT_HPP
