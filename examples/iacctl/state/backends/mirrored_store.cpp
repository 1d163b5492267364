// SPDX-License-Identifier: BSL-1.0
#include "mirrored_store.hpp"

#include "base/digest.hpp"
#include "base/durable_file.hpp"
#include "base/encoding.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/terraform_version.hpp"
#include "base/timestamp.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"
#include "state/document/difference.hpp"
#include "state/document/state_v4.hpp"
#include "state/record/rescue.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::backends {

namespace fs = std::filesystem;

using state::make_failure;

namespace {

constexpr std::size_t most_attempts = 1000;

auto hash_of(std::optional<std::string> const& document) -> std::string
{
    return document && !document->empty() ? hex(digest(*document, digest_kind::sha256)) : std::string();
}

// Returns whether the document of the server cannot be used, but may be replaced or accepted by the user.
auto is_unusable(infra::failure const& why) -> bool
{
    std::string const& code = why.why().front().code;
    return code == messages::remote_state_damaged.code || code == messages::remote_state_missing.code
        || code == messages::remote_state_older.code;
}

auto document_of(infra::snapshot const& s) -> std::string
{
    return state::to_v4(s, terraform_version, !s.pending.empty());
}

}  // namespace

mirrored_store::mirrored_store(std::shared_ptr<state_client> server, std::string workspace,
    state::workspace_files mirror, state::open_mode mode, std::shared_ptr<std::string const> lock_id,
    std::chrono::seconds interval)
    : server_(std::move(server)),
      workspace_(std::move(workspace)),
      files_(std::move(mirror)),
      directory_(files_.directory()),
      mode_(mode),
      lock_id_(std::move(lock_id)),
      interval_(interval)
{
    mirror_.emplace(files_, mode_);
}

auto mirrored_store::publication_file_of(fs::path const& mirror) -> fs::path
{
    return mirror.string() + ".published";
}

auto mirrored_store::read_publication() const -> expected<publication>
{
    auto const text = read_input(publication_file_of(directory_));
    if (!text && is_missing(text.error())) return publication();
    if (!text)
        return make_failure(
            messages::mirror_unreadable, {publication_file_of(directory_).string(), text.error().message()});
    auto const whole = parse_json(*text);
    json const* const document = whole ? whole->find("document") : nullptr;
    json const* const sequence = whole ? whole->find("sequence") : nullptr;
    if (document == nullptr || document->text() == nullptr || sequence == nullptr || !sequence->integer())
        return make_failure(
            messages::mirror_unreadable, {publication_file_of(directory_).string(), "its content is not valid"});
    json const* const serial = whole->find("serial");  // earlier versions have not written it
    publication noted{*document->text(), *sequence->integer(), serial ? serial->natural().value_or(0) : 0};
    json const* const attempts = whole->find("attempts");
    if (attempts != nullptr && attempts->elements() != nullptr)
        for (json const& one : *attempts->elements())
            if (one.text() != nullptr) noted.attempts.push_back(*one.text());
    return noted;
}

auto mirrored_store::write_publication(publication const& noted) const -> expected<void>
{
    std::string text = "{\"document\":\"" + noted.document + "\",\"sequence\":" + std::to_string(noted.sequence)
        + ",\"serial\":" + std::to_string(noted.serial);
    for (bool first = true; std::string const& one : noted.attempts)
        text.append(std::exchange(first, false) ? ",\"attempts\":[\"" : "\",\"").append(one);
    text += noted.attempts.empty() ? "}\n" : "\"]}\n";
    error_code error = make_private_directories(directory_.parent_path());
    if (!error) error = replace_file(publication_file_of(directory_), text);
    if (!error) error = sync_directory(directory_.parent_path());
    if (error)
        return make_failure(messages::mirror_not_writable, {publication_file_of(directory_).string(), error.message()});
    return {};
}

auto mirrored_store::secure_publication() const -> expected<void>
{
    auto const file = publication_file_of(directory_);
    std::error_code missing;
    if (!fs::exists(file, missing)) return {};
    if (auto const error = sync_directory(file.parent_path()))
        return make_failure(messages::mirror_not_writable, {file.string(), error.message()});
    return {};
}

auto mirrored_store::note_publication(std::string const& document, std::int64_t sequence, std::uint64_t serial)
    -> expected<void>
{
    return write_publication({hash_of(document), sequence, serial});
}

auto mirrored_store::note_attempt(std::string const& document) const -> expected<void>
{
    auto noted = read_publication();
    if (!noted) return noted.error();
    if (noted->has_sent(hash_of(document))) return {};
    // A server that does not answer most probably has one of the first or of the last documents.
    if (noted->attempts.size() >= most_attempts) noted->attempts.erase(noted->attempts.begin() + most_attempts / 2);
    noted->attempts.push_back(hash_of(document));
    return write_publication(*noted);
}

