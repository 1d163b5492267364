// SPDX-License-Identifier: BSL-1.0
#include "imports.hpp"

#include "base/in_quotes.hpp"
#include "declarations.hpp"
#include "hcl_program.hpp"
#include "instance_scope.hpp"
#include "language/syntax/references.hpp"
#include "language/values/convert.hpp"
#include "messages/configuration.hpp"
#include "messages/program.hpp"
#include "messages/validation.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::program {

namespace {

namespace infra = strider::infra;
namespace syntax = language::syntax;
using language::type_kind;
using language::value;

// A step of the address in `to`: a name, or a key as an expression.
struct path_step {
    std::string name;
    value const* constant = nullptr;
    language::expression computed;

    [[nodiscard]] auto is_key() const noexcept -> bool { return constant != nullptr || computed; }
};

void append(std::vector<path_step>& path, std::span<syntax::step const> steps)
{
    for (syntax::step const& s : steps) path.push_back({std::string(s.name), s.key, {}});
}

auto path_of(language::expression const& to) -> std::vector<path_step>
{
    std::vector<path_step> path;
    auto const& node = to.node();
    if (node.kind == syntax::node_kind::traversal) {
        path.push_back({std::string(syntax::as<syntax::traversal>(node).root), nullptr, {}});
        append(path, syntax::as<syntax::traversal>(node).steps);
    } else if (node.kind == syntax::node_kind::relative) {
        path = path_of(to.with(syntax::as<syntax::relative>(node).from));
        append(path, syntax::as<syntax::relative>(node).steps);
    } else if (node.kind == syntax::node_kind::index) {
        auto const& index = syntax::as<syntax::index>(node);
        path = path_of(to.with(index.collection));
        path.push_back({{}, nullptr, to.with(index.key)});
    }
    return path;
}

// \param key_of  returns the key of a step; nothing ends the evaluation
template <class F>
auto address_of(language::expression const& to, F key_of) -> std::optional<infra::address>
{
    std::vector<infra::module_step> steps;
    for (path_step const& s : path_of(to)) {
        if (!s.is_key()) {
            steps.push_back({s.name, {}});
            continue;
        }
        auto key = key_of(s);
        if (!key || steps.empty()) return std::nullopt;
        steps.back().key = std::move(*key);
    }
    std::vector<infra::module_step> modules;
    std::size_t at = 0;
    for (; at + 1 < steps.size() && steps[at].name == "module"; at += 2) modules.push_back(std::move(steps[at + 1]));
    if (at + 2 != steps.size()) return std::nullopt;
    return infra::address(std::move(modules), infra::resource_mode::managed, std::move(steps[at].name),
        std::move(steps[at + 1].name), std::move(steps[at + 1].key));
}

auto key_from(value const& v) -> std::optional<infra::instance_key>
{
    if (!v.has_data()) return std::nullopt;
    if (v.is(type_kind::string)) return infra::instance_key(v.as_string());
    if (v.is(type_kind::number))
        if (auto const index = v.as_number().as_int64()) return infra::instance_key(*index);
    return std::nullopt;
}

// The scope of the expressions of a block: the module, and its own `each`.
class each_scope final : public language::inner_scope {
public:
    each_scope(language::scope const& around, value key, value v)
        : inner_scope(around),
          key_(std::move(key)),
          value_(std::move(v))
    {}
    [[nodiscard]] auto resolve(language::reference const& r, infra::diagnostics& found) const -> value override
    {
        if (r.kind != language::reference_kind::each) return inner_scope::resolve(r, found);
        return r.name == "key" ? key_ : value_;
    }

private:
    value key_;
    value value_;
};

// Returns whether the value of an expression is known only after an apply.
auto is_unknown(language::expression const& e, language::scope const& in) -> bool
{
    infra::diagnostics ignored;
    auto const given = language::evaluate(e, in, ignored);
    return !ignored.has_errors() && !given.wholly_known();
}

auto id_of(language::expression const& id, language::scope const& in, infra::diagnostics& found)
    -> std::optional<std::string>
{
    auto const before = found.error_count();
    auto const given = language::evaluate(id, in, found).unmarked();
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](infra::diagnostic problem) {
        found.add(std::move(problem));
        return std::nullopt;
    };
    if (given.is_null()) return wrong(language::error(messages::import_id_null, id.range()));
    auto const text = language::convert(given, language::type::string());
    if (!text) return wrong(language::error(messages::import_id_not_text, {text.error().text()}, id.range()));
    if (text->is_unknown()) return wrong(language::error(messages::import_id_unknown, id.range()));
    if (text->as_string().empty()) return wrong(language::error(messages::import_id_empty, id.range()));
    return text->as_string();
}

