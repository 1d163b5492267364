// SPDX-License-Identifier: BSL-1.0
// The values whose changes replace an instance.
#include "base/characters.hpp"
#include "hcl_program.hpp"
#include "language/syntax/references.hpp"
#include "messages/program.hpp"
#include "messages/validation.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace iacctl::program {

namespace {

// The steps after an object as one text: names and indices, each after its length, since a key may contain any
// character.
auto step_text(std::string const& step) -> std::string
{
    return std::to_string(step.size()) + ':' + step;
}

auto path_text(std::span<language::syntax::step const> steps) -> std::string
{
    std::string text;
    for (auto const& step : steps) {
        if (step.key == nullptr) text += step_text(std::string(step.name));
        else if (step.key->is(language::type_kind::string)) text += step_text(step.key->as_string());
        else text += step_text(step.key->as_number().text());
    }
    return text;
}

auto at_path(value v, std::string_view path) -> value
{
    while (!path.empty()) {
        std::size_t length = 0;
        for (; path.front() != ':'; path.remove_prefix(1))
            length = length * 10 + static_cast<std::size_t>(path.front() - '0');
        std::string_view const step = path.substr(1, length);
        path.remove_prefix(1 + length);
        if (value const* const entry = v.find(step)) v = value(*entry);
        else {
            std::size_t index = 0;
            for (char const c : step) index = is_digit(c) ? index * 10 + static_cast<std::size_t>(c - '0') : v.size();
            if (index >= v.elements().size()) return {};
            v = value(v.elements()[index]);
        }
    }
    return v;
}

// Parses `terraform_data.a[count.index].output`. Only keys may depend on the instance of the trigger.
class trigger_reader {
public:
    trigger_reader(language::expression e, infra::instance_key own, infra::diagnostics& found)
        : of_(e),
          own_(std::move(own)),
          found_(found)
    {}

    [[nodiscard]] auto read() -> infra::replace_trigger
    {
        read(of_.node());
        return std::move(made_);
    }

private:
    void read(language::syntax::node const& n)
    {
        using language::syntax::node_kind;
        if (n.kind == node_kind::traversal) {
            auto const r =
                language::parse_reference(language::syntax::as<language::syntax::traversal>(n), of_.file(), found_);
            if (!r) return;
            made_.subject.name = r->address();
            made_.subject.key = instance_key_of(r->key);
            made_.attribute += path_text(r->remaining());
        } else if (n.kind == node_kind::relative) {
            auto const& part = language::syntax::as<language::syntax::relative>(n);
            read(*part.from);
            made_.attribute += path_text(part.steps);
        } else if (n.kind == node_kind::index) {
            auto const& at = language::syntax::as<language::syntax::index>(n);
            read(*at.collection);
            read_key(*at.key);
        } else {
            refuse(messages::replace_trigger_not_reference, n);
        }
    }

    void read_key(language::syntax::node const& key)
    {
        auto const* const path = language::as_traversal(of_.with(&key));
        if (path == nullptr) return refuse(messages::replace_trigger_key_not_static, key);
        bool const counts = path->root == "count";
        if (counts ? own_.index() == nullptr : own_.name() == nullptr)
            return refuse(counts ? messages::count_unavailable : messages::each_unavailable, key);
        if (made_.attribute.empty() && !made_.subject.key) made_.subject.key = own_;
        else made_.attribute += step_text(counts ? std::to_string(*own_.index()) : *own_.name());
    }

    void refuse(messages::message<0> const& m, language::syntax::node const& where)
    {
        found_.add(language::error(m, of_.at(where.range)));
    }

    language::expression of_;
    infra::instance_key own_;
    infra::diagnostics& found_;
    infra::replace_trigger made_;
};

}  // namespace

auto hcl_program::replace_triggers(declaration const& d, infra::address const& instance) const
    -> expected<std::vector<infra::replace_trigger>>
{
    std::vector<infra::replace_trigger> triggers;
    infra::diagnostics found;
    if (d.resource() != nullptr)
        for (language::expression const& e : d.resource()->lifecycle.replace_triggered_by) {
            triggers.push_back(trigger_reader(e, instance.key(), found).read());
            triggers.back().subject.name.insert(0, d.in->prefix);
            triggers.back().by_creation = d.in->of->dialect.follows == language::origin_program::opentofu;
        }
    if (found.has_errors()) return infra::failure(found);
    return triggers;
}

auto hcl_program::trigger_differs(infra::replace_trigger const& t, value const& before, value const& after) const
    -> bool
{
    value const now = at_path(after, t.attribute);
    return !now.wholly_known() || at_path(before, t.attribute).unmarked_deep() != now.unmarked_deep();
}

}  // namespace iacctl::program
