// SPDX-License-Identifier: BSL-1.0
#include "plan_text.hpp"

#include "base/address_text.hpp"
#include "base/formatted.hpp"
#include "base/parallel_chunks.hpp"
#include "base/shell_words.hpp"
#include "base/shown_text.hpp"
#include "difference.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::views {

namespace {

using infra::action;
using infra::action_reason;

struct compared {
    change_view const* change;
    difference found;
};

[[nodiscard]] auto in_order(std::vector<change_view> const& all) -> std::vector<change_view const*>
{
    std::vector<change_view const*> out;
    for (auto const& change : all) out.push_back(&change);
    sort_as_shown(out);
    return out;
}

[[nodiscard]] auto compare(change_view const& change) -> difference
{
    // A forgotten object does not change.
    auto const& after = change.action == action::forget ? change.before : change.after;
    return compare_resources(change.before, after, change.schema, change.replace_paths);
}

[[nodiscard]] auto shown_changes(plan_view const& plan) -> std::vector<change_view const*>
{
    auto out = in_order(plan.changes);
    std::erase_if(out, [](change_view const* change) { return !is_shown(*change); });
    return out;
}

struct compared_output {
    std::string name;
    difference found;
};

[[nodiscard]] auto shown_outputs(plan_view const& plan) -> std::vector<compared_output>
{
    std::vector<compared_output> out;
    for (auto const& change : plan.output_changes) {
        auto const marked = [&](language::value const& side) {
            auto const plain = side.unmarked_deep();
            return change.sensitive ? plain.with_marks(language::mark::sensitive) : plain;
        };
        auto found = compare_values(marked(change.before), marked(change.after));
        if (found.action != action::no_op) out.push_back({change.name, std::move(found)});
    }
    std::ranges::sort(out, {}, &compared_output::name);
    return out;
}

// The drift that may affect the plan.
[[nodiscard]] auto shown_drift(plan_view const& plan) -> std::vector<compared>
{
    std::vector<compared> out;
    for (auto const* change : in_order(plan.drift)) {
        if (plan.mode == infra::plan_mode::refresh_only) {
            out.push_back({change, compare_resources(change->before, change->after, change->schema)});
            continue;
        }
        std::vector<value_path> paths;
        for (auto const& [resource, path] : plan.relevant)
            if (resource.empty() || resource == to_string(change->address)) paths.push_back(path);
        if (paths.empty()) continue;
        auto found = compare_resources(change->before, change->after, change->schema, {}, &paths);
        if (found.action != action::no_op) out.push_back({change, std::move(found)});
    }
    return out;
}

class page {
public:
    /// \param to receives the text part by part; null: the text is stored
    page(plan_view const& plan, text_options const& options, std::ostream* to)
        : of_(plan),
          options_(options),
          to_(to),
          paint_(options.colour),
          changes_(shown_changes(plan)),
          outputs_(shown_outputs(plan))
    {}

    /// \return the text, if it was not written
    [[nodiscard]] auto text() && -> std::string
    {
        compose();
        pass_on();
        return std::move(out_);
    }

private:
    void compose()
    {
        bool const drifted = drift();
        if (changes_.empty() && outputs_.empty() && of_.actions.empty()) {
            if (of_.deferred.empty()) no_changes(drifted);
            deferred();
            return;
        }
        if (drifted) out_ += horizontal_rule(options_);
        legend();
        if (!changes_.empty()) {
            out_ += of_.errored ? "\nActions that were planned before an error stopped the plan:\n"
                                : "\nPlanned actions:\n";
            blocks();
        }
        named_actions();
        deferred();
        if (!changes_.empty() || !of_.actions.empty()) sums();
        outputs();
    }

    void pass_on()
    {
        if (to_ == nullptr) return;
        *to_ << out_;
        out_.clear();
    }

    void paragraph(std::string_view text) { out_ += word_wrapped(text, options_.width) + '\n'; }

