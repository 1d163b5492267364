// SPDX-License-Identifier: BSL-1.0
#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/references.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace iacctl::language::detail {

namespace {

/// The target of an address in `moved` and similar blocks.
struct target {
    bool module = false;
    bool data = false;
    bool module_key = false;    // the last module has a key
    bool resource_key = false;
    std::string_view reserved;  // the word in the place of the type, if it cannot be one
};

/// Parses module steps, then a type and a name; nothing if it is not an address.
[[nodiscard]] auto read_target(syntax::traversal const& t) -> std::optional<target>
{
    std::vector<std::string_view> words{t.root};
    std::vector<bool> keys{false};
    for (auto const& step : t.steps) {
        if (step.key) {
            if (keys.back()) return std::nullopt;
            keys.back() = true;
        } else {
            words.push_back(step.name);
            keys.push_back(false);
        }
    }
    target made;
    std::size_t at = 0;
    while (at < words.size() && words[at] == "module") {
        if (at + 1 >= words.size() || keys[at]) return std::nullopt;
        made.module_key = keys[at + 1];
        at += 2;
    }
    if (at == words.size()) {
        made.module = true;
        return made;
    }
    if (is_reserved_root(words[at])) made.reserved = words[at];
    if (words[at] == "data") made.data = true;
    if (words[at] == "data" || (words[at] == "resource" && at + 3 == words.size())) ++at;
    if (at + 2 != words.size() || keys[at]) return std::nullopt;
    made.resource_key = keys[at + 1];
    return made;
}

/// Returns whether an expression contains references, and thus depends on other values.
[[nodiscard]] auto is_computed(expression const& e) -> bool
{
    bool refers = false;
    for_each_traversal(e, [&](syntax::traversal const&) { refers = true; });
    return refers;
}

}  // namespace

auto block_decoder::decode_address(attribute const& a) -> expression
{
    auto const written = unquoted_json(a.of, into_.files, found_);
    if (as_traversal(written)) return written;
    found_.add(error(messages::static_reference_required, a.of.range()));
    return {};
}

void block_decoder::decode_module(block const& b)
{
    auto const& content = b.content;
    check_body(content, shapes::module, found_, true);
    module_call made;
    made.name = b.labels[0].text;
    made.range = b.header_range();
    made.of = &b;
    made.content = without(content, shapes::module);
    static_cast<void>(check_name(b.labels[0], "module instance name"));
    if (auto const* const one = content.find("source")) {
        made.source_range_ = one->of.range();
        if (is_computed(one->of)) made.computed_source = one->of;
        else {
            auto const source = constant_string(*one, found_);
            made.source = source.value_or("");
            if (source && source->empty()) found_.add(error(messages::empty_module_source, made.source_range_));
        }
    }
    if (auto const* const one = content.find("version"); one && is_computed(one->of)) made.computed_version = one->of;
    else if (one) {
        auto const before = found_.error_count();
        auto const version = decode_constraint(*one);
        if (version && check_constraint(*version, one->of.range())) made.version = *version;
        if (found_.error_count() == before && made.source.starts_with('.'))
            found_.add(error(messages::version_of_local_module, {made.source}, made.source_range_));
    }
    if (auto const* const one = content.find("count")) made.count = one->of;
    if (auto const* const one = content.find("for_each")) {
        made.for_each = one->of;
        if (made.count) found_.add(error(messages::count_and_for_each, one->name_range()));
    }
    if (auto const* const one = content.find("depends_on")) made.depends_on = decode_depends_on(*one);
    if (auto const* const one = content.find("providers")) decode_passed_providers(*one, made);
    for (auto const& one : content.blocks)
        if (one.type == "lifecycle") decode_module_lifecycle(one, made);
        else if (one.type == "locals" || one.type == "provider")
            found_.add(error(messages::reserved_block_type, {"module", one.type}, one.type_range));
    add_escaped(b, made.content);
    for (auto const& one : made.content.attributes) made.arguments.emplace(one.name, one.of);
    auto const [place, fresh] = into_.modules.emplace(made.name, std::move(made));
    if (!fresh)
        found_.add(
            error(messages::duplicate_module_call, {b.labels[0].text, place->second.range.text()}, b.header_range()));
}

