// SPDX-License-Identifier: BSL-1.0
#include <fuzz/reference.hpp>

#include <strider/infra/sim/toy_value.hpp>

#include <algorithm>
#include <cstdint>

namespace strider::test {
namespace {

using infra::address;
using infra::declaration_kind;
using infra::instance_key;

auto split(std::string const& text) -> std::vector<std::string>
{
    std::vector<std::string> words;
    std::string word;
    for (char const c : text) {
        if (c != ',') word += c;
        else words.push_back(std::exchange(word, {}));
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

}  // namespace

program_reference::program_reference(infra::sim::toy_program const& p) : program_(&p)
{
    for (std::size_t i = 0; i < size(); ++i) by_name_.emplace((*this)[i].name, i);
    std::vector<std::set<std::size_t>> direct(size());
    for (std::size_t i = 0; i < size(); ++i) add_direct(i, direct[i]);
    add_triggered(direct);
    for (std::size_t i = 0; i < size(); ++i) closures_.push_back(closure_of(direct, i));
    late_.resize(size());
    by_key_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
        if ((*this)[i].kind != declaration_kind::resource) continue;
        bool const declared = (*this)[i].lifecycle.create_before_destroy.value_or(false);
        if (!declared) continue;
        late_[i] = true;
        for (std::size_t const d : closures_[i])
            if ((*this)[d].kind == declaration_kind::resource
                && (*this)[d].target.mode() == infra::resource_mode::managed)
                late_[d] = true;
    }
    for (std::size_t i = 0; i < size(); ++i)
        for (auto const& r : p.references((*this)[i]))
            if (auto const named = find(r.name); named && r.key) by_key_[*named] = true;
    mentioned_ = by_key_;
    // The dependencies of such a declaration are reached through its instances as well.
    for (std::size_t i = 0; i < size(); ++i)
        if (by_key_[i])
            for (std::size_t const d : closures_[i]) by_key_[d] = true;
}

auto program_reference::find(std::string const& name) const -> std::optional<std::size_t>
{
    auto const at = by_name_.find(name);
    return at == by_name_.end() ? std::nullopt : std::optional(at->second);
}

auto program_reference::find(address const& block) const -> std::optional<std::size_t>
{
    for (std::size_t i = 0; i < size(); ++i) {
        bool const has_target =
            (*this)[i].kind == declaration_kind::resource || (*this)[i].kind == declaration_kind::action;
        if (has_target && (*this)[i].target == block) return i;
    }
    return std::nullopt;
}

void program_reference::add_direct(std::size_t i, std::set<std::size_t>& to) const
{
    declaration const& d = (*this)[i];
    for (auto const& r : program_->references(d)) {
        auto const named = find(r.name);
        if (!named) continue;
        to.insert(*named);
        if ((*this)[*named].kind != declaration_kind::module) continue;
        for (std::size_t j = 0; j < size(); ++j) {
            std::string const& in = (*this)[j].module;
            bool const inside = in == r.name || in.starts_with(r.name + ".");
            if (inside && (*this)[j].kind != declaration_kind::check) to.insert(j);
        }
    }
    if (auto const module = find(d.module); module && !d.module.empty()) to.insert(*module);
}

// A resource depends on the actions that it triggers, unless they lead back to it.
void program_reference::add_triggered(std::vector<std::set<std::size_t>>& direct) const
{
    for (std::size_t a = 0; a < size(); ++a) {
        if ((*this)[a].kind != declaration_kind::action) continue;
        auto const needed = closure_of(direct, a);
        for (std::size_t i = 0; i < size(); ++i)
            for (infra::sim::toy_action_trigger const& t : (*this)[i].action_triggers)
                for (infra::sim::toy_triggered_action const& one : t.actions)
                    if (one.name == (*this)[a].name && !needed.contains(i)) direct[i].insert(a);
    }
}

auto program_reference::closure_of(std::vector<std::set<std::size_t>> const& direct, std::size_t i)
    -> std::set<std::size_t>
{
    std::set<std::size_t> all;
    std::vector<std::size_t> open{i};
    while (!open.empty()) {
        std::size_t const from = open.back();
        open.pop_back();
        for (std::size_t const d : direct[from])
            if (all.insert(d).second) open.push_back(d);
    }
    return all;
}

auto program_reference::dependencies(std::size_t i) const -> std::set<std::string>
{
    std::set<std::string> names;
    for (std::size_t const d : closures_[i])
        if (d != i && (*this)[d].kind == declaration_kind::resource) names.insert(to_string((*this)[d].target));
    return names;
}

auto program_reference::value(infra::sim::toy_term const& t, address const& a, infra::snapshot const& s) const
    -> std::optional<std::string>
{
    using kind = infra::sim::toy_term::kind_type;
    if (t.kind() == kind::text) return t.text();
    if (t.kind() == kind::own_key) return std::nullopt;
    auto const named = find(t.subject());
    if (!named) return std::nullopt;
    declaration const& d = (*this)[*named];
    if (d.kind != declaration_kind::resource) {
        auto const at = d.attributes.find(t.text());
        return at == d.attributes.end() ? std::nullopt : value(at->second, address(), s);
    }
    std::string joined;
    bool first = true;
    for (auto const& [target, record] : s.resources) {
        if (!record.current || target.config() != d.target || (t.key() && target.key() != t.key())) continue;
        if (!d.count && !d.for_each && target.key()) continue;  // not declared, but still in state
        bool is_near = true;
        for (std::size_t i = 0; i < std::min(a.module().size(), target.module().size()); ++i) {
            if (a.module()[i].name != target.module()[i].name) break;
            if (a.module()[i].key != target.module()[i].key) is_near = false;
        }
        if (!is_near) continue;
        auto const object = infra::sim::from_document(record.current->attributes);
        if (!object) return std::nullopt;
        joined += (first ? "" : ",") + (*object)[t.text()];
        first = false;
    }
    return joined;
}

auto program_reference::keys(declaration const& d, infra::snapshot const& s) const
    -> std::optional<std::vector<instance_key>>
{
    if (!d.count && !d.for_each) return std::vector<instance_key>(1);
    auto const text = value(d.count ? *d.count : *d.for_each, {}, s);
    if (!text) return std::nullopt;
    std::vector<instance_key> all;
    if (d.for_each) {
        for (std::string& name : split(*text))
            if (instance_key key(std::move(name)); std::find(all.begin(), all.end(), key) == all.end())
                all.push_back(std::move(key));
    } else {
        if (text->size() != 1 || (*text)[0] < '0' || (*text)[0] > '9') return std::nullopt;
        for (std::int64_t i = 0; i < (*text)[0] - '0'; ++i) all.emplace_back(i);
    }
    return all;
}

auto program_reference::instances(std::size_t i, infra::snapshot const& s) const -> std::optional<std::vector<address>>
{
    declaration const& d = (*this)[i];
    std::vector<std::vector<infra::module_step>> modules(1);
    std::vector<infra::module_step> path;
    for (infra::module_step const& step : d.target.module()) {
        path.push_back({step.name, {}});
        auto const call = find(to_string(path));
        std::optional<std::vector<instance_key>> all = std::vector<instance_key>(1);
        if (call) all = keys((*this)[*call], s);
        if (!all) return std::nullopt;
        std::vector<std::vector<infra::module_step>> longer;
        for (auto const& before : modules)
            for (instance_key const& key : *all) {
                longer.push_back(before);
                longer.back().push_back({step.name, key});
            }
        modules = std::move(longer);
    }
    auto const own = keys(d, s);
    if (!own) return std::nullopt;
    std::vector<address> all;
    for (auto const& module : modules)
        for (instance_key const& key : *own)
            all.emplace_back(module, d.target.mode(), d.target.type(), d.target.name(), key);
    return all;
}

namespace {

/// The operations of some changes: operation 2i creates, reads or updates, operation 2i + 1 destroys.
class order_rules {
public:
    using change = infra::change<infra::sim::toy_value>;