    [[nodiscard]] auto drift() -> bool
    {
        auto const drift = shown_drift(of_);
        if (drift.empty()) return false;
        bool const nothing_planned = std::ranges::none_of(changes_, [](change_view const* view) {
            return view->moved() || compare(*view).action != action::no_op;
        }) && outputs_.empty();
        if (nothing_planned && of_.mode != infra::plan_mode::refresh_only) return false;
        out_ += formatted("\n{} {}\n\n", paint_(text_style::bold_cyan, "Note:"),
            paint_(text_style::bold, "Objects differ from state"));
        paragraph("These objects were changed outside of iacctl since the last apply. The plan is based on their "
                  "present values:");
        for (auto const& change : drift) out_ += block(change, true);
        if (of_.mode == infra::plan_mode::refresh_only)
            paragraph(
                "\n\nThis plan changes no object. If these values are correct, apply it to record them in state.");
        else
            paragraph("\n\nThe plan reverts changes that contradict the configuration. To keep a change, add it to the "
                      "configuration, or list the attribute in ignore_changes.");
        return true;
    }

    void headline(text_style style, std::string_view word, std::string_view rest)
    {
        out_ += formatted("\n{} {}\n\n", paint_(style, word), paint_(text_style::bold, rest));
    }

    void no_changes(bool drifted)
    {
        if (drifted && of_.mode == infra::plan_mode::refresh_only && !of_.errored) return;
        if (drifted) out_ += horizontal_rule(options_);
        if (of_.errored) {
            headline(text_style::bold_red, "Planning failed.", "No plan was made because of an error.");
            return;
        }
        switch (of_.mode) {
        case infra::plan_mode::refresh_only:
            headline(text_style::bold_green, "No changes.", "Your infrastructure still matches the configuration.");
            paragraph("All objects are as state describes them.");
            break;
        case infra::plan_mode::destroy:
            headline(text_style::bold_green, "No changes.", "No objects need to be destroyed.");
            paragraph("State has no objects, or they no longer exist.");
            break;
        case infra::plan_mode::normal:
            headline(text_style::bold_green, "No changes.", "Your infrastructure matches the configuration.");
            paragraph("All objects are as the configuration describes them.");
            break;
        }
    }

    void legend()
    {
        struct entry {
            action of;
            std::string_view meaning;
        };
        static constexpr std::array<entry, 7> all = {{{action::create, "create"}, {action::update, "update in-place"},
            {action::destroy, "destroy"}, {action::destroy_then_create, "destroy and then create replacement"},
            {action::create_then_destroy, "create replacement and then destroy"},
            {action::forget_then_create, "forget and then create replacement"},
            {action::read, "read (data resources)"}}};
        std::string lines;
        for (auto const& [of, meaning] : all)
            if (std::ranges::any_of(changes_, [&](change_view const* c) { return c->action == of; }))
                lines += formatted("{} {}\n", action_symbol(of, paint_), meaning);
        if (lines.empty()) return;
        out_ += "\nSymbols in this plan:\n";
        out_ += lines;
    }

    void sums() { out_ += formatted("\n{} {}\n", paint_(text_style::bold, "Plan:"), counts_text(of_)); }

    void outputs()
    {
        if (outputs_.empty()) return;
        out_ += "\nChanges to Outputs:\n";
        std::size_t width = 0;
        for (auto const& output : of_.output_changes) width = std::max(width, attribute_name(output.name).size());
        difference_style style;
        style.colour = options_.colour;
        style.show_sensitive = options_.show_sensitive;
        for (auto const& [name, found] : outputs_)
            out_ += formatted("{} {} = {}\n", action_symbol(found.action, paint_), padded(attribute_name(name), width),
                difference_text(found, 0, style));
        if (of_.actions.empty()
            && std::ranges::all_of(changes_, [](change_view const* change) { return change->action == action::no_op; }))
            // Tools recognize by the words before "to save" and after the comma that only outputs change.
            paragraph("\nYou can apply this plan to save these new output values to the state,\nwithout changing any "
                      "real infrastructure.");
    }

    // Blocks are independent of each other, so several threads write many of them.
    void blocks()
    {
        constexpr std::size_t at_once = 32'000;
        constexpr std::size_t grain_size = 4000;
        for (std::size_t begin = 0; begin < changes_.size(); begin += at_once) {
            auto const part = [this, begin](std::size_t from, std::size_t to) {
                std::string text;
                for (auto const* change : std::span(changes_).subspan(begin + from, to - from))
                    text += block({change, compare(*change)}, false);
                return text;
            };
            std::size_t const count = std::min(at_once, changes_.size() - begin);
            for (auto const& text : parallel_chunks(count, grain_size, part)) {
                out_ += text;
                pass_on();
            }
        }
    }

