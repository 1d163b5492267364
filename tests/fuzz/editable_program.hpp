// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_EDITABLE_PROGRAM_HPP
#define STRIDER_TESTS_FUZZ_EDITABLE_PROGRAM_HPP

#include <fuzz/random_generator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {

/// The kinds of declarations.
enum class unit_kind : std::uint8_t { resource, data, local, output, provider, module, check, action };

/// A declaration. It refers to others by their numbers.
struct unit {
    struct use {
        std::size_t number;
        std::string attribute;
        int key = -1;  ///< the key of one instance; -1: all instances
    };
    /// Actions that a resource triggers.
    struct action_rule {
        std::vector<std::string> events;
        std::vector<std::size_t> actions;
        std::string effect;  ///< "", "_taint", "_warn"
        std::string of_caller;  ///< the attribute of the caller in the condition
        std::string expected;
        bool own_key = false;
    };
    std::size_t number = 0;
    unit_kind kind = unit_kind::resource;
    std::string name;
    std::string path;  ///< "m/", of its module
    std::size_t size = 0;
    std::string of_kind;
    std::optional<use> kind_from;
    std::optional<use> size_from;
    std::vector<use> uses;
    std::vector<std::size_t> depends_on;
    std::string provider;
    std::optional<std::size_t> declared_provider;
    int count = -1;
    std::optional<use> count_from;
    std::vector<std::string> each;
    std::optional<use> each_from;
    std::optional<bool> cbd;
    bool prevents = false;
    bool keeps = false;  ///< the object leaves state instead of being destroyed
    bool ignores = false;
    std::string imported;  ///< the id of an existing object
    std::optional<use> trigger;
    std::optional<use> before;
    std::string expected;
    bool checks_size = false;
    std::size_t create_steps = 0;
    bool continues = false;
    bool destroy_step = false;
    std::vector<action_rule> triggers;
    std::string of_caller;  ///< of an action: an attribute of its caller
    std::vector<unit> members;  ///< of a module

    [[nodiscard]] auto is_repeated() const -> bool { return count >= 0 || count_from || !each.empty() || each_from; }
};

/// A program that can be edited.
class editable_program {
public:
    explicit editable_program(random_generator& random) : random_(&random) {}

    std::vector<unit> units;
    std::vector<std::string> statements;  ///< moved, removed

