// SPDX-License-Identifier: BSL-1.0
#include "memory_backend.hpp"

#include "base/random.hpp"
#include "workspace_name.hpp"

#include <utility>

namespace iacctl::state {

namespace {

class memory_store final : public store {
public:
    explicit memory_store(std::shared_ptr<memory_backend::stored_state> kept) : kept_(std::move(kept)) {}

    auto read() -> task<expected<infra::snapshot>> override { co_return read_now(); }
    auto read_now() -> expected<infra::snapshot> override
    {
        std::scoped_lock const held(kept_->guard);
        return kept_->content;
    }

    auto append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
        -> task<strider::error_code> override
    {
        co_return code_of(append_now(batch, after));
    }
    auto append_now(std::span<infra::journal_entry const>, infra::snapshot const& after) -> expected<void> override
    {
        std::scoped_lock const held(kept_->guard);
        if (lineage_.empty()) lineage_ = kept_->content.lineage.empty() ? after.lineage : kept_->content.lineage;
        if (lineage_.empty()) lineage_ = random_uuid();
        kept_->content = after;
        kept_->content.lineage = lineage_;
        return {};
    }

    auto condition() const -> expected<void> override { return {}; }
    auto begin_generation(std::string_view) -> expected<std::int64_t> override { return 0; }
    auto end_generation(std::string_view) -> expected<void> override { return {}; }
    auto ensure_space(space_estimate) -> expected<void> override { return {}; }
    auto lineage() const -> std::string const& override { return lineage_; }
    auto place() const -> std::string override { return "memory"; }

private:
    std::shared_ptr<memory_backend::stored_state> kept_;
    std::string lineage_;
};

}  // namespace

auto memory_backend::content() const -> infra::snapshot
{
    std::scoped_lock const held(kept_->guard);
    return kept_->content;
}

auto memory_backend::workspaces() const -> expected<std::vector<std::string>>
{
    return std::vector<std::string>{std::string(default_workspace)};
}

auto memory_backend::exists(std::string const&) const -> expected<bool>
{
    return !content().lineage.empty();
}

auto memory_backend::make(std::string const&) const -> expected<void>
{
    return {};
}

auto memory_backend::remove(std::string const&) const -> expected<void>
{
    std::scoped_lock const held(kept_->guard);
    kept_->content = {};
    return {};
}

auto memory_backend::open(std::string const&, open_mode) const -> std::unique_ptr<store>
{
    return std::make_unique<memory_store>(kept_);
}

auto memory_backend::lock(std::string const&, lock_request const&) const -> expected<std::unique_ptr<held_lock>>
{
    return std::make_unique<held_lock>();
}

auto memory_backend::locks(std::string const&) const -> expected<std::vector<lock_description>>
{
    return std::vector<lock_description>();
}

auto memory_backend::lock_failure(std::string const& workspace, std::string const&) const -> infra::failure
{
    return make_failure(messages::state_locked, {"memory", workspace});
}

auto memory_backend::force_unlock(std::string const&, std::string const&) const -> expected<void>
{
    return {};
}

}  // namespace iacctl::state