    // Changes that this plan does not make. Their known parts are shown like those of other changes.
    void deferred()
    {
        if (of_.deferred.empty()) return;
        out_ += "\nDeferred actions:\n";
        paragraph(
            "\nThese changes depend on values that are known only after an apply. A later plan can include them.");
        for (deferred_view const& one : of_.deferred) {
            auto const& change = one.change;
            auto const found = compare(change);
            difference_style style;
            style.colour = options_.colour;
            style.show_sensitive = options_.show_sensitive;
            bool const data = change.address.mode() == infra::resource_mode::data;
            out_ += formatted("\n{} was deferred\n  # ({})\n{} {} \"{}\" \"{}\" {}\n",
                paint_(text_style::bold, "  # " + to_string(change.address)), deferral_text(one.reason),
                action_symbol(change.action, paint_), data ? "data" : "resource", change.address.type(),
                change.address.name(), difference_text(found, 0, style));
        }
    }

    // Actions that were requested without a change.
    void named_actions()
    {
        std::string text;
        for (action_view const& one : of_.actions)
            if (one.event == infra::trigger_event::invoke) text += "\n" + action_block(one);
        if (!text.empty()) out_ += "\nActions to invoke:\n" + text;
    }

    [[nodiscard]] auto action_block(action_view const& view) const -> std::string
    {
        difference_style style;
        style.colour = options_.colour;
        style.show_sensitive = options_.show_sensitive;
        style.hide_symbols = true;
        bool const is_called = view.event == infra::trigger_event::invoke && !view.caller.type().empty();
        auto const name = to_string(view.address) + (is_called ? " for " + to_string(view.caller) : std::string());
        return formatted("    {}\n    action \"{}\" \"{}\" {}\n", paint_(text_style::bold, "# " + name),
            view.address.type(), view.address.name(),
            difference_text(compare_resources({}, view.config, view.schema), 1, style));
    }

    // The actions that a change invokes, below it.
    [[nodiscard]] auto actions_of(change_view const& change) const -> std::string
    {
        std::string text;
        for (infra::trigger_event const event : infra::trigger_events) {
            std::string part;
            for (action_view const& one : of_.actions)
                if (one.event == event && one.caller == change.address) part += action_block(one);
            if (!part.empty())
                text += formatted("\n    Actions {} {}, in order:\n", is_before(event) ? "before" : "after",
                            is_of_destroy(event) ? "the destroy" : "this change")
                    + part;
        }
        return text;
    }

    [[nodiscard]] auto block(compared const& c, bool drifted) const -> std::string
    {
        auto const& change = *c.change;
        auto const action = drifted ? c.found.action : change.action;
        if (drifted && action == action::no_op && !change.moved()) return {};
        difference_style style;
        style.colour = options_.colour;
        style.show_sensitive = options_.show_sensitive;
        style.show_unchanged = change.importing_id.has_value();
        style.hide_null_suffix = action == action::forget;
        bool const data = change.address.mode() == infra::resource_mode::data;
        return formatted("\n{}{} {} \"{}\" \"{}\" {}\n", comment(change, action, drifted),
                   action_symbol(action, paint_), data ? "data" : "resource", change.address.type(),
                   change.address.name(), difference_text(c.found, 0, style))
            + (drifted || !change.deposed_key.empty() ? std::string() : actions_of(change));
    }