    void add_some(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) add(random_->below(units.size() + 1));
    }

    void add(std::size_t at)
    {
        std::size_t const roll = random_->below(27);
        unit u;
        if (roll < 12) u = make(unit_kind::resource, "");
        else if (roll == 12) u = make(unit_kind::data, "");
        else if (roll == 13) u = make(unit_kind::local, "");
        else if (roll == 14) u = make(unit_kind::output, "");
        else if (roll == 15 || (roll > 19 && roll < 23)) u = make(unit_kind::provider, "");
        else if (roll == 16) u = make(unit_kind::check, "");
        else if (roll > 22) u = make(unit_kind::action, "");
        else u = make_module("", 0);
        units.insert(units.begin() + static_cast<std::ptrdiff_t>(at), std::move(u));
        forget_references(units[at].number);
        dress(units[at], before(at));
        if (units[at].kind == unit_kind::module) dress_members(units[at], at);
        if (units[at].kind == unit_kind::action) find_callers(units[at]);
    }

    /// Adds a resource that imports an object, which must exist. \return its address and the id of the object
    [[nodiscard]] auto add_import() -> std::pair<std::string, std::string>
    {
        unit u = make(unit_kind::resource, "");
        std::string const id = u.name + "#" + std::to_string(1000 + imports_++);
        u.imported = "toy." + id;
        std::pair<std::string, std::string> const made{u.name, id};
        units.push_back(std::move(u));
        return made;
    }
    /// The objects were imported, or are destroyed.
    void end_imports()
    {
        each_resource([](unit& r) { r.imported.clear(); });
    }

    /// Replaces all resources, with create_before_destroy.
    void replace_all()
    {
        each_resource([](unit& r) {
            r.cbd = true;
            r.of_kind = r.of_kind == "x" ? "y" : "x";
            r.prevents = false;
        });
    }
    void rename_some()
    {
        for (std::size_t i = 0; i < units.size(); ++i)
            if (random_->one_in(2)) rename(units[i], true);
    }

    /// Repeats a resource by the computed attribute of another one that is to be created or updated. \return whether there are such
    [[nodiscard]] auto repeat_by_stamp() -> bool
    {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 0; i < units.size(); ++i)
            for (std::size_t j = i + 1; j < units.size(); ++j)
                if (is_plain(units[i]) && (units[j].kind == unit_kind::resource || units[j].kind == unit_kind::module))
                    pairs.emplace_back(i, j);
        if (pairs.empty()) return false;
        auto const [from, to] = random_->pick(pairs);
        units[from].size = 3 + random_->below(3);
        unit& u = units[to];
        u.count = -1;
        u.count_from.reset();
        u.each.clear();
        u.imported.clear();
        u.each_from = unit::use{units[from].number, "stamp", -1};
        forget_keys(u.number);
        return true;
    }

    void edit()
    {
        if (units.empty()) return add(0);
        std::size_t const at = random_->below(units.size());
        unit& u = units[at];
        switch (random_->below(19)) {
        case 0:
        case 1: drop(at); break;
        case 2:
        case 3: add(random_->below(units.size() + 1)); break;
        case 4:
        case 5:
            each_resource([&](unit& r) {
                if (random_->one_in(2)) r.size = random_->below(3);
            });
            break;
        case 6:
        case 7:
            each_resource([&](unit& r) {
                if (random_->one_in(2)) r.of_kind = random_->one_in(2) ? "x" : "y";
            });
            break;
        case 8: rename(u, random_->below(4) != 0); break;
        case 9: reverse(); break;
        case 16: shift_names(); break;
        case 10:
        case 11:
            each_resource([&](unit& r) {
                if (!random_->one_in(3)) return;
                if (r.cbd) r.cbd.reset();
                else r.cbd = !random_->one_in(4);
            });
            break;
        case 12:
            if (u.kind == unit_kind::resource) choose_provider(u, before(at));
            for (unit& member : u.members)
                if (member.kind == unit_kind::resource) choose_provider(member, before(at));
            break;
        case 13:
            if (u.kind == unit_kind::resource || u.kind == unit_kind::module || u.kind == unit_kind::action) {
                repeat(u, before(at));
                forget_keys(u.number);
            }
            break;
        case 14:
            if (u.kind == unit_kind::resource) forget(at);
            break;
        case 15:
            if (u.kind == unit_kind::resource || u.kind == unit_kind::module || u.kind == unit_kind::action) {
                refer(u, before(at));
                if (u.kind == unit_kind::module) u.uses.clear();
            }
            break;
        case 17:
            each_resource([&](unit& r) {
                if (!r.triggers.empty() && random_->one_in(2)) r.triggers.pop_back();
                else if (random_->one_in(2)) trigger_some(r, actions_of(r.path));
            });
            break;
        default:
            each_resource([&](unit& r) {
                if (random_->one_in(4)) r.prevents = !r.prevents;
                if (random_->one_in(4)) r.keeps = !r.keeps;
                if (random_->one_in(4)) r.create_steps = random_->below(3);
                if (random_->one_in(4)) r.destroy_step = !r.destroy_step;
            });
        }
    }

    [[nodiscard]] auto lines() const -> std::vector<std::string>
    {
        std::vector<std::string> all;
        for (unit const& u : units) add_lines(u, all);
        all.insert(all.end(), statements.begin(), statements.end());
        return all;
    }

    /// An action in the form of options: "action.t1", "m/action.t1[0]"; empty if there is none.
    [[nodiscard]] auto action() -> std::string
    {
        std::vector<unit const*> all;
        each_unit(units, [&](unit& u) {
            if (u.kind == unit_kind::action) all.push_back(&u);
        });
        if (all.empty()) return "";
        unit const& u = *random_->pick(all);
        return shorthand(u) + (u.count > 0 && random_->one_in(2) ? "[0]" : "");
    }

    /// An address in the form of options: "a", "m/a", "module.m", "c[0]".
    [[nodiscard]] auto subject() -> std::string
    {
        std::vector<std::string> all;
        for (unit const& u : units) add_subjects(u, all);
        return all.empty() ? "a" : random_->pick(all);
    }