auto mirrored_store::publish(infra::snapshot const& now) -> expected<void>
{
    published_ = std::chrono::steady_clock::now();
    infra::snapshot complete = now;
    if (complete.lineage.empty()) complete.lineage = mirror_->lineage();
    auto const document = state::seal_v4(document_of(complete), complete, files_.encryption());
    if (!document) return document.error();
    if (auto const ok = server_->put(workspace_, *document, *lock_id_); !ok) {
        // If only the reply was lost, the server has this document. The note prevents that it is taken for the document of another
        // process after a further append; until then, the contents are compared, so a note that cannot be written is no error.
        (void)note_attempt(*document);
        return ok.error();
    }
    return note_publication(*document, mirror_->sequence(), complete.serial);
}

auto mirrored_store::unreadable(
    std::string const& document, infra::failure const& why, infra::snapshot const& mirrored) const -> infra::failure
{
    auto const kind = state::kind_of(why);
    bool const is_damaged =
        kind == state::state_error::invalid_file || kind == state::state_error::damaged || !parse_json(document);
    if (!is_damaged) return why;
    infra::diagnostics all{messages::make_error(messages::remote_state_damaged,
        {server_->place_of(workspace_),
            mirrored.lineage.empty() ? "This machine has no copy of it."
                                     : "A verified copy of serial " + std::to_string(mirrored.serial)
                    + " is on this machine, in " + directory_.string() + "."})};
    all.add(why.why());
    return infra::failure(std::move(all));
}

auto mirrored_store::read_document(std::optional<std::string> const& document, infra::snapshot const& mirrored,
    publication const& noted, std::uint64_t serial) const -> expected<infra::snapshot>
{
    bool const is_compared = !server_->may_go_back() && !noted.document.empty() && !mirrored.lineage.empty();
    std::string const place = server_->place_of(workspace_);
    if (hash_of(document).empty()) {
        bool const has_content = !mirrored.resources.empty() || !mirrored.outputs.empty() || !mirrored.pending.empty();
        if (is_compared && has_content)
            return make_failure(messages::remote_state_missing, {place, std::to_string(serial), directory_.string()});
        return infra::snapshot();
    }
    auto parsed = state::from_sealed_v4(*document, files_.encryption(), place);
    if (!parsed) return unreadable(*document, parsed.error(), mirrored);
    if (is_compared && parsed->lineage == mirrored.lineage && parsed->serial < serial)
        return make_failure(messages::remote_state_older,
            {place, std::to_string(parsed->serial), std::to_string(serial), directory_.string()});
    return parsed;
}

auto mirrored_store::read_now() -> expected<infra::snapshot>
{
    foreign_.reset();
    auto document = server_->get(workspace_);
    if (!document) return document.error();
    auto mirrored = mirror_->read_now();
    if (!mirrored) return mirrored.error();
    auto const noted = read_publication();
    if (!noted) return noted.error();
    std::string const there = hash_of(*document);
    // A change may consist of a new serial only. Earlier versions have not noted the serial.
    auto const here = std::pair(mirror_->sequence(), noted->serial == 0 ? 0 : mirrored->serial);
    auto const before = std::pair(noted->sequence, noted->serial);
    bool const changed_here = here > before;
    bool const changed_there = there != noted->document || here < before;
    if (!changed_here && !changed_there) return mirrored;
    if (changed_there) {
        foreign_text_ = document->value_or(std::string());
        auto published = read_document(*document, *mirrored, *noted, changed_here ? noted->serial : mirrored->serial);
        if (!published) return published.error();
        if (!changed_here) return foreign_.emplace(std::move(*published));
    }
    bool is_published = false;
    if (changed_there) {
        auto const same = is_document_of(*document, *mirrored);
        if (!same) return same.error();
        is_published = *same;
        bool const is_of_other = !is_published && !noted->has_sent(there);
        if (is_of_other && mode_ == state::open_mode::read_write) return rescue(*mirrored);
        if (is_of_other)
            return make_failure(messages::mirror_conflicts, {directory_.string(), server_->place_of(workspace_)});
    }
    if (mode_ == state::open_mode::read_write) {
        if (auto const ok = mirror_->secure(); !ok) return ok.error();
        auto const noted_now = is_published
            ? note_publication(document->value_or(std::string()), mirror_->sequence(), mirrored->serial)
            : publish(*mirrored);
        if (!noted_now) return noted_now.error();
    }
    return mirrored;
}

auto mirrored_store::is_document_of(std::optional<std::string> const& document, infra::snapshot const& mirrored) const
    -> expected<bool>
{
    if (hash_of(document).empty()) return false;
    // The text of a state differs with each encryption.
    auto const opened = files_.encryption().open(*document, server_->place_of(workspace_));
    if (!opened) return opened.error();
    return *opened == document_of(mirrored);
}

