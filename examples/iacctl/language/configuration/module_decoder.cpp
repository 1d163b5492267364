// SPDX-License-Identifier: BSL-1.0
#include "block_decoder.hpp"
#include "block_shapes.hpp"
#include "language/evaluation/evaluate.hpp"
#include "support/in_quotes.hpp"

#include <map>
#include <optional>

namespace iacctl::language::detail {

namespace {

constexpr auto static_reference =
    "A single static variable reference is required: only attribute access and indexing with constant keys. No "
    "calculations, function calls, template expressions, etc are allowed here.";

/// What an address in `moved` and its like names.
struct target {
    bool module = false;
    bool data = false;
    bool module_key = false;    // the last module has a key
    bool resource_key = false;
};

/// Reads module steps, then a type and a name; nothing if that is no address.
[[nodiscard]] std::optional<target> read_target(syntax::traversal const& of)
{
    std::vector<std::string_view> words{of.root};
    std::vector<bool> keys{false};
    for (auto const& step : of.steps) {
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
    if (words[at] == "data") {
        made.data = true;
        ++at;
    }
    if (at + 2 != words.size() || keys[at]) return std::nullopt;
    made.resource_key = keys[at + 1];
    return made;
}

}  // namespace

expression block_decoder::decode_address(attribute const& of)
{
    auto const written = unquoted_json(of.of, into_.files, found_);
    if (as_traversal(written)) return written;
    found_.add(error("Invalid expression", static_reference, of.of.range()));
    return {};
}

void block_decoder::decode_module(block const& of)
{
    auto const& content = of.content;
    check_body(content, shapes::module, found_, true);
    module_call made;
    made.name = of.labels[0].text;
    made.range = of.header_range();
    made.of = &of;
    made.content = without(content, shapes::module);
    static_cast<void>(check_name(of.labels[0], "Invalid module instance name"));
    if (auto const* const one = content.find("source")) {
        auto const source = constant_string(*one, found_);
        made.source = source.value_or("");
        made.source_range_ = one->of.range();
        if (source && source->empty())
            found_.add(error("Invalid module source address",
                "Failed to parse module source address: invalid source address: .", made.source_range_));
    }
    if (auto const* const one = content.find("version")) {
        auto const before = found_.error_count();
        auto const version = decode_constraint(*one);
        if (version) check_constraint(*version, one->of.range());
        if (found_.error_count() == before && made.source.starts_with('.'))
            found_.add(error("Invalid registry module source address",
                "Failed to parse module registry address: can't use local directory " + in_quotes(made.source)
                    + " as a module registry address.\n\n"
                      "Terraform assumed that you intended a module registry source address because you also set the "
                      "argument "
                      "\"version\", which applies only to registry modules.",
                made.source_range_));
    }
    if (auto const* const one = content.find("count")) made.count = one->of;
    if (auto const* const one = content.find("for_each")) {
        made.for_each = one->of;
        if (made.count)
            found_.add(error("Invalid combination of \"count\" and \"for_each\"",
                "The \"count\" and \"for_each\" meta-arguments are mutually-exclusive, only one should be used to be "
                "explicit about the number of resources to be created.",
                one->name_range()));
    }
    if (auto const* const one = content.find("depends_on")) made.depends_on = decode_depends_on(*one);
    if (auto const* const one = content.find("providers")) decode_passed_providers(*one, made);
    for (auto const& one : content.blocks)
        if (one.type == "lifecycle" || one.type == "locals" || one.type == "provider")
            found_.add(error("Reserved block type name in module block",
                "The block type name " + in_quotes(one.type) + " is reserved for use by Terraform in a future version.",
                one.type_range));
    add_escaped(of, made.content);
    for (auto const& one : made.content.attributes) made.arguments.emplace(one.name, one.of);
    auto const [place, fresh] = into_.modules.emplace(made.name, std::move(made));
    if (!fresh)
        found_.add(error("Duplicate module call",
            "A module call named " + in_quotes(of.labels[0].text) + " was already defined at "
                + place->second.range.text() + ". Module calls must have unique names within a module.",
            of.header_range()));
}

void block_decoder::decode_passed_providers(attribute const& of, module_call& made)
{
    if (of.of.node().kind != syntax::node_kind::object) {
        found_.add(error("Invalid expression", "A static map expression is required.", of.of.range()));
        return;
    }
    std::map<std::string, source_range> seen;
    for (auto const& item : syntax::as<syntax::object>(of.of.node()).items) {
        auto const in_child = decode_provider_reference(of.of.with(item.key), "providers");
        auto const in_parent = decode_provider_reference(of.of.with(item.of), "providers");
        if (!in_child || !in_parent) continue;
        auto const [before, fresh] = seen.emplace(in_child->name, of.of.at(between(item.key->range, item.of->range)));
        if (!fresh)
            found_.add(error("Duplicate provider address",
                "A provider configuration was already passed to " + in_child->name + " at " + before->second.text()
                    + ". Each child provider configuration can be assigned only once.",
                of.of.at(item.of->range)));
        else made.providers.push_back({in_child->name, in_parent->name, in_child->local_range, in_parent->local_range});
    }
}

void block_decoder::decode_moved(block const& of)
{
    check_body(of.content, shapes::moved, found_);
    moved_block made{{}, {}, of.header_range()};
    std::vector<target> ends;
    for (auto const* const name : {"from", "to"}) {
        auto const* const one = of.content.find(name);
        auto const address = one ? decode_address(*one) : expression();
        if (!address) continue;
        auto const end = read_target(*as_traversal(address));
        if (!end) {
            found_.add(error(
                "Invalid address", "Resource specification must include a resource type and name.", address.range()));
            continue;
        }
        if (end->data) {
            found_.add(error("Invalid \"moved\" address",
                "The resource referenced by the " + in_quotes(name) + " attribute is not allowed to be moved.",
                of.header_range()));
            continue;
        }
        (std::string_view(name) == "from" ? made.from : made.to) = address;
        ends.push_back(*end);
    }
    if (ends.size() == 2 && ends[0].module != ends[1].module)
        found_.add(error("Invalid \"moved\" addresses",
            "The \"from\" and \"to\" addresses must either both refer to resources or both refer to modules.",
            of.header_range()));
    into_.moved.push_back(made);
}

void block_decoder::decode_removed(block const& of)
{
    check_body(of.content, shapes::removed, found_);
    removed_block made{{}, true, {}, of.header_range()};
    resource gone;  // what its provisioners are decoded into
    bool module = false;
    if (auto const* const one = of.content.find("from"))
        if (auto const address = decode_address(*one)) {
            auto const what = read_target(*as_traversal(address));
            if (!what)
                found_.add(error("Invalid address", "Resource specification must include a resource type and name.",
                    address.range()));
            else if (what->module && what->module_key)
                found_.add(error("Module instance keys not allowed",
                    "Module address must be a module (e.g. \"module.foo\"), not a module instance (e.g. "
                    "\"module.foo[1]\").",
                    address.range()));
            else if (what->resource_key)
                found_.add(error("Resource instance keys not allowed",
                    "Resource address must be a resource (e.g. \"test_instance.foo\"), not a resource instance (e.g. "
                    "\"test_instance.foo[1]\").",
                    address.at(as_traversal(address)->steps.back().range)));
            else if (what->data)
                found_.add(error("Data source address not allowed",
                    "Data sources are never destroyed, so they are not valid targets of removed blocks. To remove the "
                    "data source from state, remove the data source block from configuration.",
                    address.range()));
            module = what && what->module;
            made.from = address;
        }
    for (auto const& one : of.content.blocks) {
        if (one.type == "lifecycle") {
            check_body(one.content, shapes::removed_lifecycle, found_);
            if (auto const* const destroy = one.content.find("destroy"))
                made.destroy = constant_bool(*destroy, found_).value_or(true);
        } else if (one.type == "provisioner" && module) {
            found_.add(error("Invalid provisioner block",
                "Provisioner blocks can be specified only if the removed block is for a resource.",
                one.header_range()));
        } else if (one.type == "provisioner" && one.labels.size() == 1) {
            decode_provisioner(one, gone);
            if (!gone.provisioners.empty() && gone.provisioners.back().when != provisioner_time::destroy)
                found_.add(error("Invalid provisioner block",
                    "Only destroy-time provisioners are valid in \"removed\" blocks. To declare a destroy-time "
                    "provisioner, use:\n    when = destroy",
                    one.header_range()));
        }
    }
    made.provisioners = std::move(gone.provisioners);
    into_.removed.push_back(std::move(made));
}

void block_decoder::decode_import(block const& of)
{
    check_body(of.content, shapes::import, found_);
    import_block made{{}, {}, {}, of.header_range(), {}};
    if (auto const* const one = of.content.find("provider")) made.provider_range = one->range;
    if (auto const* const one = of.content.find("for_each")) made.for_each = one->of;
    if (auto const* const one = of.content.find("id")) made.id = one->of;
    if (auto const* const one = of.content.find("to")) {
        made.to = unquoted_json(one->of, into_.files, found_);
        // Keys may be computed, which makes the address an index rather than a traversal.
        auto const* node = &made.to.node();
        while (node->kind == syntax::node_kind::index || node->kind == syntax::node_kind::relative)
            node = node->kind == syntax::node_kind::index ? syntax::as<syntax::index>(*node).collection
                                                          : syntax::as<syntax::relative>(*node).from;
        if (node->kind != syntax::node_kind::traversal) {
            found_.add(error("Invalid import address expression",
                "Import address must be a reference to a resource's address, and only allows for indexing with dynamic "
                "keys. For example: module.my_module[expression1].aws_s3_bucket.my_buckets[expression2] for resources "
                "inside of modules, or simply aws_s3_bucket.my_bucket for a resource in the root module",
                made.to.range()));
        } else if (node == &made.to.node()) {
            auto const what = read_target(syntax::as<syntax::traversal>(*node));
            if (!what || what->module || what->data)
                found_.add(error("Invalid import address", "Only managed resources can be imported.", one->range));
            if (!what)
                found_.add(error("Invalid address", "Resource specification must include a resource type and name.",
                    made.to.range()));
        }
    }
    if (!into_.is_root())
        found_.add(error("Invalid import configuration",
            "An import block was detected in " + in_quotes(into_.display_name())
                + ". Import blocks are only allowed in the root module.",
            of.header_range()));
    into_.imports.push_back(made);
}

void block_decoder::decode_check(block const& of)
{
    check_body(of.content, shapes::check, found_);
    check_block made;
    made.name = of.labels[0].text;
    made.range = of.header_range();
    static_cast<void>(check_name(of.labels[0], "Invalid check block name"));
    bool asserts = false;
    for (auto const& one : of.content.blocks) {
        if (one.type == "assert") {
            auto const before = found_.error_count();
            made.assertions.push_back(decode_rule(one, "assert"));
            asserts = asserts || found_.error_count() == before;
        } else if (one.type == "data" && one.labels.size() == 2) {
            if (made.data) {
                found_.add(error("Multiple data resource blocks",
                    "This check block already has a data resource defined at " + made.data->range.text() + ".",
                    one.header_range()));
                continue;
            }
            for (auto const* const name : {"count", "for_each"})
                if (auto const* const repeats = one.content.find(name))
                    found_.add(error("Invalid " + in_quotes(name) + " attribute",
                        "The \"count\" and \"for_each\" meta-arguments are not supported within nested data blocks.",
                        repeats->name_range()));
            for (auto const& inner : one.content.blocks)
                if (inner.type == "lifecycle")
                    found_.add(error("Invalid lifecycle block",
                        "Nested data blocks do not support \"lifecycle\" blocks as the lifecycle is managed by the "
                        "containing block.",
                        inner.header_range()));
            auto data = read_resource(one, resource_mode::data);
            if (auto const same = into_.resources.find(data.address()); same != into_.resources.end())
                tell_duplicate(data, same->second);
            made.data = std::move(data);
        }
    }
    if (!asserts)
        found_.add(error("Zero assert blocks", "Check blocks must have at least one assert block.", of.header_range()));
    auto const [place, fresh] = into_.checks.emplace(made.name, std::move(made));
    if (!fresh)
        found_.add(error("Duplicate check " + in_quotes(of.labels[0].text) + " configuration",
            "A check block named " + in_quotes(of.labels[0].text) + " was already declared at "
                + place->second.range.text() + ". Check blocks must be unique within each module.",
            of.header_range()));
}

}  // namespace iacctl::language::detail