    order_rules(program_reference const& text, std::vector<change> const& changes, infra::plan_mode mode)
        : text_(text),
          changes_(changes),
          mode_(mode),
          before_(2 * changes.size(), std::vector<bool>(2 * changes.size()))
    {
        for (std::size_t x = 0; x < changes.size(); ++x)
            for (std::size_t y = 0; y < changes.size(); ++y) relate(x, y);
        forgive_mutual_dependencies();
    }

    [[nodiscard]] auto is_cyclic() -> bool
    {
        std::size_t const n = before_.size();
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; before_[i][k] && j < n; ++j)
                    if (before_[k][j]) before_[i][j] = true;
        for (std::size_t i = 0; i < n; ++i)
            if (before_[i][i]) return true;
        return false;
    }

private:
    [[nodiscard]] auto makes(std::size_t i) const -> bool
    {
        return infra::makes_object(changes_[i].what) && !changes_[i].of_deposed;
    }
    [[nodiscard]] auto destroys(std::size_t i) const -> bool { return infra::destroys_object(changes_[i].what); }
    [[nodiscard]] auto is_late(std::size_t i) const -> bool
    {
        change const& c = changes_[i];
        return c.of_deposed || c.what == infra::action::create_then_destroy || c.stored_create_before_destroy;
    }
    [[nodiscard]] auto stored(std::size_t i, std::size_t other) const -> bool
    {
        auto const names = changes_[i].stored_dependencies.names();
        return std::find(names.begin(), names.end(), changes_[other].config) != names.end();
    }
    [[nodiscard]] auto reaches(std::size_t declaration, std::size_t other) const -> bool
    {
        auto const to = text_.find(changes_[other].target.config());
        return to && text_.closure(declaration).contains(*to);
    }