    // The lines above a block, with the action and its reason.
    [[nodiscard]] auto comment(change_view const& change, action action, bool drifted) const -> std::string
    {
        auto const name = object_title(to_string(change.address), change.deposed_key);
        std::string_view const left_over = "\n  # (replaced before, but not destroyed then)";
        auto const title = [&](std::string_view rest) {
            return paint_(text_style::bold, "  # " + name) + std::string(rest);
        };
        bool moved_reported = false;
        std::string out;
        switch (action) {
        case action::create: out = title(" will be created"); break;
        case action::read:
            out = title(" will be read during apply");
            if (change.reason == action_reason::read_because_config_unknown)
                out += "\n  # (some of its arguments are not known yet)";
            if (change.reason == action_reason::read_because_check_nested)
                out += "\n  # (read again for a check block)";
            if (change.reason == action_reason::read_because_dependency_pending)
                out += "\n  # (an object that it depends on will change)";
            break;
        case action::update: out = title(drifted ? " has changed" : " will be updated in-place"); break;
        case action::destroy_then_create:
        case action::create_then_destroy: out = title(replacement(change.reason)); break;
        case action::forget_then_create:
            out = title(replacement(change.reason))
                + "\n  # (the prior object will not be destroyed: it has destroy = false)";
            break;
        case action::destroy:
            out = title(
                drifted ? std::string(" has been deleted") : " will be " + paint_(text_style::bold_red, "destroyed"));
            out += destruction_reason(change);
            if (!change.deposed_key.empty()) out += left_over;
            break;
        case action::forget:
            out = paint_(text_style::bold, " # " + name);
            if (change.deposed_key.empty())
                out += " will be removed from state, but " + paint_(text_style::bold, "will not be destroyed")
                    + std::string(forget_reason(change.reason));
            else
                out += " will be removed from state, but " + paint_(text_style::bold, "will not be destroyed")
                    + std::string(left_over.substr(0, 1)) + std::string(left_over.substr(2));
            break;
        case action::no_op:
            if (change.moved()) {
                out = paint_(text_style::bold, "  # " + to_string(*change.previous_address)) + " has moved to "
                    + paint_(text_style::bold, name);
                moved_reported = true;
            } else {
                out = title(" will be imported");
                if (!change.generated_config.empty()) out += "\n  # (config will be generated)";
            }
            break;
        }
        out += '\n';
        if (change.moved() && !moved_reported)
            out += formatted("  # (moved from {})\n", to_string(*change.previous_address));
        if (change.importing_id && (action != action::no_op || moved_reported)) {
            if (!change.importing_identity.empty())
                out += formatted("  # (imported by its identity {})\n", change.importing_identity);
            else
                out += change.importing_id->empty()
                    ? std::string("  # (will be imported first)\n")
                    : formatted("  # (imported from \"{}\")\n", shown_text(*change.importing_id));
            if (is_replace(action))
                out += "  # " + paint_(text_style::yellow, "Warning: the imported object will be destroyed") + "\n";
        }
        return out;
    }

    [[nodiscard]] static auto forget_reason(action_reason why) -> std::string_view
    {
        switch (why) {
        case action_reason::forgot_because_lifecycle_destroy_in_config:
            return "\n # (its lifecycle block has destroy = false)";
        case action_reason::forgot_because_lifecycle_destroy_in_state:
            return "\n # (its lifecycle block had destroy = false)";
        default: return "\n # (its removed block says destroy = false)";
        }
    }

    [[nodiscard]] auto replacement(action_reason why) const -> std::string
    {
        auto const replaced = paint_(text_style::bold_red, "replaced");
        switch (why) {
        case action_reason::replace_because_tainted: return " is tainted, so must be " + replaced;
        case action_reason::replace_by_request: return " will be " + replaced + ", as requested";
        case action_reason::replace_by_triggers:
            return " will be " + replaced + " due to changes in replace_triggered_by";
        default: return " must be " + replaced;
        }
    }

    [[nodiscard]] static auto destruction_reason(change_view const& change) -> std::string
    {
        auto const& key = change.address.key();
        auto const because = [](std::string_view why) { return formatted("\n  # (because {})", why); };
        switch (change.reason) {
        case action_reason::delete_because_no_resource_config:
            return because(formatted("{}.{} is not in configuration", change.address.type(), change.address.name()));
        case action_reason::delete_because_no_move_target:
            return because(formatted("{} was moved to {}, which is not in configuration",
                to_string(change.previous_address.value_or(change.address)), to_string(change.address)));
        case action_reason::delete_because_no_module:
            return because(formatted("{} is not in configuration", to_string(change.address.module())));
        case action_reason::delete_because_wrong_repetition:
            if (key.index() != nullptr) return because("resource does not use count");
            if (key.name() != nullptr) return because("resource does not use for_each");
            return because("resource uses count or for_each");
        case action_reason::delete_because_enabled_false: return because("enabled is false");
        case action_reason::delete_because_count_index:
            return because(formatted("index {} is out of range for count", to_string(key)));
        case action_reason::delete_because_each_key:
            return because(formatted("key {} is not in for_each map", to_string(key)));
        default: return {};
        }
    }

    plan_view const& of_;
    text_options const& options_;
    std::ostream* to_;
    painter paint_;
    std::vector<change_view const*> changes_;
    std::vector<compared_output> outputs_;
    std::string out_;
};

}  // namespace