// An identity as JSON in the form of its schema, with null for attributes that are not given.
auto identity_from(value const& given, providers::type_schema const& schema) -> language::result<infra::document>
{
    if (!given.is(type_kind::object) && !given.is(type_kind::map)) return language::failure("it is not an object");
    for (auto const& entry : given.entries())
        if (schema.content.find(entry.key) == nullptr)
            return language::failure("there is no attribute " + in_quotes(entry.key));
    std::vector<language::value_entry> entries;
    for (language::schema_attribute const& one : schema.content.attributes) {
        value const* const found = given.find(one.name);
        if (one.required && (found == nullptr || found->is_null()))
            return language::failure("the attribute " + in_quotes(one.name) + " is required");
        entries.push_back({one.name, found == nullptr ? value::null(one.of) : *found});
    }
    auto const made = language::convert(value::object(std::move(entries)), schema.object_type);
    if (!made) return language::failure(made.error().text());
    return infra::document(language::to_json(*made, schema.object_type));
}

auto identity_of(language::expression const& written, std::string const& type, providers::type_schema const* schema,
    language::scope const& in, infra::diagnostics& found) -> std::optional<infra::document>
{
    auto const before = found.error_count();
    auto const given = language::evaluate(written, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](infra::diagnostic problem) {
        found.add(std::move(problem));
        return std::nullopt;
    };
    if (schema == nullptr)
        return wrong(language::error(messages::import_identity_not_supported, {type}, written.range()));
    if (given.deep_marks() != language::mark::none)
        return wrong(language::error(messages::import_identity_secret, written.range()));
    if (!given.wholly_known()) return wrong(language::error(messages::import_identity_unknown, written.range()));
    if (given.is_null())
        return wrong(language::error(messages::import_identity_invalid, {type, "it is null"}, written.range()));
    auto const made = identity_from(given, *schema);
    if (!made)
        return wrong(language::error(messages::import_identity_invalid, {type, made.error().text()}, written.range()));
    return *made;
}

void evaluate_one(language::import_block const& block, language::scope const& in,
    providers::type_schema const* identity, language::unknown_values unknown, std::vector<infra::import_target>& all,
    infra::diagnostics& found)
{
    auto const before = found.error_count();
    auto const key_of = [&](path_step const& s) -> std::optional<infra::instance_key> {
        auto const key = s.constant != nullptr ? *s.constant : language::evaluate(s.computed, in, found).unmarked();
        if (found.error_count() > before) return std::nullopt;
        auto known = key_from(key);
        if (!known) found.add(language::error(messages::import_key_invalid, block.to.range()));
        return known;
    };
    auto to = address_of(block.to, key_of);
    if (!to) return;
    bool const defers = unknown == language::unknown_values::allowed;
    if (defers && is_unknown(block.identity ? block.identity : block.id, in)) {
        all.push_back({std::move(*to), {}, {}, true});
        return;
    }
    if (block.identity) {
        std::string const type = to->type();
        auto known = identity_of(block.identity, type, identity, in, found);
        if (known) all.push_back({std::move(*to), {}, std::move(*known)});
        return;
    }
    auto id = id_of(block.id, in, found);
    if (id) all.push_back({std::move(*to), std::move(*id)});
}