void block_decoder::decode_module_lifecycle(block const& b, module_call& made)
{
    check_word(into_.dialect, origin_program::opentofu, "lifecycle in a module block", "1.11", b.type_range, found_);
    if (made.lifecycle_range)
        return found_.add(error(messages::duplicate_lifecycle, {made.lifecycle_range.text()}, b.header_range()));
    made.lifecycle_range = b.header_range();
    check_body(b.content, shapes::module_lifecycle, found_);
    made.enabled = decode_enabled(b, made.of->content);
}

void block_decoder::decode_passed_providers(attribute const& a, module_call& made)
{
    if (a.of.node().kind != syntax::node_kind::object) {
        found_.add(error(messages::providers_not_an_object, a.of.range()));
        return;
    }
    std::map<std::string, source_range> seen;
    for (auto const& item : syntax::as<syntax::object>(a.of.node()).items) {
        auto const in_child = decode_provider_reference(a.of.with(item.key), "providers");
        auto const in_parent = decode_provider_reference(a.of.with(item.of), "providers");
        if (!in_child || !in_parent) continue;
        if (in_child->key) found_.add(error(messages::invalid_provider_reference, {"providers"}, in_child->key.range));
        auto const [before, fresh] = seen.emplace(in_child->name, a.of.at(between(item.key->range, item.of->range)));
        if (!fresh)
            found_.add(error(
                messages::duplicate_passed_provider, {in_child->name, before->second.text()}, a.of.at(item.of->range)));
        else
            made.providers.push_back(
                {in_child->name, in_parent->name, in_parent->key, in_child->local_range, in_parent->local_range});
    }
}

void block_decoder::decode_moved(block const& b)
{
    check_body(b.content, shapes::moved, found_);
    moved_block made{{}, {}, b.header_range()};
    std::vector<target> ends;
    for (auto const* const name : {"from", "to"}) {
        auto const* const one = b.content.find(name);
        auto const address = one ? decode_address(*one) : expression();
        if (!address) continue;
        auto const end = read_target(*as_traversal(address));
        if (!end) {
            found_.add(error(messages::address_without_type_and_name, address.range()));
            continue;
        }
        if (!end->reserved.empty()) {
            found_.add(error(messages::address_with_reserved_word, {end->reserved}, address.range()));
            continue;
        }
        // Terraform accepts the block. Nothing is moved, because each plan reads data again.
        if (end->data) return found_.add(warning(messages::unmovable_address, {name}, b.header_range()));
        (std::string_view(name) == "from" ? made.from : made.to) = address;
        ends.push_back(*end);
    }
    if (ends.size() == 2 && ends[0].module != ends[1].module)
        found_.add(error(messages::moved_between_kinds, b.header_range()));
    into_.moved.push_back(made);
}

void block_decoder::decode_removed(block const& given)
{
    check_body(given.content, shapes::removed, found_);
    bool const forgets = into_.dialect.follows == origin_program::opentofu;
    removed_block made{{}, !forgets, {}, {}, given.header_range()};
    if (forgets && std::ranges::none_of(given.content.blocks, [](block const& b) { return b.type == "lifecycle"; }))
        found_.add(warning(messages::removed_without_lifecycle, given.header_range()));
    resource gone;  // for the decoder of provisioners
    bool module = false;
    if (auto const* const one = given.content.find("from"))
        if (auto const address = decode_address(*one)) {
            auto const what = read_target(*as_traversal(address));
            if (!what) found_.add(error(messages::address_without_type_and_name, address.range()));
            else if (!what->reserved.empty())
                found_.add(error(messages::address_with_reserved_word, {what->reserved}, address.range()));
            else if (what->module && what->module_key)
                found_.add(error(messages::removed_module_instance, address.range()));
            else if (what->resource_key)
                found_.add(
                    error(messages::removed_resource_instance, address.at(as_traversal(address)->steps.back().range)));
            else if (what->data) found_.add(error(messages::removed_data_source, address.range()));
            module = what && what->module;
            made.from = address;
        }
    for (auto const& one : given.content.blocks) {
        if (one.type == "lifecycle") {
            check_body(one.content, shapes::removed_lifecycle, found_);
            if (auto const* const destroy = one.content.find("destroy"))
                made.destroy = constant_bool(*destroy, found_).value_or(made.destroy);
        } else if (one.type == "connection") {
            if (gone.connection)
                found_.add(error(messages::duplicate_connection, {gone.connection->range.text()}, one.header_range()));
            else gone.connection = one.content;
        } else if (one.type == "provisioner" && module) {
            found_.add(error(messages::removed_module_with_provisioner, one.header_range()));
        } else if (one.type == "provisioner" && one.labels.size() == 1) {
            decode_provisioner(one, gone);
            if (!gone.provisioners.empty() && gone.provisioners.back().when != provisioner_time::destroy)
                found_.add(error(messages::removed_resource_with_create_provisioner, one.header_range()));
        }
    }
    check_destroy_connection(gone);
    made.provisioners = std::move(gone.provisioners);
    made.connection = std::move(gone.connection);
    into_.removed.push_back(std::move(made));
}

