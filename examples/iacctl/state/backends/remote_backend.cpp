// SPDX-License-Identifier: BSL-1.0
#include "remote_backend.hpp"

#include "base/random.hpp"
#include "base/terraform_version.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "mirrored_store.hpp"
#include "state/document/state_v4.hpp"
#include "state/persistent_lock.hpp"
#include "state/record/workspace_files.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

namespace iacctl::backends {

namespace fs = std::filesystem;

using state::make_failure;

namespace {

class remote_lock final : public state::held_lock {
public:
    remote_lock(std::shared_ptr<state_client> server, std::string workspace, lock_info info,
        std::shared_ptr<std::string> id, std::unique_ptr<state::persistent_lock> note,
        std::function<void(infra::failure const&)> on_remaining)
        : server_(std::move(server)),
          workspace_(std::move(workspace)),
          info_(std::move(info)),
          id_(std::move(id)),
          note_(std::move(note)),
          on_remaining_(std::move(on_remaining))
    {
        *id_ = info_.id;
    }
    ~remote_lock() override
    {
        id_->clear();
        try {
            if (auto const released = server_->unlock(workspace_, info_); !released) report(released.error());
        } catch (...) {}  // the error about the lock that the next command gets names its id
    }

private:
    void report(infra::failure const& why) const
    {
        bool const is_of_other = why.why().front().code == messages::lock_id_differs.code;
        if (is_of_other || !on_remaining_ || !server_->lock_outlasts_process()) return;
        infra::diagnostics all{messages::make_error(
            messages::remote_lock_remains, {server_->place_of(workspace_), release_command(workspace_, info_.id)})};
        all.add(why.why());
        on_remaining_(infra::failure(std::move(all)));
    }