// Adds the instances of a block whose `for_each` is unknown, as a target with an unknown key.
void add_unknown(language::import_block const& block, std::vector<infra::import_target>& all)
{
    auto const key_of = [](path_step const& s) {
        auto known = s.constant != nullptr ? key_from(*s.constant) : std::nullopt;
        return std::optional(known.value_or(infra::instance_key::unknown()));
    };
    if (auto to = address_of(block.to, key_of)) all.push_back({std::move(*to), {}, {}, true});
}

// The text of the address, including its keys.
auto text_of(language::expression const& to) -> std::optional<std::string>
{
    auto const* const path = language::as_traversal(to);
    if (path == nullptr) return std::nullopt;
    return language::traversal_text(*path, path->steps.size());
}

auto find_module(language::configuration const& root, infra::address const& a) -> language::configuration const*
{
    auto const* at = &root;
    for (infra::module_step const& step : a.module()) {
        auto const call = at->modules.find(step.name);
        if (call == at->modules.end() || !call->second.child) return nullptr;
        at = call->second.child.get();
    }
    return at;
}

// Reports the first argument of a block that refers to the resource that the block imports to.
void check_self_reference(language::import_block const& block, infra::address const& subject, infra::diagnostics& found)
{
    auto const refers = [&](language::expression const& e) {
        infra::diagnostics ignored;  // reported by the validation
        auto const all = e ? language::references_of(e, ignored) : std::vector<language::reference>();
        return std::ranges::any_of(all, [&](language::reference const& r) {
            return r.kind == language::reference_kind::resource && r.address() == to_string(subject);
        });
    };
    auto const check = [&](std::string_view argument, language::expression const& e) {
        bool const wrong = refers(e);
        if (wrong)
            found.add(language::error(messages::import_refers_to_target, {argument, to_string(subject)}, e.range()));
        return wrong;
    };
    if (check("for_each", block.for_each) || check("id", block.id) || check("identity", block.identity)) return;
    for (path_step const& step : path_of(block.to))
        if (check("to", step.computed)) return;
}

// Blocks are generated only for the root module.
void report_missing(language::import_block const& block, infra::address const& subject, bool in_child, bool in_module,
    bool keyed, config_generation generation, infra::diagnostics& found)
{
    auto const* reported = &messages::import_target_missing;
    if (in_child || !subject.module().empty())
        reported = in_module ? &messages::import_target_missing_in_module : &messages::import_target_module_missing;
    else if (keyed || block.for_each) reported = &messages::import_target_instances_missing;
    else if (generation == config_generation::allowed) return;
    found.add(language::error(*reported, {to_string(subject)}, block.to.range()));
}

}  // namespace

auto import_subject(language::import_block const& block) -> infra::address
{
    auto const no_key = [](path_step const&) { return std::optional(infra::instance_key()); };
    return address_of(block.to, no_key).value_or(infra::address());
}

void evaluate_import(language::import_block const& block, language::scope const& root,
    providers::type_schema const* identity, language::unknown_values unknown, std::vector<infra::import_target>& all,
    infra::diagnostics& found)
{
    if (!block.for_each) return evaluate_one(block, root, identity, unknown, all, found);
    auto const before = found.error_count();
    auto const given = language::evaluate(block.for_each, root, found).unmarked();
    if (found.error_count() > before || given.is_null()) return;
    auto const wrong = [&](messages::message<0> const& m, language::note_options notes) {
        auto problem = language::error(m, block.for_each.range());
        problem.source.notes = language::value_notes(block.for_each, root, notes);
        found.add(std::move(problem));
    };
    if (!given.wholly_known() && unknown == language::unknown_values::allowed) return add_unknown(block, all);
    if (!given.wholly_known()) return wrong(messages::import_for_each_unknown, {true, false, false});
    bool const keyed = given.is(type_kind::map) || given.is(type_kind::object);
    bool const is_set = given.is(type_kind::set);
    if (!keyed && !is_set && !given.is(type_kind::list) && !given.is(type_kind::tuple))
        return wrong(messages::import_for_each_not_collection, {});
    for (auto const& entry : given.entries())
        evaluate_one(block, each_scope(root, value(entry.key), entry.of), identity, unknown, all, found);
    std::int64_t index = 0;
    for (value const& one : given.elements()) {
        auto const key = is_set ? one : value(language::number(index++));
        evaluate_one(block, each_scope(root, key, one), identity, unknown, all, found);
    }
}

