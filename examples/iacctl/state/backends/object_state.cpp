// SPDX-License-Identifier: BSL-1.0
#include "object_state.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace iacctl::backends {

using state::make_failure;

namespace {

using outcome = write_reply::outcome_type;

constexpr std::string_view lock_suffix = ".tflock";
constexpr int most_tries = 5;

// Empty if there is no document.
auto sum_of(std::optional<std::string> const& text) -> std::string
{
    return text ? hex(digest(*text, digest_kind::sha256)) : std::string();
}

// The document of a workspace as this process has read or written it last.
struct known_document {
    std::string version;  // empty: there was none
    std::string sum;
    std::vector<std::string> unconfirmed;  // the sums of documents that were sent since, and may have been written
};

struct found_lock {
    lock_info info;  // with an empty id if the description cannot be read: the lock has no known holder
    std::string version;
};

class object_state final : public state_client {
public:
    object_state(std::shared_ptr<object_store> store, object_layout layout)
        : store_(std::move(store)),
          layout_(std::move(layout))
    {}

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return store_->type(); }
    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string override
    {
        return store_->place_of(key_of(workspace));
    }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        auto const keys = store_->list(layout_.before);
        if (!keys) return keys.error();
        std::vector<std::string> all;
        for (std::string const& key : *keys)
            if (auto name = workspace_of(key); !name.empty() && name != state::default_workspace)
                all.push_back(std::move(name));
        std::ranges::sort(all);
        all.emplace(all.begin(), state::default_workspace);
        return all;
    }

    [[nodiscard]] auto get(std::string const& workspace) -> expected<std::optional<std::string>> override
    {
        auto got = store_->get(key_of(workspace), object_use::document);
        if (!got) return got.error();
        known_[workspace] = {got->version, sum_of(got->text), {}};
        return std::move(got->text);
    }
    [[nodiscard]] auto put(std::string const& workspace, std::string const& text, std::string const& lock_id)
        -> expected<void> override
    {
        if (auto held = check_lock(workspace, lock_id); !held) return held;
        known_document& known = known_[workspace];
        std::string const key = key_of(workspace);
        std::string const sum = sum_of(text);
        if (std::ranges::find(known.unconfirmed, sum) == known.unconfirmed.end()) known.unconfirmed.push_back(sum);
        for (int tries = 1;; ++tries) {
            auto const only_if =
                layout_.conditional ? write_condition::unchanged(known.version) : write_condition::any();
            auto const got = store_->put(key, object_use::document, text, only_if);
            if (!got) return got.error();
            if (got->outcome == outcome::lock_lost)
                return make_failure(messages::remote_lock_lost, {place_of(workspace)});
            if (got->outcome == outcome::written) {
                known = {got->version, sum, {}};
                return store_->record_written(key, text);
            }
            auto const there = store_->get_again(key);
            if (!there) return there.error();
            std::string const sum_there = sum_of(there->text);
            // The reply to an earlier attempt, or to an earlier write of this process, may have been lost. A version may
            // also change without the text: by a lock, or because another request was in progress.
            bool const is_expected =
                sum_there == known.sum || std::ranges::find(known.unconfirmed, sum_there) != known.unconfirmed.end();
            if (is_expected) known.version = there->version;
            if (sum_there == sum) {
                known = {there->version, sum, {}};
                return store_->record_written(key, text);
            }
            if (!is_expected || tries == most_tries)
                return make_failure(messages::remote_state_conflict, {place_of(workspace), "  " + got->reason});
        }
    }
    [[nodiscard]] auto erase(std::string const& workspace) -> expected<void> override
    {
        auto done = store_->remove(key_of(workspace), object_use::document, {});
        if (done) known_.erase(workspace);
        return done;
    }

    [[nodiscard]] auto can_lock() const noexcept -> bool override
    {
        return layout_.uses_lock_objects || store_->locks() != nullptr;
    }
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> override
    {
        auto* const own = store_->locks();
        if (!layout_.uses_lock_objects) return own->lock(key_of(workspace), as);
        auto made = make_lock_object(workspace, as);
        if (!made || !made->held || own == nullptr) return made;
        auto tried = own->lock(key_of(workspace), as);
        if (tried && tried->held) return tried;
        if (auto done = remove_lock_object(workspace, as); !done) return done.error();
        return tried;
    }
    [[nodiscard]] auto unlock(std::string const& workspace, lock_info const& info) -> expected<void> override
    {
        auto* const own = store_->locks();
        auto done = own == nullptr ? expected<void>() : own->unlock(key_of(workspace), info);
        auto done_object = layout_.uses_lock_objects ? remove_lock_object(workspace, info) : expected<void>();
        return done ? done_object : done;
    }
    [[nodiscard]] auto holder(std::string const& workspace) -> std::optional<lock_info> override
    {
        auto held = held_lock(workspace);
        return held ? std::move(*held) : std::nullopt;
    }

