// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include "base/address_text.hpp"
#include "base/formatted.hpp"
#include "base/shown_text.hpp"
#include "base/unicode.hpp"
#include "base/url_secrets.hpp"
#include "state_text.hpp"

#include <algorithm>
#include <ostream>
#include <system_error>
#include <utility>

namespace iacctl::views {

namespace {

using infra::operation_kind;
using language::type_kind;
using language::value;

constexpr std::size_t enough_to_write = 16384;  // bytes: a larger text takes more memory, and is not written faster

struct words {
    std::string_view start, running, end, failed;
};

[[nodiscard]] auto words_for(operation_kind kind) noexcept -> words
{
    switch (kind) {
    case operation_kind::create: return {"Creating...", "Still creating...", "Creation complete", "Creation failed"};
    case operation_kind::read: return {"Reading...", "Still reading...", "Read complete", "Read failed"};
    case operation_kind::update:
        return {"Modifying...", "Still modifying...", "Modifications complete", "Modification failed"};
    case operation_kind::destroy:
        return {"Destroying...", "Still destroying...", "Destruction complete", "Destruction failed"};
    case operation_kind::invoke: break;  // actions have lines of their own
    }
    return {};
}

[[nodiscard]] auto label_suffix(object_label const& label) -> std::string
{
    if (label.key.empty() || label.text.empty()) return {};
    std::string suffix;
    suffix.reserve(label.key.size() + label.text.size() + 4);
    return suffix.append(" [").append(label.key).append(1, '=').append(label.text).append(1, ']');
}

// Keeps both ends of a long label, which identify the object best.
[[nodiscard]] auto shortened(std::string const& text, std::size_t most) -> std::string
{
    if (text.size() <= most) return text;
    auto const half = most / 2 - 1;
    auto const left = character_begin(text, half);
    auto right = text.size() - (most - half - 3);
    while (right < text.size() && continues_character(text[right])) ++right;
    return text.substr(0, left) + "..." + text.substr(right);
}

[[nodiscard]] auto timed_block(
    std::string_view title, std::vector<timed_line> const& all, std::size_t most, painter const& paint) -> std::string
{
    if (all.empty()) return {};
    double sum = 0;
    for (timed_line const& one : all) sum += one.seconds;
    std::string text = formatted("\n{}\n", paint(text_style::bold, formatted("{} ({})", title, precise_text(sum))));
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
        text += formatted("  {:>8}  {} {}\n", precise_text(all[i].seconds), to_string(all[i].kind), all[i].address);
    if (all.size() > most) text += formatted("  ... and {} more\n", all.size() - most);
    return text;
}

[[nodiscard]] auto plain_text(value const* v) -> std::string
{
    bool const plain = v != nullptr && v->has_data() && v->is(type_kind::string) && !v->is_sensitive();
    return plain ? v->as_string() : std::string();
}

// A single line, whose ids and names may be those of a provider.
[[nodiscard]] auto shown_line(std::string_view line) -> std::string
{
    std::string out = shown_text(line);
    for (auto at = out.find('\n'); at != std::string::npos; at = out.find('\n', at)) out.replace(at, 1, "\\n");
    return out;
}

[[nodiscard]] auto bold(std::string_view line, painter const& paint) -> std::string
{
    return paint(text_style::bold, shown_line(line));
}

}  // namespace

auto name_of(progress_subject const& subject) -> std::string
{
    return object_title(subject.address, subject.deposed_key);
}

auto label_of(value const& attributes) -> object_label
{
    for (auto const* key : {"id", "name"})
        if (auto text = plain_text(attributes.find(key)); !text.empty()) return {key, std::move(text)};
    if (auto const* tags = attributes.find("tags"))
        if (auto text = plain_text(tags->find("name")); !text.empty()) return {"tags.name", std::move(text)};
    return {};
}

auto refreshing_line(progress_subject const& subject, painter const& paint) -> std::string
{
    std::string line = subject.deposed_key.empty() ? subject.address : name_of(subject);
    return bold(line.append(": Refreshing state...").append(label_suffix(subject.label)), paint);
}

auto started_line(operation_kind kind, progress_subject const& subject, painter const& paint) -> std::string
{
    return bold(formatted("{}: {}{}", name_of(subject), words_for(kind).start, label_suffix(subject.label)), paint);
}

auto running_line(operation_kind kind, progress_subject const& subject, std::chrono::seconds elapsed,
    painter const& paint) -> std::string
{
    auto const label = subject.label.key.empty()
        ? std::string()
        : formatted("{}={}, ", subject.label.key, shortened(subject.label.text, 80));
    return bold(
        formatted("{}: {} [{}{} elapsed]", name_of(subject), words_for(kind).running, label, duration_text(elapsed)),
        paint);
}

auto finished_line(operation_kind kind, progress_subject const& subject, std::chrono::seconds elapsed,
    painter const& paint) -> std::string
{
    auto const label = kind == operation_kind::destroy ? std::string() : label_suffix(subject.label);
    return bold(
        formatted("{}: {} after {}{}", subject.address, words_for(kind).end, duration_text(elapsed), label), paint);
}

auto failed_line(operation_kind kind, progress_subject const& subject, std::chrono::seconds elapsed,
    painter const& paint) -> std::string
{
    return paint(text_style::bold_red,
        shown_line(formatted("{}: {} after {}", name_of(subject), words_for(kind).failed, duration_text(elapsed))));
}

auto ephemeral_line(std::string_view address, std::string_view subject, painter const& paint) -> std::string
{
    return bold(formatted("{}: {}", address, subject), paint);
}

auto action_line(std::string_view address, std::string_view subject, painter const& paint) -> std::string
{
    return bold(formatted("{}:", address), paint) + formatted(" {}", shown_text(subject));
}

auto import_prepared_line(std::string_view address, std::string_view id, painter const& paint) -> std::string
{
    return bold(formatted("{}: Preparing import... [id={}]", address, without_url_secrets(id)), paint);
}

auto importing_line(std::string_view address, std::string_view id, painter const& paint) -> std::string
{
    return bold(formatted("{}: Importing... [id={}]", address, without_url_secrets(id)), paint);
}

auto imported_line(std::string_view address, std::string_view id, painter const& paint) -> std::string
{
    return bold(formatted("{}: Import complete [id={}]", address, without_url_secrets(id)), paint);
}

auto provisioning_line(std::string_view address, std::string_view provisioner, painter const& paint) -> std::string
{
    return bold(formatted("{}: Provisioning with '{}'...", address, provisioner), paint);
}

auto provisioner_output(std::string_view address, std::string_view provisioner, std::string_view written,
    painter const& paint) -> std::string
{
    auto const prefix = bold(formatted("{} ({}):", address, provisioner), paint);
    std::string out;
    for (std::size_t at = 0; at < written.size();) {
        auto const end = std::min(written.find_first_of("\r\n", at), written.size());
        auto line = written.substr(at, end - at);
        line = line.substr(0, line.find_last_not_of(" \t\v\f") + 1);
        if (!line.empty())
            out += formatted("{}{} {}", out.empty() ? "" : "\n", prefix, shown_output_line(line, paint.on()));
        at = end + 1;
    }
    return out;
}

auto duration_text(std::chrono::seconds duration) -> std::string
{
    auto const all = duration.count();
    if (all < 60) return formatted("{}s", all);
    if (all < 3600) return formatted("{}m{}s", all / 60, all % 60);
    return formatted("{}h{}m{}s", all / 3600, all / 60 % 60, all % 60);
}

auto precise_text(double seconds) -> std::string
{
    return seconds < 60 ? formatted("{:.1f}s", seconds)
                        : duration_text(std::chrono::seconds(static_cast<std::int64_t>(seconds + 0.5)));
}

auto applied_text(apply_counts const& counts) -> std::string
{
    std::string out = "Apply complete! Resources: ";
    if (counts.imported > 0) out += formatted("{} imported, ", counts.imported);
    out += formatted("{} added, {} changed, {} destroyed", counts.added, counts.changed, counts.destroyed);
    out += counts.forgotten > 0 ? formatted(", {} forgotten.", counts.forgotten) : ".";
    if (counts.invoked > 0) out += formatted(" Actions: {} invoked.", counts.invoked);
    return out;
}

auto destroyed_text(apply_counts const& counts) -> std::string
{
    return formatted("Destroy complete! Resources: {} destroyed.", counts.destroyed);
}

auto apply_summary(apply_counts const& counts, painter const& paint) -> std::string
{
    return "\n" + paint(text_style::bold_green, applied_text(counts)) + "\n";
}

auto destroy_summary(apply_counts const& counts, painter const& paint) -> std::string
{
    return "\n" + paint(text_style::bold_green, destroyed_text(counts)) + "\n";
}

auto critical_path_block(std::vector<timed_line> const& all, painter const& paint) -> std::string
{
    return timed_block("Critical path", all, 12, paint);
}

auto durations_block(run_summary const& summary, painter const& paint) -> std::string
{
    return formatted("\nDuration: {}, at most {} at once\n", precise_text(summary.seconds), summary.most_at_once)
        + critical_path_block(summary.critical_path, paint)
        + timed_block("Slowest operations", summary.slowest, 5, paint);
}

auto outputs_block(std::vector<output_view> outputs, bool show_sensitive, painter const& paint) -> std::string
{
    if (outputs.empty()) return {};
    return "\n" + paint(text_style::bold_green, "Outputs:") + "\n\n" + outputs_text(std::move(outputs), show_sensitive);
}

auto interrupted_text() -> std::string
{
    return "\nInterrupt received.\niacctl starts no more operations, and waits for those that are running. A second "
           "interrupt ends it at once.\n\n";
}

auto interrupted_again_text() -> std::string
{
    return "\nTwo interrupts received. Exiting immediately. The next plan determines the results of operations that "
           "were running.\n";
}

auto stopping_text() -> std::string
{
    return "Stopping operation...\n";
}

void progress_printer::print(std::string_view text)
{
    if (text.empty()) return;
    {
        std::lock_guard const lock(mutex_);
        append(text);
    }
    flush();
}

void progress_printer::flush()
{
    std::lock_guard const writing(stream_mutex_);
    {
        std::lock_guard const lock(mutex_);
        written_.swap(waiting_);
    }
    if (!written_.empty()) to_ << written_ << std::flush;
    written_.clear();
}

void progress_printer::add(std::string_view text)
{
    if (text.empty()) return;
    std::unique_lock lock(mutex_);
    bool const is_first = waiting_.empty();
    append(text);
    if (!is_first && waiting_.size() < enough_to_write) return;
    if (writer_.joinable()) return has_lines_.notify_one();
    try {
        writer_ = std::jthread([this](std::stop_token const& stop) { write_later(stop); });
    } catch (std::system_error const&) {  // there are no more threads
        lock.unlock();
        flush();
    }
}

void progress_printer::append(std::string_view text)
{
    waiting_ += text;
    if (!text.ends_with('\n')) waiting_ += '\n';
}

void progress_printer::write_later(std::stop_token const& stop)
{
    constexpr std::chrono::milliseconds delay(5);
    std::unique_lock lock(mutex_);
    while (has_lines_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
        has_lines_.wait_for(lock, stop, delay, [this] { return waiting_.size() >= enough_to_write; });
        lock.unlock();
        flush();
        lock.lock();
    }
}

}  // namespace iacctl::views