void check_imports(language::configuration const& root, config_generation generation, infra::diagnostics& found)
{
    std::map<std::string, language::import_block const*> by_text;
    for (language::import_block const& block : root.imports) {
        if (!block.to) continue;
        auto const subject = import_subject(block);
        auto const wrong = [&](messages::message<0> const& m) { found.add(language::error(m, block.to.range())); };
        if (subject.type().empty()) {
            wrong(messages::invalid_import_address);
            continue;
        }
        auto const text = text_of(block.to);
        if (auto const at = text ? by_text.try_emplace(*text, &block).first : by_text.end();
            at != by_text.end() && at->second != &block) {
            found.add(language::error(
                messages::duplicate_import, {to_string(subject), at->second->range.text()}, block.to.range()));
            continue;
        }
        check_self_reference(block, subject, found);
        auto const path = path_of(block.to);
        auto const& last = path.back();
        auto const* const module = find_module(root, subject);
        auto const declared =
            module == nullptr ? root.resources.end() : module->resources.find(subject.type() + "." + subject.name());
        bool const exists = module != nullptr && declared != module->resources.end();
        bool const named = last.constant != nullptr && last.constant->is(type_kind::string);
        bool const counted = last.constant != nullptr && !named;
        if (!exists)
            report_missing(block, subject, !root.is_root(), module != nullptr, last.is_key(), generation, found);
        else if (!last.is_key() && declared->second.count) wrong(messages::import_target_counted);
        else if (!last.is_key() && declared->second.for_each) wrong(messages::import_target_keyed);
        else if (counted && !declared->second.count) wrong(messages::import_target_not_counted);
        else if (named && !declared->second.for_each) wrong(messages::import_target_not_keyed);
    }
}

// The id and the target of an import may depend on other values.
void hcl_declarations::declare_imports(module const& m)
{
    for (language::import_block const& block : m.of->imports) {
        if (!block.to) continue;
        auto const at = find_object(m.prefix + to_string(import_subject(block)));
        if (!at) continue;
        declaration& d = declarations_[*at];
        // A block of a calling module overrides the blocks of the modules that it calls.
        bool const is_overridden = !d.imports.empty() && d.imports.front().first != &m;
        if (is_overridden) continue;
        d.imports.emplace_back(&m, &block);
        add_references(d, m, block.id);
        add_references(d, m, block.identity);
        add_references(d, m, block.for_each);
    }
}

auto hcl_program::imports(declaration const& d, scope_type const& scope) const
    -> expected<std::vector<infra::import_target>>
{
    std::vector<infra::import_target> all;
    infra::diagnostics found;
    auto const* const identity = identity_of(d);
    for (auto const& [m, block] : d.imports)
        for (module_path const& path : paths_of(*m, scope)) {
            auto const first = all.size();
            evaluate_import(*block, instance_scope(*this, scope, *m, path), identity, unknown_repetition_, all, found);
            for (std::size_t i = first; i != all.size(); ++i) {
                infra::address const& to = all[i].target;
                module_path whole = path;
                whole.insert(whole.end(), to.module().begin(), to.module().end());
                all[i].target = infra::address(std::move(whole), to.mode(), to.type(), to.name(), to.key());
            }
        }
    if (found.has_errors()) return infra::failure(found);
    return all;
}

}  // namespace iacctl::program