auto mirrored_store::set_aside() -> expected<fs::path>
{
    mirror_.reset();
    fs::path aside = directory_.string() + "." + timestamp::now().compact_text() + "-" + random_hex(4);
    std::error_code error;
    fs::rename(directory_, aside, error);
    mirror_.emplace(files_, mode_);
    if (error) return make_failure(messages::mirror_not_writable, {directory_.string(), error.message()});
    return aside;
}

auto mirrored_store::rescue(infra::snapshot const& mirrored) -> infra::failure
{
    state::rescue_places places;
    places.workspace_directory = directory_;
    places.lineage = mirrored.lineage;
    places.encryption = &files_.encryption();
    places.options = server_->options();
    auto const copy = state::write_rescue(mirrored, places, {});
    // Without a file, the mirror stays in place for later commands.
    if (copy.place != state::rescue_copy::place_type::file) return infra::failure(copy.reported);
    auto const aside = set_aside();
    if (!aside) return aside.error();
    return make_failure(messages::mirror_rescued,
        {server_->place_of(workspace_), (*aside / fs::relative(copy.file, directory_)).string(), places.options});
}

auto mirrored_store::take_over() -> expected<void>
{
    infra::snapshot const there = std::move(*foreign_);
    foreign_.reset();
    auto mirrored = mirror_->read_now();
    if (!mirrored) return mirrored.error();
    if (!mirrored->lineage.empty() && (mirrored->lineage != there.lineage || there.serial < mirrored->serial)) {
        // Another state: the old mirror is kept beside the new one as evidence.
        if (auto const aside = set_aside(); !aside) return aside.error();
        mirrored = infra::snapshot();
    }
    auto const entries = state::entries_between(*mirrored, there);
    // Before the entries are written: a mirror that lacks some of them is recognized by its sequence and replaced.
    auto const last = mirror_->sequence() + static_cast<std::int64_t>(entries.size());
    if (auto const ok = note_publication(foreign_text_, last, there.serial); !ok) return ok.error();
    infra::snapshot now = std::move(*mirrored);
    for (auto const& entry : entries) (void)replay(now, entry);
    if (now.lineage.empty()) now.lineage = there.lineage;
    now.serial = there.serial;
    return there.lineage.empty() ? expected<void>() : mirror_->append_now(entries, now);
}

auto mirrored_store::read_to_replace() -> expected<state::replaced_state>
{
    auto now = read_now();
    if (now) return state::replaced_state{std::move(*now)};
    if (!is_unusable(now.error()) || mode_ != state::open_mode::read_write) return now.error();
    auto const mirrored = mirror_->read_now();
    if (!mirrored) return mirrored.error();
    auto const there = unusable_document();
    state::replaced_state replaced;
    replaced.is_unusable = replaces_ = true;
    replaced.now.lineage = mirrored->lineage;
    replaced.now.serial = std::max(mirrored->serial, there ? there->serial : 0);
    return replaced;
}

auto mirrored_store::start_over() -> expected<void>
{
    std::error_code error;
    if (fs::exists(directory_, error))
        if (auto const aside = set_aside(); !aside) return aside.error();
    return note_publication({}, 0, 0);
}

auto mirrored_store::salvage_choices() -> expected<std::vector<state::salvage_choice>>
{
    if (auto const ok = check_unusable(); !ok) return ok.error();
    auto mirrored = mirror_->read_now();
    if (!mirrored) return mirrored.error();
    std::string const place = server_->place_of(workspace_);
    auto there = unusable_document();

    state::salvage_choice of_mirror{state::salvage_source::mirror, {}, directory_, *mirrored, {}};
    if (mirrored->lineage.empty()) of_mirror.impossible = without_state();
    state::salvage_choice of_server{state::salvage_source::server, {}, place, {}, {}};
    if (!there) of_server.impossible = there.error();
    else {
        auto const changes = state::entries_between(*there, *mirrored).size();
        std::string const number = std::to_string(changes) + " difference(s) between serial ";
        if (changes != 0)
            of_server.losses.push_back(
                number + std::to_string(there->serial) + " and serial " + std::to_string(mirrored->serial));
        of_server.content = std::move(*there);
    }
    return std::vector{std::move(of_mirror), std::move(of_server)};
}

auto mirrored_store::check_unusable() -> expected<void>
{
    auto const now = read_now();
    if (now) return make_failure(messages::remote_state_is_sound, {server_->place_of(workspace_)});
    return is_unusable(now.error()) ? expected<void>() : now.error();
}

auto mirrored_store::unusable_document() const -> expected<infra::snapshot>
{
    if (foreign_text_.empty()) return infra::snapshot();
    return state::from_sealed_v4(foreign_text_, files_.encryption(), server_->place_of(workspace_));
}