private:
    [[nodiscard]] auto fresh(unit_kind kind) -> std::string
    {
        std::size_t const n = names_++;
        switch (kind) {
        case unit_kind::module:
            return std::string(1, static_cast<char>('m' + n % 6)) + (n < 6 ? "" : std::to_string(n / 6));
        case unit_kind::provider: return "q" + std::to_string(n);
        case unit_kind::local: return "x" + std::to_string(n);
        case unit_kind::output: return "o" + std::to_string(n);
        case unit_kind::check: return "c" + std::to_string(n);
        case unit_kind::data: return "d" + std::to_string(n);
        case unit_kind::action: return "t" + std::to_string(n);
        case unit_kind::resource: break;
        }
        return std::string(1, static_cast<char>('a' + n % 8)) + (n < 8 ? "" : std::to_string(n / 8));
    }

    [[nodiscard]] auto make(unit_kind kind, std::string path) -> unit
    {
        unit u;
        u.number = numbers_++;
        u.kind = kind;
        u.name = fresh(kind);
        u.path = std::move(path);
        u.size = random_->below(3);
        u.of_kind = random_->one_in(2) ? "x" : "y";
        static std::vector<std::string> const of_caller{"size", "kind", "id", "stamp"};
        if (kind == unit_kind::action && random_->one_in(2)) u.of_caller = random_->pick(of_caller);
        return u;
    }

    [[nodiscard]] auto make_module(std::string const& path, std::size_t depth) -> unit
    {
        unit m = make(unit_kind::module, path);
        std::string const inside = path + m.name + "/";
        std::size_t const members = 1 + random_->below(3);
        for (std::size_t i = 0; i < members; ++i) {
            if (depth == 0 && random_->one_in(6)) m.members.push_back(make_module(inside, 1));
            else if (random_->one_in(6)) m.members.push_back(make(unit_kind::local, inside));
            else if (random_->one_in(6)) m.members.push_back(make(unit_kind::output, inside));
            else if (random_->one_in(5)) m.members.push_back(make(unit_kind::action, inside));
            else m.members.push_back(make(unit_kind::resource, inside));
        }
        return m;
    }

    // Declarations before a position: a declaration there may refer to them.
    [[nodiscard]] auto before(std::size_t at) const -> std::vector<unit const*>
    {
        std::vector<unit const*> all;
        for (std::size_t i = 0; i < at; ++i) all.push_back(&units[i]);
        return all;
    }

    void dress_members(unit& m, std::size_t at)
    {
        std::vector<unit const*> there = before(at);
        dress_members(m, there);
    }
    void dress_members(unit& m, std::vector<unit const*>& there)
    {
        for (unit& u : m.members) {
            dress(u, there);
            if (u.kind == unit_kind::module) dress_members(u, there);
            there.push_back(&u);
        }
        for (std::size_t i = 0; i < m.members.size(); ++i) there.pop_back();
    }

    // Declarations with values that another declaration may use, without modules.
    [[nodiscard]] static auto values(std::vector<unit const*> const& there) -> std::vector<unit const*>
    {
        std::vector<unit const*> all;
        for (unit const* u : there) {
            bool const is_value = u->kind == unit_kind::resource || u->kind == unit_kind::data
                || u->kind == unit_kind::local || (u->kind == unit_kind::output && !u->path.empty());
            if (is_value) all.push_back(u);
            for (unit const& member : u->members)
                if (member.kind == unit_kind::output) all.push_back(&member);
        }
        return all;
    }

    [[nodiscard]] auto use_of(unit const& u) -> unit::use
    {
        static std::vector<std::string> const attributes{"id", "size", "stamp", "id", "kind"};
        unit::use how{u.number, "value", -1};
        bool const is_value = u.kind == unit_kind::local || u.kind == unit_kind::output;
        if (!is_value) how.attribute = random_->pick(attributes);
        if (u.count > 0 && u.path.empty() && random_->one_in(2))
            how.key = static_cast<int>(random_->below(static_cast<std::size_t>(u.count)));
        return how;
    }
    // Returns whether this is one object whose text is known without a plan.
    [[nodiscard]] static auto is_plain(unit const& u) -> bool
    {
        return u.kind == unit_kind::resource && u.path.empty() && !u.is_repeated() && !u.size_from && !u.ignores;
    }

    void dress(unit& u, std::vector<unit const*> const& there)
    {
        refer(u, there);
        if (u.kind == unit_kind::resource || u.kind == unit_kind::module || u.kind == unit_kind::action)
            if (random_->one_in(3)) repeat(u, there);
        if (u.kind != unit_kind::resource && u.kind != unit_kind::action) return;
        choose_provider(u, there);
        if (u.kind == unit_kind::action) return;
        std::vector<unit const*> actions;
        for (unit const* other : there)
            if (other->kind == unit_kind::action && other->path == u.path) actions.push_back(other);
        if (random_->one_in(2)) trigger_some(u, actions);
        if (random_->one_in(5)) u.cbd = !random_->one_in(5);
        u.prevents = random_->one_in(25);
        u.keeps = random_->one_in(12);
        u.ignores = random_->one_in(14);
        if (random_->one_in(4)) u.create_steps = 1 + random_->below(2);
        u.continues = random_->one_in(4);
        u.destroy_step = random_->one_in(10);
        u.checks_size = !u.size_from && random_->one_in(14);
    }

    void refer(unit& u, std::vector<unit const*> const& there)
    {
        u.uses.clear();
        u.depends_on.clear();
        u.kind_from.reset();
        u.size_from.reset();
        u.trigger.reset();
        u.before.reset();
        auto const known = values(there);
        if (u.kind == unit_kind::data) {
            // Data read the attributes of one object.
            std::vector<unit const*> objects;
            for (unit const* k : known)
                if (is_plain(*k)) objects.push_back(k);
            if (!objects.empty()) u.uses.push_back({random_->pick(objects)->number, "id", -1});
        } else if (u.kind != unit_kind::module && u.kind != unit_kind::check && !known.empty()) {
            bool const has_attributes = u.kind == unit_kind::resource || u.kind == unit_kind::action;
            std::size_t const uses = has_attributes ? random_->below(3) : 1;
            for (std::size_t i = 0; i < uses; ++i) {
                unit const* const other = random_->pick(known);
                bool const twice = std::any_of(
                    u.uses.begin(), u.uses.end(), [&](unit::use const& one) { return one.number == other->number; });
                if (!twice) u.uses.push_back(use_of(*other));
            }
        }
        if (u.kind == unit_kind::resource && !known.empty()) {
            if (random_->one_in(16)) u.kind_from = use_of(*random_->pick(known));
            if (random_->one_in(16)) u.size_from = use_of(*random_->pick(known));
            std::vector<unit const*> objects;
            for (unit const* k : known)
                if (is_plain(*k)) objects.push_back(k);
            if (!objects.empty() && u.path.empty() && random_->one_in(10))
                u.trigger = unit::use{random_->pick(objects)->number, random_->one_in(2) ? "size" : "", -1};
            if (!objects.empty() && random_->one_in(10)) {
                unit const* const other = random_->pick(objects);
                u.before = unit::use{other->number, "stamp", -1};
                u.expected = random_->one_in(5) ? "of-9" : "";
            }
        }
        if (u.kind == unit_kind::check) {
            std::vector<unit const*> objects;
            for (unit const* k : known)
                if (is_plain(*k)) objects.push_back(k);
            if (!objects.empty()) {
                u.before = unit::use{random_->pick(objects)->number, "size", -1};
                u.expected = "1";
            }
        }
        bool const may_depend = u.kind == unit_kind::resource || u.kind == unit_kind::module;
        if (may_depend && !there.empty() && random_->one_in(u.kind == unit_kind::module ? 3 : 6)) {
            unit const* const other = random_->pick(there);
            bool const is_named = other->kind == unit_kind::resource || other->kind == unit_kind::module;
            if (is_named) u.depends_on.push_back(other->number);
        }
    }

    void choose_provider(unit& r, std::vector<unit const*> const& there)
    {
        r.provider.clear();
        r.declared_provider.reset();
        std::vector<std::size_t> declared;
        for (unit const* u : there)
            if (u->kind == unit_kind::provider) declared.push_back(u->number);
        if (!declared.empty() && random_->one_in(2)) r.declared_provider = random_->pick(declared);
        else if (random_->one_in(5)) r.provider = random_->one_in(2) ? "s" : "t";
    }

    [[nodiscard]] auto actions_of(std::string const& path) -> std::vector<unit const*>
    {
        std::vector<unit const*> all;
        each_unit(units, [&](unit& u) {
            if (u.kind == unit_kind::action && u.path == path) all.push_back(&u);
        });
        return all;
    }
    // Other resources trigger a new action.
    void find_callers(unit const& u)
    {
        std::vector<unit const*> const it{&u};
        each_resource([&](unit& r) {
            if (r.path == u.path && random_->one_in(3)) trigger_some(r, it);
        });
    }
    void trigger_some(unit& r, std::vector<unit const*> const& actions)
    {
        if (actions.empty()) return;
        unit::action_rule t;
        bool computed = false;
        for (std::size_t i = 1 + random_->below(2); i > 0; --i) {
            unit const& one = *random_->pick(actions);
            t.actions.push_back(one.number);
            computed = computed || one.of_caller == "id" || one.of_caller == "stamp";
        }
        if (random_->one_in(4)) {
            bool const stamp = random_->one_in(3);
            computed = computed || stamp;
            t.of_caller = stamp ? "stamp" : "size";
            t.expected = (stamp ? "of-" : "") + std::to_string(random_->below(2));
        }
        // The computed attributes of a caller are not known before it is created or updated.
        std::vector<std::string> events{"after_create", "after_update", "before_destroy", "after_destroy"};
        if (!computed) events.insert(events.end(), {"before_create", "before_update", "before_create"});
        for (std::size_t i = 1 + random_->below(3); i > 0; --i) {
            std::string const& event = random_->pick(events);
            if (std::find(t.events.begin(), t.events.end(), event) == t.events.end()) t.events.push_back(event);
        }
        static std::vector<std::string> const effects{"", "", "", "_taint", "_warn"};
        t.effect = random_->pick(effects);
        t.own_key = random_->one_in(2);
        r.triggers.push_back(std::move(t));
    }

    void repeat(unit& u, std::vector<unit const*> const& there)
    {
        u.count = -1;
        u.each.clear();
        u.count_from.reset();
        u.each_from.reset();
        std::vector<unit const*> plain;
        for (unit const* k : there)
            if (is_plain(*k) && k->kind == unit_kind::resource) plain.push_back(k);
        switch (random_->below(5)) {
        case 0: break;
        case 1:
        case 2: u.count = static_cast<int>(random_->below(4)); break;
        case 3:
            for (char const* key : {"x", "y", "z"})
                if (!random_->one_in(3)) u.each.emplace_back(key);
            break;
        default:
            if (plain.empty()) break;
            if (random_->one_in(2)) u.count_from = unit::use{random_->pick(plain)->number, "size", -1};
            else u.each_from = unit::use{random_->pick(plain)->number, random_->one_in(3) ? "stamp" : "kind", -1};
            if (u.each_from) {
                // "kind" of a resource whose kind is taken from others may be a list.
                unit const* const from = find(u.each_from->number);
                if (from == nullptr || from->kind_from) u.each_from.reset();
            }
        }
    }

    // ------------------------------------------------------------------------------------------------------------- edits

    void each_resource(std::function<void(unit&)> const& change) { each(units, change); }
    static void each(std::vector<unit>& all, std::function<void(unit&)> const& change)
    {
        for (unit& u : all) {
            if (u.kind == unit_kind::resource) change(u);
            each(u.members, change);
        }
    }
    template <class Units, class Change>
    static void each_unit(Units& all, Change const& change)
    {
        for (auto& u : all) {
            change(u);
            each_unit(u.members, change);
        }
    }

    void drop(std::size_t at)
    {
        std::vector<std::size_t> gone;
        std::function<void(unit const&)> const collect = [&](unit const& u) {
            gone.push_back(u.number);
            for (unit const& m : u.members) collect(m);
        };
        collect(units[at]);
        units.erase(units.begin() + static_cast<std::ptrdiff_t>(at));
        for (std::size_t const number : gone) forget_references(number);
    }

    void forget(std::size_t at)
    {
        statements.push_back("removed " + units[at].path + units[at].name);
        drop(at);
    }

    void forget_references(std::size_t number)
    {
        forget_where([number](unit::use const& one) { return one.number == number; });
        each_unit(units, [&](unit& u) {
            std::erase(u.depends_on, number);
            for (unit::action_rule& t : u.triggers) std::erase(t.actions, number);
            std::erase_if(u.triggers, [](unit::action_rule const& t) { return t.actions.empty(); });
            if (u.declared_provider == number) u.declared_provider.reset();
        });
    }
    void forget_keys(std::size_t number)
    {
        forget_where([this, number](unit::use const& one) {
            unit const* const u = find(number);
            if (one.number != number || u == nullptr) return false;
            return one.key >= 0 ? one.key >= u->count : false;
        });
        // Several objects may now exist in place of one.
        unit const* const u = find(number);
        if (u == nullptr || is_plain(*u)) return;
        each_unit(units, [number](unit& other) {
            auto const names = [number](std::optional<unit::use> const& one) { return one && one->number == number; };
            if (names(other.count_from)) other.count_from.reset();
            if (names(other.each_from)) other.each_from.reset();
            if (names(other.trigger)) other.trigger.reset();
            if (names(other.before)) other.before.reset();
            if (other.kind == unit_kind::data)
                std::erase_if(other.uses, [number](unit::use const& one) { return one.number == number; });
        });
    }
    template <class Which>
    void forget_where(Which which)
    {
        each_unit(units, [&](unit& u) {
            std::erase_if(u.uses, which);
            for (auto* one : {&u.kind_from, &u.size_from, &u.count_from, &u.each_from, &u.trigger, &u.before})
                if (*one && which(**one)) one->reset();
        });
    }

    void rename(unit& u, bool with_moved)
    {
        bool const named = u.kind == unit_kind::resource || u.kind == unit_kind::module;
        if (!named) return;
        std::string const old = u.name;
        u.imported.clear();
        // A former name of another declaration results in a chain of moves.
        u.name = random_->one_in(3) && !former_.empty() ? random_->pick(former_) : fresh(u.kind);
        std::size_t same = 0;
        each_unit(units, [&](unit& other) { same += other.name == u.name && other.path == u.path ? 1U : 0U; });
        bool const wrong_kind = (u.kind == unit_kind::module) != (u.name[0] >= 'm');
        if (same > 1 || wrong_kind) u.name = fresh(u.kind);
        if (u.kind == unit_kind::resource) former_.push_back(old);
        std::string const prefix = u.kind == unit_kind::module ? "module." : "";
        if (with_moved) statements.push_back("moved " + prefix + old + " " + prefix + u.name);
        if (u.kind == unit_kind::module) set_path(u);
    }
    static void set_path(unit& m)
    {
        for (unit& u : m.members) {
            u.path = m.path + m.name + "/";
            if (u.kind == unit_kind::module) set_path(u);
        }
    }

    // One resource gets the name of another one, which gets a new name: a chain of moves.
    void shift_names()
    {
        std::vector<unit*> all;
        for (unit& u : units)
            if (u.kind == unit_kind::resource) all.push_back(&u);
        if (all.size() < 2) return;
        std::size_t const first = random_->below(all.size());
        std::size_t const second = random_->below(all.size());
        if (first == second) return;
        std::string const old = all[first]->name;
        all[first]->name = all[second]->name;
        all[second]->name = fresh(unit_kind::resource);
        statements.clear();
        statements.push_back("moved " + all[first]->name + " " + all[second]->name);
        statements.push_back("moved " + old + " " + all[first]->name);
        // If the first is no longer declared, its object is destroyed at the address from which the other one moved.
        std::size_t const number = all[first]->number;
        if (random_->one_in(4)) return;
        for (std::size_t i = 0; i < units.size(); ++i)
            if (units[i].number == number) return drop(i);
    }

    // Two resources exchange their places and their references to each other.
    void reverse()
    {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < units.size(); ++i)
            if (units[i].kind == unit_kind::resource) places.push_back(i);
        if (places.size() < 2) return;
        std::size_t first = random_->pick(places);
        std::size_t second = random_->pick(places);
        if (first == second) return;
        if (first > second) std::swap(first, second);
        std::swap(units[first], units[second]);
        // References to later declarations are removed; those between the two resources are reversed.
        std::vector<std::size_t> seen;
        std::vector<std::pair<std::size_t, std::size_t>> turned;
        std::function<void(std::vector<unit>&)> const tidy = [&](std::vector<unit>& all) {
            for (unit& u : all) {
                auto const is_later = [&](unit::use const& one) {
                    bool const later = std::find(seen.begin(), seen.end(), one.number) == seen.end();
                    if (later && u.kind == unit_kind::resource) turned.emplace_back(one.number, u.number);
                    return later;
                };
                std::erase_if(u.uses, is_later);
                std::erase_if(u.depends_on, [&](std::size_t number) { return is_later({number, "", -1}); });
                for (auto* one : {&u.kind_from, &u.size_from, &u.count_from, &u.each_from, &u.trigger, &u.before})
                    if (*one && is_later(**one)) one->reset();
                if (u.declared_provider && is_later({*u.declared_provider, "", -1})) u.declared_provider.reset();
                tidy(u.members);
                seen.push_back(u.number);
            }
        };
        tidy(units);
        for (auto const& [from, to] : turned)
            for (unit& u : units)
                if (u.number == from && u.kind == unit_kind::resource && find(to) != nullptr)
                    u.uses.push_back(use_of(*find(to)));
    }

    [[nodiscard]] auto find(std::size_t number) const -> unit const* { return find_in(units, number); }
    [[nodiscard]] static auto find_in(std::vector<unit> const& all, std::size_t number) -> unit const*
    {
        for (unit const& u : all) {
            if (u.number == number) return &u;
            if (unit const* const inside = find_in(u.members, number)) return inside;
        }
        return nullptr;
    }

    // -------------------------------------------------------------------------------------------------------------- text

    [[nodiscard]] static auto shorthand(unit const& u) -> std::string
    {
        switch (u.kind) {
        case unit_kind::data: return u.path + "data." + u.name;
        case unit_kind::local: return u.path + "local." + u.name;
        case unit_kind::output: return u.path + "output." + u.name;
        case unit_kind::provider: return u.path + "provider." + u.name;
        case unit_kind::module: return u.path + "module." + u.name;
        case unit_kind::check: return u.path + "check." + u.name;
        case unit_kind::action: return u.path + "action." + u.name;
        case unit_kind::resource: break;
        }
        return u.path + u.name;
    }
    [[nodiscard]] auto mention(unit::use const& one) const -> std::string
    {
        unit const* const u = find(one.number);
        if (u == nullptr || (u->kind == unit_kind::data && u->uses.empty())) return "1";
        std::string text = shorthand(*u);
        if (one.key >= 0) text += "[" + std::to_string(one.key) + "]";
        if (u->kind == unit_kind::local || u->kind == unit_kind::output) return "$" + text;
        return "$" + text + (one.attribute.empty() ? "" : "." + one.attribute);
    }

    // The instance of an action that a resource triggers.
    [[nodiscard]] static auto key_of(unit const& action, unit const& caller, bool own) -> std::string
    {
        if (!action.is_repeated()) return "";
        bool const counts = action.count >= 0 || action.count_from;
        bool const alike = counts ? caller.count >= 0 || caller.count_from : !caller.each.empty() || caller.each_from;
        if (own && alike) return "[$each]";
        return counts ? "[0]" : "[x]";
    }
    // Actions that are declared later may refer to the resource, so they can only follow its changes.
    [[nodiscard]] auto text_of(unit::action_rule const& t, unit const& caller) const -> std::string
    {
        std::string names;
        bool follows = false;
        for (std::size_t const number : t.actions) {
            unit const* const action = find(number);
            if (action == nullptr || action->path != caller.path) return "";
            follows = follows || comes_before(caller.number, number);
            names += (names.empty() ? "" : ",") + shorthand(*action) + key_of(*action, caller, t.own_key);
        }
        std::string events;
        for (std::string const& e : t.events)
            if (!follows || e == "after_create" || e == "after_update") events += (events.empty() ? "" : ",") + e;
        if (events.empty()) return "";
        std::string const condition = t.of_caller.empty() ? "" : ":$caller." + t.of_caller + ":" + t.expected;
        return " @on" + t.effect + "=" + events + ":" + names + condition;
    }
    [[nodiscard]] auto comes_before(std::size_t first, std::size_t second) const -> bool
    {
        std::vector<std::size_t> order;
        each_unit(units, [&](unit const& u) { order.push_back(u.number); });
        auto const at = std::find(order.begin(), order.end(), first);
        return std::find(at, order.end(), second) != order.end();
    }

    void add_lines(unit const& u, std::vector<std::string>& to) const
    {
        std::string line = shorthand(u);
        if (u.kind == unit_kind::resource) {
            line += " size=" + (u.size_from ? mention(*u.size_from) : std::to_string(u.size));
            line += " kind=" + (u.kind_from ? mention(*u.kind_from) : u.of_kind);
        }
        bool const is_value = u.kind == unit_kind::local || u.kind == unit_kind::output;
        if (is_value) line += u.uses.empty() ? " =" + std::to_string(u.size) : " =" + mention(u.uses.front());
        else if (u.kind == unit_kind::data) {
            if (u.uses.empty()) return;
            line += " id=" + mention(u.uses.front());
        } else
            for (std::size_t i = 0; i < u.uses.size(); ++i) line += " p" + std::to_string(i) + "=" + mention(u.uses[i]);
        if (!u.of_caller.empty()) line += " of=$caller." + u.of_caller;
        std::string names;
        for (std::size_t const d : u.depends_on)
            if (unit const* const other = find(d)) names += (names.empty() ? "" : ",") + shorthand(*other);
        if (!names.empty()) line += " @depends_on=" + names;
        if (u.declared_provider && find(*u.declared_provider) != nullptr)
            line += " @provider=provider." + find(*u.declared_provider)->name;
        else if (!u.provider.empty()) line += " @provider=" + u.provider;
        if (u.count >= 0) line += " @count=" + std::to_string(u.count);
        else if (u.count_from) line += " @count=" + mention(*u.count_from);
        else if (u.each_from) line += " @each=" + mention(*u.each_from);
        else if (!u.each.empty()) {
            line += " @each=";
            for (std::size_t i = 0; i < u.each.size(); ++i) line += (i == 0 ? "" : ",") + u.each[i];
        }
        if (u.cbd) line += *u.cbd ? " @cbd" : " @cbd=false";
        if (u.prevents) line += " @prevent_destroy";
        if (u.keeps) line += " @keep";
        if (!u.imported.empty()) line += " @import=" + u.imported;
        if (u.ignores) line += " @ignore=size";
        if (u.trigger) line += " @trigger=" + mention(*u.trigger).substr(1);
        if (u.before && find(u.before->number) != nullptr) {
            std::string expected = u.expected;
            if (expected.empty()) expected = "of-" + std::to_string(find(u.before->number)->size);
            line += " @before=" + mention(*u.before) + ":" + expected;
        }
        if (u.checks_size) line += " @after=size:" + std::to_string(u.size);
        for (std::size_t i = 0; i < u.create_steps; ++i)
            line += (u.continues && i == 0 ? " @create?=step" : " @create=step") + std::to_string(i);
        if (u.destroy_step) line += " @destroy=bye";
        for (unit::action_rule const& t : u.triggers) line += text_of(t, u);
        to.push_back(std::move(line));
        for (unit const& m : u.members) add_lines(m, to);
    }

    static void add_subjects(unit const& u, std::vector<std::string>& to)
    {
        if (u.kind == unit_kind::resource || u.kind == unit_kind::module) to.push_back(shorthand(u));
        if (u.kind == unit_kind::resource && u.count > 0) to.push_back(shorthand(u) + "[0]");
        for (unit const& m : u.members) add_subjects(m, to);
    }

    random_generator* random_;
    std::size_t numbers_ = 0;
    std::size_t names_ = 0;
    std::size_t imports_ = 0;
    std::vector<std::string> former_;
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_EDITABLE_PROGRAM_HPP