auto counts_of(plan_view const& plan) -> plan_counts
{
    plan_counts out;
    for (auto const& change : plan.changes) {
        if (!is_shown(change)) continue;
        if (change.importing_id) ++out.import;
        bool const forgets = change.action == action::forget || change.action == action::forget_then_create;
        if (change.action == action::create || change.action == action::forget_then_create || is_replace(change.action))
            ++out.add;
        if (forgets) ++out.forget;
        if (change.action == action::update) ++out.change;
        if (destroys_object(change.action)) ++out.destroy;
    }
    return out;
}

auto counts_text(plan_view const& plan) -> std::string
{
    auto const n = counts_of(plan);
    std::string out;
    if (n.import > 0) out += formatted("{} to import, ", n.import);
    out += formatted("{} to add, {} to change, {} to destroy", n.add, n.change, n.destroy);
    out += n.forget > 0 ? formatted(", {} to forget.", n.forget) : ".";
    if (!plan.actions.empty()) out += formatted(" Actions: {} to invoke.", plan.actions.size());
    return out;
}

auto plan_text(plan_view const& plan, text_options const& options) -> std::string
{
    return page(plan, options, nullptr).text();
}

void write_plan_text(std::ostream& to, plan_view const& plan, text_options const& options)
{
    (void)page(plan, options, &to).text();
}

auto deferral_text(infra::deferral_reason why) -> std::string_view
{
    switch (why) {
    case infra::deferral_reason::instance_count_unknown: return "the number of its instances is not known yet";
    case infra::deferral_reason::resource_config_unknown:
        return "its provider needs a value of its configuration that is not known yet";
    case infra::deferral_reason::provider_config_unknown:
        return "the configuration of its provider has a value that is not known yet";
    case infra::deferral_reason::absent_prereq: return "it depends on an object that does not exist yet";
    case infra::deferral_reason::deferred_prereq: break;
    }
    return "it depends on a deferred action";
}

auto next_step_text(std::string_view saved_to, std::string_view generated_to, text_options const& options,
    std::string_view command) -> std::string
{
    auto out = "\n" + horizontal_rule(options) + "\n";
    if (!generated_to.empty())
        out += word_wrapped(formatted("The generated configuration is in {}. Review and correct it before you apply.",
                                generated_to),
                   options.width)
            + "\n\n";
    if (saved_to.empty())
        return out
            + word_wrapped("Note: This plan was not saved. \"iacctl apply\" makes a new plan, whose actions may "
                           "differ. To apply exactly this plan, save it with -out=FILE.",
                options.width)
            + "\n";
    return out
        + formatted("Saved the plan to: {}\n\nTo carry out exactly these actions:\n    iacctl {} {}\n", saved_to,
            command, shell_word(saved_to));
}

auto variable_question(std::string_view name, std::string_view description, text_options const& options) -> std::string
{
    painter const paint(options.colour);
    std::string text = paint(text_style::bold, formatted("var.{}", name)) + '\n';
    for (std::size_t at = 0; at < description.size();) {
        std::size_t const end = std::min(description.find('\n', at), description.size());
        text += formatted("  {}\n", description.substr(at, end - at));
        at = end + 1;
    }
    if (!description.empty()) text += '\n';
    return text + formatted("  {} ", paint(text_style::bold, "Enter a value:"));
}

auto approval_question(infra::plan_mode mode, text_options const& options) -> std::string
{
    painter const paint(options.colour);
    struct words {
        std::string_view question, description;
    };
    auto const [question, description] = [mode]() -> words {
        switch (mode) {
        case infra::plan_mode::destroy:
            return {"Destroy all of these objects?", "This cannot be undone. Any answer other than 'yes' cancels."};
        case infra::plan_mode::refresh_only:
            return {"Record these values in state?", "No object is changed. Any answer other than 'yes' cancels."};
        case infra::plan_mode::normal: break;
        }
        return {"Carry out these actions?", "Any answer other than 'yes' cancels."};
    }();
    return formatted("\n{}\n  {}\n\n  {} ", paint(text_style::bold, question), description,
        paint(text_style::bold, "Enter a value:"));
}

auto approval_refused_text(infra::plan_mode mode) -> std::string
{
    return mode == infra::plan_mode::destroy ? "Destroy cancelled.\n" : "Apply cancelled.\n";
}

}  // namespace iacctl::views