    // Returns whether the configuration of an action before the destruction of a resource depends on x.
    [[nodiscard]] auto is_needed_before(std::size_t x, std::size_t resource) const -> bool
    {
        for (infra::sim::toy_action_trigger const& t : text_[resource].action_triggers) {
            auto const& events = t.events;
            if (std::find(events.begin(), events.end(), infra::trigger_event::before_destroy) == events.end()) continue;
            for (infra::sim::toy_triggered_action const& one : t.actions) {
                auto const action = text_.find(one.name);
                auto const provider = action ? text_.find(text_[*action].provider) : std::nullopt;
                if (provider && reaches(*provider, x)) return true;
            }
        }
        return false;
    }

    // Adds the rules that order an operation of x before one of y.
    void relate(std::size_t x, std::size_t y)
    {
        auto const& a = changes_[x];
        auto const& b = changes_[y];
        auto const own = text_.find(b.target.config());
        if (x != y && makes(x) && makes(y) && own && reaches(*own, x)) first(2 * x, 2 * y);
        if (makes(x) && destroys(y) && own && is_needed_before(x, *own)) first(2 * x, 2 * y + 1);
        auto const provider = text_.find(b.provider);
        if (makes(x) && destroys(y) && provider && reaches(*provider, x)) first(2 * x, 2 * y + 1);
        if (destroys(x) && makes(y) && a.target == b.target) destroyed(x, y);
        if (x == y || infra::in_different_instances_of_one_module(a.target, b.target)) return;
        if (destroys(x) && makes(y) && stored(y, x)) destroyed(x, y);
        bool const apart = a.provider != b.provider && mode_ != infra::plan_mode::destroy;
        if (!destroys(x) || !stored(x, y) || apart) return;
        if (destroys(y)) first(2 * x + 1, 2 * y + 1);
        if (makes(y)) destroyed(x, y);
    }
    void first(std::size_t one, std::size_t then) { before_[one][then] = true; }
    // The object of x is destroyed before y is created, or after it.
    void destroyed(std::size_t x, std::size_t y)
    {
        if (is_late(x)) first(2 * y, 2 * x + 1);
        else first(2 * x + 1, 2 * y);
    }

    // Objects that depend on each other according to state have no order.
    void forgive_mutual_dependencies()
    {
        std::size_t const n = changes_.size();
        std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) reach[i][j] = before_[2 * i + 1][2 * j + 1];
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; reach[i][k] && j < n; ++j)
                    if (reach[k][j]) reach[i][j] = true;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                if (reach[i][j] && reach[j][i]) before_[2 * i + 1][2 * j + 1] = false;
    }

    program_reference const& text_;
    std::vector<change> const& changes_;
    infra::plan_mode mode_;
    std::vector<std::vector<bool>> before_;
};

}  // namespace

auto is_contradictory(program_reference const& text, std::vector<infra::change<infra::sim::toy_value>> const& changes,
    infra::plan_mode mode) -> bool
{
    return order_rules(text, changes, mode).is_cyclic();
}

}  // namespace strider::test