void block_decoder::decode_import(block const& b)
{
    check_body(b.content, shapes::import, found_);
    import_block made{{}, {}, {}, {}, b.header_range(), {}, {}};
    if (auto const* const one = b.content.find("provider")) {
        made.provider_range = one->range;
        if (auto desired = decode_provider_reference(one->of, "provider")) made.provider = std::move(desired->name);
    }
    if (auto const* const one = b.content.find("for_each")) made.for_each = one->of;
    if (auto const* const one = b.content.find("id")) made.id = one->of;
    if (auto const* const one = b.content.find("identity")) {
        made.identity = one->of;
        if (made.id) found_.add(error(messages::import_by_id_and_identity, one->range));
        check_word(into_.dialect, origin_program::terraform, "identity in an import block", "1.12", one->range, found_);
    } else if (!made.id) {
        found_.add(error(messages::import_of_unnamed_object, b.header_range()));
    }
    if (auto const* const one = b.content.find("to")) {
        made.to = unquoted_json(one->of, into_.files, found_);
        // Keys may be computed; then the address is an index expression instead of a traversal.
        auto const* node = &made.to.node();
        while (node->kind == syntax::node_kind::index || node->kind == syntax::node_kind::relative)
            node = node->kind == syntax::node_kind::index ? syntax::as<syntax::index>(*node).collection
                                                          : syntax::as<syntax::relative>(*node).from;
        if (node->kind != syntax::node_kind::traversal) {
            found_.add(error(messages::invalid_import_address, made.to.range()));
        } else if (node == &made.to.node()) {
            auto const what = read_target(syntax::as<syntax::traversal>(*node));
            if (!what || what->module || what->data)
                found_.add(error(messages::import_of_unmanaged_object, one->range));
            if (!what) found_.add(error(messages::address_without_type_and_name, made.to.range()));
            else if (!what->reserved.empty())
                found_.add(error(messages::address_with_reserved_word, {what->reserved}, made.to.range()));
        }
    }
    if (!into_.is_root())
        check_word(
            into_.dialect, origin_program::terraform, "import in a child module", "1.16", b.header_range(), found_);
    into_.imports.push_back(made);
}

void block_decoder::decode_check(block const& b)
{
    check_body(b.content, shapes::check, found_);
    check_block made;
    made.name = b.labels[0].text;
    made.range = b.header_range();
    static_cast<void>(check_name(b.labels[0], "check block name"));
    bool asserts = false;
    for (auto const& one : b.content.blocks) {
        if (one.type == "assert") {
            auto const before = found_.error_count();
            made.assertions.push_back(decode_rule(one, "assert"));
            asserts = asserts || found_.error_count() == before;
        } else if (one.type == "data" && one.labels.size() == 2) {
            if (made.data) {
                found_.add(error(messages::second_check_data, {made.data->range.text()}, one.header_range()));
                continue;
            }
            for (auto const* const name : {"count", "for_each"})
                if (auto const* const repeats = one.content.find(name))
                    found_.add(error(messages::repeated_check_data, {name}, repeats->name_range()));
            for (auto const& inner : one.content.blocks)
                if (inner.type == "lifecycle")
                    found_.add(error(messages::check_data_with_lifecycle, inner.header_range()));
            auto data = read_resource(one, resource_mode::data);
            if (auto const same = into_.resources.find(data.address()); same != into_.resources.end())
                report_duplicate(data, same->second);
            made.data = std::move(data);
        }
    }
    if (!asserts) found_.add(error(messages::check_without_assert, b.header_range()));
    auto const [place, fresh] = into_.checks.emplace(made.name, std::move(made));
    if (!fresh)
        found_.add(error(messages::duplicate_check, {b.labels[0].text, place->second.range.text()}, b.header_range()));
}

}  // namespace iacctl::language::detail