auto mirrored_store::without_state() const -> infra::failure
{
    return make_failure(messages::state_salvage_lost, {directory_.string(), "it has no state"});
}

auto mirrored_store::republish() -> expected<state::restored_state>
{
    if (auto const ok = check_unusable(); !ok) return ok.error();
    if (auto const ok = server_->check_writable(workspace_); !ok) return ok.error();
    auto now = mirror_->read_now();
    if (!now) return now.error();
    if (now->lineage.empty()) return without_state();
    auto const there = unusable_document();
    now->serial = std::max(now->serial, there ? there->serial : 0) + 1;
    if (auto const generation = mirror_->begin_generation("state repair"); !generation) return generation.error();
    if (auto const ok = mirror_->append_now({}, *now); !ok) return ok.error();
    if (auto const ok = mirror_->end_generation("complete"); !ok) return ok.error();
    if (auto const ok = publish(*now); !ok) return ok.error();
    return state::restored_state{directory_, {}, now->serial, now->resources.size(), now->pending.size()};
}

auto mirrored_store::accept_document() -> expected<state::restored_state>
{
    if (auto const ok = check_unusable(); !ok) return ok.error();
    auto const there = unusable_document();
    if (!there) return there.error();
    auto const mirrored = mirror_->read_now();
    if (!mirrored) return mirrored.error();
    auto const aside = set_aside();
    if (!aside) return aside.error();
    state::rescue_places places;
    places.workspace_directory = *aside;
    places.encryption = &files_.encryption();
    auto const copy = state::write_rescue(*mirrored, places, {});
    if (copy.place != state::rescue_copy::place_type::file) return infra::failure(copy.reported);
    if (auto const ok = note_publication({}, 0, 0); !ok) return ok.error();
    return state::restored_state{
        server_->place_of(workspace_), copy.file, there->serial, there->resources.size(), there->pending.size()};
}

auto mirrored_store::begin_generation(std::string_view command) -> expected<std::int64_t>
{
    if (auto const ok = server_->check_writable(workspace_); !ok) return ok.error();
    if (auto const ok = secure_publication(); !ok) return ok.error();
    if (foreign_)
        if (auto const ok = take_over(); !ok) return ok.error();
    if (std::exchange(replaces_, false))
        if (auto const ok = start_over(); !ok) return ok.error();
    published_ = std::chrono::steady_clock::now();
    return mirror_->begin_generation(command);
}

auto mirrored_store::append_now(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
    -> expected<void>
{
    if (auto const ok = mirror_->append_now(batch, after); !ok) return ok.error();
    // A failure is not final: the end of the generation publishes again, and reports a failure.
    if (std::chrono::steady_clock::now() - published_ >= interval_) (void)publish(after);
    return {};
}

auto mirrored_store::end_generation(std::string_view result) -> expected<void>
{
    auto tidied = mirror_->end_generation(result);
    auto const now = mirror_->read_now();
    if (!now) return now.error();
    auto const noted = read_publication();
    // A state without objects has no entry, and is published once.
    bool const is_first = noted && noted->document.empty() && !mirror_->lineage().empty();
    bool const is_published = noted && noted->sequence == mirror_->sequence() && noted->serial == now->serial;
    if (is_published && !is_first) return tidied;
    auto const published = publish(*now);
    if (published) return tidied;
    infra::diagnostics why;
    if (auto const there = server_->get(workspace_); there && noted && hash_of(*there) != noted->document) {
        auto const same = is_document_of(*there, *now);
        if (same && *same)
            return note_publication(**there, mirror_->sequence(), now->serial);  // only the reply was lost
        if (same && !noted->has_sent(hash_of(*there))) why = rescue(*now).why();
    }
    if (why.empty())
        why.add(messages::make_error(
            messages::state_not_published, {server_->written_place_of(workspace_), directory_.string()}));
    why.add(published.error().why());
    return infra::failure(std::move(why));
}

auto mirrored_store::read() -> state::task<expected<infra::snapshot>>
{
    auto work = [this] { return read_now(); };
    return thread_.run(work);
}

auto mirrored_store::append(std::span<infra::journal_entry const> batch, infra::snapshot const& after)
    -> state::task<strider::error_code>
{
    auto work = [this, batch, &after] { return state::code_of(append_now(batch, after)); };
    return thread_.run(work);
}

auto mirrored_store::condition() const -> expected<void>
{
    return mirror_->condition();
}

auto mirrored_store::ensure_space(state::space_estimate planned) -> expected<void>
{
    return mirror_->ensure_space(planned);
}

auto mirrored_store::lineage() const -> std::string const&
{
    return foreign_ ? foreign_->lineage : mirror_->lineage();
}

auto mirrored_store::place() const -> std::string
{
    return server_->written_place_of(workspace_);
}

}  // namespace iacctl::backends