    std::shared_ptr<state_client> server_;
    std::string workspace_;
    lock_info info_;
    std::shared_ptr<std::string> id_;
    std::unique_ptr<state::persistent_lock> note_;
    std::function<void(infra::failure const&)> on_remaining_;
};

// Made before the request for the lock, as the reply may be lost.
auto note_on(state_client const& server, std::string const& workspace, std::string const& id)
    -> std::unique_ptr<state::persistent_lock>
{
    if (!server.lock_outlasts_process()) return nullptr;
    return std::make_unique<state::persistent_lock>(
        server.place_of(workspace) + ". To release it:\n\n    " + release_command(workspace, id));
}

class no_lock final : public state::held_lock {};

auto locked(state_client const& server, std::string const& workspace, lock_attempt const& by) -> infra::failure
{
    auto const place = by.place.empty() ? server.place_of(workspace) : by.place;
    std::string holder = by.holder ? by.holder->description() : std::string();
    if (holder.empty()) holder = "  Holder:    unknown";
    if (!server.can_force_unlock()) return make_failure(messages::state_locked, {place, holder});
    bool const is_known = by.holder && !by.holder->id.empty();
    return make_failure(messages::remote_state_locked,
        {place, holder, release_command(workspace, is_known ? by.holder->id : "LOCK_ID")});
}

}  // namespace

remote_backend::remote_backend(
    std::shared_ptr<state_client> server, fs::path mirrors, std::shared_ptr<encryption::target const> sealed_with)
    : server_(std::move(server)),
      mirrors_(std::move(mirrors)),
      encryption_(sealed_with ? std::move(sealed_with) : std::make_shared<encryption::target const>())
{}

auto remote_backend::lock_id_of(std::string const& workspace) const -> std::shared_ptr<std::string> const&
{
    auto& id = lock_ids_[workspace];
    if (!id) id = std::make_shared<std::string>();
    return id;
}

auto remote_backend::workspaces() const -> expected<std::vector<std::string>>
{
    return server_->workspaces();
}

auto remote_backend::exists(std::string const& workspace) const -> expected<bool>
{
    auto const document = server_->get(workspace);
    if (!document) return document.error();
    return document->has_value();
}

auto remote_backend::make(std::string const& workspace) const -> expected<void>
{
    auto const all = server_->workspaces();
    if (!all) return all.error();
    if (std::ranges::find(*all, workspace) != all->end()) return {};
    infra::snapshot empty;
    empty.lineage = random_uuid();
    auto document = state::seal_v4(state::to_v4(empty, terraform_version), empty, *encryption_);
    if (!document) return document.error();
    return server_->put(workspace, *document, *lock_id_of(workspace));
}

auto remote_backend::remove(std::string const& workspace) const -> expected<void>
{
    if (auto const ok = server_->erase(workspace); !ok) return ok.error();
    // A workspace that is made again with this name has another state.
    std::error_code ignored;
    fs::remove_all(local_directory(workspace), ignored);
    fs::remove(mirrored_store::publication_file_of(local_directory(workspace)), ignored);
    return {};
}

auto remote_backend::open(std::string const& workspace, state::open_mode mode) const -> std::unique_ptr<state::store>
{
    return open_mirrored(workspace, mode);
}

auto remote_backend::open_mirrored(std::string const& workspace, state::open_mode mode) const
    -> std::unique_ptr<mirrored_store>
{
    return std::make_unique<mirrored_store>(server_, workspace,
        state::workspace_files(local_directory(workspace), encryption_), mode, lock_id_of(workspace));
}

auto remote_backend::salvage_choices(std::string const& workspace) const -> expected<std::vector<state::salvage_choice>>
{
    return open_mirrored(workspace, state::open_mode::read_only)->salvage_choices();
}

auto remote_backend::salvage(std::string const& workspace, state::salvage_source from) const
    -> expected<state::restored_state>
{
    auto const store = open_mirrored(workspace, state::open_mode::read_write);
    switch (from) {
    case state::salvage_source::mirror: return store->republish();
    case state::salvage_source::server: return store->accept_document();
    default: return make_failure(messages::state_salvage_not_offered, {type(), to_string(from)});
    }
}

auto remote_backend::lock(std::string const& workspace, state::lock_request const& requested) const
    -> expected<std::unique_ptr<state::held_lock>>
{
    using namespace std::chrono;
    if (!server_->can_lock()) return std::unique_ptr<state::held_lock>(std::make_unique<no_lock>());
    auto const info = lock_info::of_this_process(requested.operation, server_->place_of(workspace));
    auto const deadline = steady_clock::now() + requested.timeout;
    seconds delay(1);
    for (;;) {
        auto note = note_on(*server_, workspace, info.id);
        auto tried = requested.reads ? server_->lock_to_read(workspace, info) : server_->lock(workspace, info);
        if (!tried) return tried.error();
        if (tried->held)
            return std::unique_ptr<state::held_lock>(std::make_unique<remote_lock>(
                server_, workspace, info, lock_id_of(workspace), std::move(note), requested.on_remaining));
        note.reset();
        auto const left = duration_cast<milliseconds>(deadline - steady_clock::now());
        // If the server does not name the holder of the lock, it may not be a lock: do not wait for it.
        if (!tried->holder || left <= milliseconds(0)) return locked(*server_, workspace, *tried);
        for (auto waited = milliseconds(0); waited < std::min<milliseconds>(delay, left); waited += milliseconds(100)) {
            if (requested.stop && requested.stop()) return locked(*server_, workspace, *tried);
            std::this_thread::sleep_for(milliseconds(100));
        }
        delay = std::min(delay * 2, seconds(16));
    }
}

auto remote_backend::is_locked(std::string const& workspace) const -> bool
{
    return server_->holder(workspace).has_value();
}

auto remote_backend::holder(std::string const& workspace) const -> std::optional<std::string>
{
    auto const found = server_->holder(workspace);
    if (!found || found->operation.empty()) return std::nullopt;
    return found->operation + " of " + found->who + ", started " + found->created;
}

auto remote_backend::locks(std::string const& workspace) const -> expected<std::vector<state::lock_description>>
{
    std::vector<state::lock_description> all;
    if (auto const found = server_->holder(workspace)) {
        state::lock_description held;
        held.id = found->id;
        held.holder = found->who;
        held.operation = found->operation;
        held.since = found->created;
        all.push_back(std::move(held));
    }
    return all;
}

auto remote_backend::lock_failure(std::string const& workspace, std::string const& operations) const -> infra::failure
{
    auto const found = server_->holder(workspace);
    auto const place = server_->written_place_of(workspace);
    if (operations.empty()) return locked(*server_, workspace, {false, found, place});
    return make_failure(
        messages::state_under_change, {operations, place, found ? found->description() : "  Holder:    unknown"});
}

auto remote_backend::force_unlock(std::string const& workspace, std::string const& id) const -> expected<void>
{
    auto const found = server_->holder(workspace);
    // A lock whose holder is not known has no id to compare: the server compares it.
    bool const is_known = found && !found->id.empty();
    if (is_known && !found->has_id(id))
        return make_failure(messages::lock_id_differs, {server_->place_of(workspace), found->description(), id});
    lock_info of;
    of.id = id;
    return server_->unlock(workspace, is_known ? *found : of);
}

auto remote_backend::local_directory(std::string const& workspace) const -> fs::path
{
    return mirrors_ / workspace;
}

}  // namespace iacctl::backends