private:
    [[nodiscard]] auto make_lock_object(std::string const& workspace, lock_info const& as) -> expected<lock_attempt>
    {
        for (int tries = 1;; ++tries) {
            auto const got =
                store_->put(lock_key_of(workspace), object_use::lock, as.text(), write_condition::absent());
            if (!got) return got.error();
            if (got->outcome == outcome::written) return lock_attempt{true, std::nullopt};
            auto there = lock_of(workspace);
            if (!there) return there.error();
            if (!*there && tries < most_tries) continue;  // released meanwhile
            if (!*there) return lock_attempt{};
            // The reply to an earlier attempt may have been lost: then the lock is that of this process.
            bool const is_own = (*there)->info.has_id(as.id);
            return lock_attempt{is_own, is_own ? std::nullopt : std::optional(std::move((*there)->info))};
        }
    }
    [[nodiscard]] auto remove_lock_object(std::string const& workspace, lock_info const& info) -> expected<void>
    {
        std::chrono::milliseconds wait(200);
        for (int tries = 1;; ++tries) {
            auto const held = lock_of(workspace);
            if (!held) return held.error();
            bool const is_own = *held && (*held)->info.has_id(info.id);
            // A removal whose reply was lost may have been performed, and another client may have taken the lock since.
            if (!*held || (!is_own && tries > 1)) return {};
            if (!is_own)
                return make_failure(
                    messages::lock_id_differs, {place_of(workspace), (*held)->info.description(), info.id});
            auto done = store_->remove(lock_key_of(workspace), object_use::lock, (*held)->version);
            if (done || tries == most_tries) return done;
            std::this_thread::sleep_for(wait);
            wait *= 2;
        }
    }
    // The lock of a state; nothing if it is not locked.
    [[nodiscard]] auto held_lock(std::string const& workspace) -> expected<std::optional<lock_info>>
    {
        if (auto* const own = store_->locks(); own != nullptr && !layout_.uses_lock_objects)
            return own->holder(key_of(workspace));
        if (!layout_.uses_lock_objects) return std::optional<lock_info>();
        auto held = lock_of(workspace);
        if (!held) return held.error();
        return *held ? std::optional(std::move((*held)->info)) : std::nullopt;
    }
    // The failure if this process no longer holds its lock. \param id  empty: it never had one
    [[nodiscard]] auto check_lock(std::string const& workspace, std::string const& id) -> expected<void>
    {
        auto* const own = store_->locks();
        bool const is_guarded = !layout_.uses_lock_objects && own != nullptr && own->guards_writes();
        if (id.empty() || is_guarded) return {};
        auto const held = held_lock(workspace);
        if (!held) return held.error();
        if (*held && (*held)->has_id(id)) return {};
        return make_failure(messages::remote_lock_lost, {place_of(workspace)});
    }

    [[nodiscard]] auto key_of(std::string const& workspace) const -> std::string
    {
        if (workspace == state::default_workspace) return layout_.of_default;
        return layout_.before + workspace + layout_.after;
    }
    [[nodiscard]] auto lock_key_of(std::string const& workspace) const -> std::string
    {
        std::string key = key_of(workspace);
        key.erase(key.size() - layout_.replaced_by_lock.size());
        return key.append(lock_suffix);
    }
    // Empty if the key is not that of the state of a workspace.
    [[nodiscard]] auto workspace_of(std::string_view key) const -> std::string
    {
        if (key.size() < layout_.before.size() + layout_.after.size() || !key.starts_with(layout_.before)
            || !key.ends_with(layout_.after))
            return {};
        key.remove_prefix(layout_.before.size());
        key.remove_suffix(layout_.after.size());
        return std::string(state::is_workspace_name(key) ? key : std::string_view());
    }
    [[nodiscard]] auto lock_of(std::string const& workspace) -> expected<std::optional<found_lock>>
    {
        auto const there = store_->get(lock_key_of(workspace), object_use::lock);
        if (!there) return there.error();
        if (there->version.empty() && !there->text) return std::optional<found_lock>();
        found_lock found{lock_info::parse(there->text.value_or(std::string())).value_or(lock_info()), there->version};
        if (layout_.lock_id_is_version) found.info.other_id = std::exchange(found.info.id, there->version);
        return std::optional(std::move(found));
    }

    std::shared_ptr<object_store> store_;
    object_layout layout_;
    std::map<std::string, known_document> known_;  // by workspace
};

}  // namespace

auto make_object_state(std::shared_ptr<object_store> store, object_layout layout) -> std::shared_ptr<state_client>
{
    return std::make_shared<object_state>(std::move(store), std::move(layout));
}

}  // namespace iacctl::backends
