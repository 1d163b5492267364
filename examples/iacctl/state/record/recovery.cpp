// SPDX-License-Identifier: BSL-1.0
#include "recovery.hpp"

#include "state/document/difference.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::state {

namespace {

using names = std::set<std::string>;

auto parts_of(infra::snapshot const& s) -> names
{
    names all;
    for (auto const& [target, _] : s.resources) all.insert(infra::to_string(target));
    for (auto const& [name, _] : s.outputs) all.insert("output " + name);
    for (auto const& [operation, _] : s.pending) all.insert("operation " + operation);
    return all;
}

// The parts that only the first of two states has.
auto parts_without(infra::snapshot const& whole, infra::snapshot const& part) -> names
{
    names missing;
    std::ranges::set_difference(parts_of(whole), parts_of(part), std::inserter(missing, missing.end()));
    return missing;
}

class recovery {
public:
    recovery(remains const& all, state_site const& site) : all_(&all), site_(&site) {}

    auto run() -> std::vector<recipe>
    {
        recipe replayed = from_history();
        recipe rows = from_rows(replayed);
        std::vector<recipe> made;
        made.push_back(std::move(rows));
        made.push_back(from_backup());
        made.push_back(std::move(replayed));
        return made;
    }

private:
    [[nodiscard]] auto lost(std::string_view why) const -> infra::failure
    {
        return make_failure(messages::state_salvage_lost, {site_->place, why.substr(0, why.find('\n'))});
    }
    // Lines about the changes after an entry.
    [[nodiscard]] auto changes_after(std::int64_t sequence, bool with_names = true) const -> std::vector<std::string>
    {
        names changed;
        std::int64_t first = all_->is_gapless ? sequence + 1 : all_->last + 1;
        for (entry_row const& row : all_->entries) {
            if (row.content.sequence <= sequence) continue;
            first = std::min(first, row.content.sequence);
            changed.insert("a change of " + (row.address.empty() ? "outputs or checks" : row.address));
        }
        std::vector<std::string> lines;
        if (first > all_->last) return lines;
        lines.push_back(first == all_->last
                ? "the change of entry " + std::to_string(first)
                : "the changes of entries " + std::to_string(first) + " to " + std::to_string(all_->last));
        if (with_names) lines.insert(lines.end(), changed.begin(), changed.end());
        return lines;
    }
    void judge(salvage_choice& choice) const
    {
        auto wrong = infra::verify_integrity(choice.content);
        if (wrong.empty()) return;
        infra::diagnostics why = messages::make_error(
            messages::state_contradictory, {choice.from.string(), site_->advice()}, wrong.front().address);
        why.add(std::move(wrong));
        choice.impossible = infra::failure(std::move(why));
    }

    [[nodiscard]] auto from_rows(recipe const& replayed) const -> recipe
    {
        recipe made;
        salvage_choice& choice = made.choice;
        choice.source = salvage_source::rows;
        choice.from = site_->place;
        if (!all_->has_rows || all_->rows.rows == 0) {
            choice.impossible = lost("it has no record that can be read");
            return made;
        }
        choice.content = all_->rows.snapshot;
        if (!all_->has_header) {
            choice.losses.emplace_back("the lineage and the serial");
            if (all_->base) choice.content.lineage = all_->base->content.lineage;
        }
        for (infra::diagnostic const& d : all_->rows.damaged)
            choice.losses.push_back(d.address.empty() ? d.detail.substr(0, d.detail.find('\n')) : d.address);
        // The whole history knows the names of missing records.
        if (!replayed.choice.impossible && replayed.choice.losses.empty()) {
            names const missing = parts_without(replayed.choice.content, choice.content);
            choice.losses.insert(choice.losses.end(), missing.begin(), missing.end());
            std::ranges::sort(choice.losses);
            choice.losses.erase(std::ranges::unique(choice.losses).begin(), choice.losses.end());
        } else if (all_->rows.damaged.empty() && !all_->rows.is_complete.value_or(true)) {
            choice.losses.emplace_back("missing records, whose names are not known");
        }
        // Without the header, nobody knows up to which entry the rows are.
        if (all_->has_header) std::ranges::move(changes_after(all_->in_rows, false), std::back_inserter(choice.losses));
        judge(choice);
        made.entries = entries_between({}, choice.content);
        return made;
    }

    [[nodiscard]] auto from_backup() const -> recipe
    {
        recipe made;
        made.choice.source = salvage_source::backup;
        if (!all_->backup) {
            made.choice.from = site_->place;
            made.choice.impossible = all_->backup.error();
            return made;
        }
        made.on_base = true;
        made.choice.from = all_->base->from;
        made.choice.content = all_->base->content;
        made.choice.losses = changes_after(all_->base->sequence);
        return made;
    }

    [[nodiscard]] auto from_history() const -> recipe
    {
        recipe made;
        salvage_choice& choice = made.choice;
        choice.source = salvage_source::replay;
        if (!all_->base) {
            choice.from = site_->place;
            choice.impossible = all_->base.error();
            return made;
        }
        made.on_base = true;
        choice.from = all_->base->from;
        choice.content = all_->base->content;
        std::int64_t last = all_->base->sequence;
        for (entry_row const& row : all_->entries) {
            if (row.content.sequence <= last) continue;
            // An entry that does not fit changes nothing.
            bool const fits = (!all_->is_gapless || row.content.sequence == last + 1) && !row.damaged
                && replay(choice.content, row.content.entry);
            if (!fits) break;
            made.entries.push_back(row.content.entry);
            last = row.content.sequence;
        }
        // Without an entry, it would be the backup.
        if (made.entries.empty() && all_->backup && all_->last > last) {
            choice.impossible =
                lost(all_->broken_history.empty() ? "entry " + std::to_string(last + 1) + " cannot be read"
                                                  : all_->broken_history.front().detail);
            return made;
        }
        choice.losses = changes_after(last);
        // A missing entry leaves no gap; what it has made may be among the rows.
        if (!all_->is_gapless) {
            names const missing = parts_without(all_->rows.snapshot, choice.content);
            choice.losses.insert(choice.losses.end(), missing.begin(), missing.end());
        }
        judge(choice);
        return made;
    }

    remains const* all_;
    state_site const* site_;
};

}  // namespace

auto recipes(remains const& all, state_site const& site) -> std::vector<recipe>
{
    return recovery(all, site).run();
}

}  // namespace iacctl::state
