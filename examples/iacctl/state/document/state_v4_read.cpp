// SPDX-License-Identifier: BSL-1.0
#include "base/json.hpp"
#include "base/trimmed.hpp"
#include "state/record_text.hpp"
#include "state_v4.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace iacctl::state {

namespace {

auto compact(json const& value) -> std::string
{
    std::string text;
    append_compact(text, value);
    return text;
}

// The type of an output: "string", or ["list", type], ["object", {name: type}, [optional names]], ["tuple", [types]].
auto is_type(json const& type) -> bool
{
    static constexpr std::array<std::string_view, 4> plain{"string", "number", "bool", "dynamic"};
    if (auto const* name = type.text()) return std::find(plain.begin(), plain.end(), *name) != plain.end();
    auto const* parts = type.elements();
    if (parts == nullptr || parts->size() < 2 || parts->front().text() == nullptr) return false;
    std::string const& kind = *parts->front().text();
    json const& of = (*parts)[1];
    if (kind == "list" || kind == "set" || kind == "map") return parts->size() == 2 && is_type(of);
    if (kind == "tuple") {
        auto const* types = of.elements();
        return types != nullptr && parts->size() == 2 && std::all_of(types->begin(), types->end(), is_type);
    }
    auto const* members = of.members();
    return kind == "object" && members != nullptr && parts->size() <= 3
        && std::all_of(members->begin(), members->end(), [](json::member const& m) { return is_type(m.value); });
}

auto is_path(json const& path) -> bool
{
    auto const is_step = [](json const& step) {
        json const* const type = step.find("type");
        json const* const value = step.find("value");
        if (type == nullptr || type->text() == nullptr || value == nullptr) return false;
        if (*type->text() == "get_attr") return value->text() != nullptr;
        return *type->text() == "index" && value->find("value") != nullptr && value->find("type") != nullptr;
    };
    auto const* steps = path.elements();
    return steps != nullptr && std::all_of(steps->begin(), steps->end(), is_step);
}

// Returns whether this is a valid result of the rules of one declaration and of each of its instances.
auto is_check_result(json const& result) -> bool
{
    auto const has_text = [](json const& in, std::string_view name) {
        json const* const text = in.find(name);
        return text != nullptr && text->text() != nullptr;
    };
    auto const is_object = [&](json const& object) {
        json const* const messages = object.find("failure_messages");
        bool const readable = messages == nullptr || messages->is_null()
            || (messages->elements() != nullptr
                && std::ranges::all_of(*messages->elements(), [](json const& m) { return m.text() != nullptr; }));
        return readable && has_text(object, "object_addr") && has_text(object, "status");
    };
    if (!has_text(result, "object_kind") || !has_text(result, "config_addr") || !has_text(result, "status"))
        return false;
    if (result.find("config_addr")->text()->find('.') == std::string::npos) return false;
    json const* const objects = result.find("objects");
    return objects == nullptr || objects->is_null()
        || (objects->elements() != nullptr && std::ranges::all_of(*objects->elements(), is_object));
}

// `provider["host/namespace/type"].alias` or `provider.type.alias`, optionally after modules.
auto is_provider(std::string_view text) -> bool
{
    while (text.starts_with("module.")) {
        auto const dot = text.find('.', 7);
        if (dot == std::string_view::npos || dot == 7) return false;
        text.remove_prefix(dot + 1);
    }
    if (text.starts_with("provider.")) return text.size() > 9;
    if (!text.starts_with("provider[\"")) return false;
    auto const end = text.find("\"]");
    if (end == std::string_view::npos || end == 10) return false;
    std::string_view const rest = text.substr(end + 2);
    return rest.empty() || (rest.starts_with('.') && rest.size() > 1);
}

class v4_reader {
public:
    auto read(json const& root) -> expected<infra::snapshot>
    {
        if (root.members() == nullptr) return make_failure(messages::state_file_without_version);
        if (auto const ok = check_version(root); !ok) return ok.error();
        json const* const serial = root.find("serial");
        if (serial != nullptr && !serial->natural()) must_be("serial", "a natural number");
        if (serial != nullptr) state_.serial = serial->natural().value_or(0);
        if (auto const* lineage = text_in(root, "lineage", "lineage")) state_.lineage = *lineage;
        read_outputs(root);
        if (auto const* resources = elements_in(root, "resources", "resources"))
            for (std::size_t i = 0; i < resources->size(); ++i)
                read_resource((*resources)[i], "resources[" + std::to_string(i) + ']');
        read_pending(root);
        if (auto const* checks = elements_in(root, "check_results", "check_results"); checks != nullptr) {
            if (!std::ranges::all_of(*checks, is_check_result)) must_be("check_results", "a list of check results");
            else if (!checks->empty()) state_.checks = infra::document(compact(*root.find("check_results")));
        }
        if (!found_.empty()) return infra::failure(std::move(found_));
        return std::move(state_);
    }

private:
    // \param kind the name of a kind of JSON value, or of its meaning
    void must_be(std::string const& where, std::string_view kind)
    {
        found_.add(messages::make_error(messages::state_file_invalid_member, {where, kind}));
    }
    void must_be(std::string const& where, std::string_view word, std::string_view kind)
    {
        found_.add(messages::make_error(messages::state_file_invalid_word, {where, word, kind}));
    }
    void misses(std::string const& where, std::string_view member)
    {
        found_.add(messages::make_error(messages::state_file_missing_member, {where, member}));
    }
    // Optional members; an existing one must be of the right kind.
    auto text_in(json const& from, std::string_view name, std::string const& where) -> std::string const*
    {
        json const* const value = from.find(name);
        if (value != nullptr && value->text() == nullptr) must_be(where, "a string");
        return value == nullptr ? nullptr : value->text();
    }
    auto elements_in(json const& from, std::string_view name, std::string const& where) -> json::array const*
    {
        json const* const value = from.find(name);
        if (value == nullptr || value->is_null()) return nullptr;
        if (value->elements() == nullptr) must_be(where, "a list");
        return value->elements();
    }
    auto flag_in(json const& from, std::string_view name, std::string const& where) -> bool
    {
        json const* const value = from.find(name);
        if (value != nullptr && value->boolean() == nullptr) must_be(where + '.' + std::string(name), "true or false");
        return value != nullptr && value->boolean() != nullptr && *value->boolean();
    }

    auto check_version(json const& root) -> expected<void>
    {
        json const* const version = root.find("version");
        auto const number = version == nullptr ? std::nullopt : version->natural();
        if (!number || *number == 0) return make_failure(messages::state_file_without_version);
        if (*number > 4) return make_failure(messages::state_file_too_new, {std::to_string(*number)});
        if (*number < 4) return make_failure(messages::state_file_too_old, {std::to_string(*number)});
        return {};
    }
    void read_outputs(json const& root)
    {
        json const* const outputs = root.find("outputs");
        if (outputs == nullptr || outputs->is_null()) return;
        if (outputs->members() == nullptr) {
            must_be("outputs", "an object");
            return;
        }
        for (json::member const& m : *outputs->members()) {
            std::string const where = "outputs." + m.name;
            json const* const value = m.value.find("value");
            json const* const type = m.value.find("type");
            if (m.name.empty()) must_be("outputs", "an object with names");
            if (value == nullptr) misses(where, "value");
            if (type == nullptr || !is_type(*type)) must_be(where + ".type", "a type");
            if (value == nullptr || type == nullptr) continue;
            infra::output_value output{infra::document(compact(*value)), infra::document(compact(*type)), false};
            output.sensitive = flag_in(m.value, "sensitive", where);
            state_.outputs.insert_or_assign(m.name, std::move(output));
        }
    }
    void read_resource(json const& resource, std::string const& where)
    {
        std::size_t const before = found_.size();
        auto const word = [&](std::string_view name) -> std::string {
            std::string const* const text = text_in(resource, name, where + '.' + std::string(name));
            if (text == nullptr || text->empty()) misses(where, name);
            return text == nullptr ? std::string() : *text;
        };
        std::string const mode = word("mode");
        std::string const type = word("type");
        std::string const name = word("name");
        std::string const* const of_all = text_in(resource, "provider", where + ".provider");
        std::string const provider = of_all == nullptr ? std::string() : *of_all;
        std::string const* const module = text_in(resource, "module", where + ".module");
        if (mode != "managed" && mode != "data") must_be(where + ".mode", mode, "managed or data");
        if (!provider.empty() && !is_provider(provider))
            must_be(where + ".provider", provider, "the address of a provider");
        std::string text = module == nullptr || module->empty() ? std::string() : *module + '.';
        text += (mode == "data" ? "data." : "") + type + '.' + name;
        auto const target = infra::parse_address(text);
        bool const fits = target && target->type() == type && target->name() == name && !target->key();
        if (!fits) must_be(where, text, "the address of a resource");
        auto const* const instances = elements_in(resource, "instances", where + ".instances");
        if (found_.size() != before || instances == nullptr) return;
        for (std::size_t i = 0; i < instances->size(); ++i)
            read_instance(*target, provider, (*instances)[i], where + ".instances[" + std::to_string(i) + ']');
    }
    auto read_key(json const& value, std::string const& where) -> infra::instance_key
    {
        json const* const key = value.find("index_key");
        if (key == nullptr || key->is_null()) return {};
        if (auto const* name = key->text()) return infra::instance_key(*name);
        auto const index = key->integer();
        if (!index) must_be(where + ".index_key", "an integer or a string");
        return infra::instance_key(index.value_or(0));
    }
    void read_instance(
        infra::address const& resource, std::string const& provider, json const& value, std::string const& where)
    {
        std::size_t const before = found_.size();
        if (value.members() == nullptr) {
            must_be(where, "an object");
            return;
        }
        infra::object o;
        std::string const* const own = text_in(value, "provider", where + ".provider");
        o.provider = own == nullptr ? provider : *own;
        if (o.provider.empty()) misses(where, "provider");
        else if (own != nullptr && !is_provider(*own)) must_be(where + ".provider", *own, "the address of a provider");
        infra::address const target(
            resource.module(), resource.mode(), resource.type(), resource.name(), read_key(value, where));
        if (auto const* status = text_in(value, "status", where + ".status")) {
            o.tainted = *status == "tainted";
            if (!o.tainted && !status->empty()) must_be(where + ".status", *status, "a status that this iacctl knows");
        }
        o.unfinished = flag_in(value, "unfinished", where) && o.tainted;
        std::string deposed;
        if (auto const* key = text_in(value, "deposed", where + ".deposed"); key != nullptr && !key->empty()) {
            deposed = *key;
            if (!infra::is_deposed_key(deposed)) must_be(where + ".deposed", deposed, "the key of a deposed object");
        }
        if (json const* const version = value.find("schema_version")) {
            if (!version->natural()) must_be(where + ".schema_version", "a natural number");
            o.schema_version = version->natural().value_or(0);
        }
        read_attributes(value, where, o);
        read_private_data(value, o);
        read_dependencies(value, where, o);
        o.create_before_destroy = flag_in(value, "create_before_destroy", where);
        o.keep = flag_in(value, "skip_destroy", where);
        if (found_.size() != before) return;

        auto& record = state_.resources[target];
        bool const twice = deposed.empty() ? record.current.has_value() : record.deposed.contains(deposed);
        if (twice)
            found_.add(messages::make_error(messages::state_file_has_object_twice, {where, infra::to_string(target)}));
        else if (deposed.empty()) record.current = std::move(o);
        else record.deposed.insert_or_assign(deposed, std::move(o));
    }
    void read_attributes(json const& value, std::string const& where, infra::object& o)
    {
        json const* const attributes = value.find("attributes");
        if (attributes != nullptr && attributes->members() == nullptr) must_be(where + ".attributes", "an object");
        if (json const* const flat = value.find("attributes_flat"); flat != nullptr && attributes == nullptr)
            found_.add(messages::make_error(messages::state_file_flat_attributes, {where}));
        o.attributes = infra::document(attributes == nullptr ? "{}" : compact(*attributes));
        auto const* const paths = elements_in(value, "sensitive_attributes", where + ".sensitive_attributes");
        if (paths == nullptr || paths->empty()) return;
        if (!std::all_of(paths->begin(), paths->end(), is_path))
            must_be(where + ".sensitive_attributes", "a list of paths");
        o.sensitive = infra::document(compact(*value.find("sensitive_attributes")));
    }
    static void read_private_data(json const& value, infra::object& o)
    {
        json::object kept;
        for (std::string_view const name : private_members)
            if (json const* const found = value.find(name)) kept.push_back({std::string(name), *found});
        if (!kept.empty()) o.private_data = infra::document(compact(json(std::move(kept))));
    }
    void read_dependencies(json const& value, std::string const& where, infra::object& o)
    {
        auto const* const dependencies = elements_in(value, "dependencies", where + ".dependencies");
        if (dependencies == nullptr) return;
        std::vector<std::string> names;
        for (json const& dependency : *dependencies) {
            auto const* const text = dependency.text();
            auto const target = text == nullptr ? infra::parse_address({}) : infra::parse_address(*text);
            if (!target) must_be(where + ".dependencies", "a list of addresses of resources");
            else names.push_back(infra::to_string(target->config()));
        }
        o.dependencies = std::move(names);
    }
    void read_pending(json const& root)
    {
        auto const* const pending = elements_in(root, "pending_operations", "pending_operations");
        if (pending == nullptr) return;
        for (json const& value : *pending) {
            auto operation = read_operation(value);
            if (!operation) must_be("pending_operations", "a list of operations as iacctl writes it");
            else state_.pending.insert_or_assign(operation->operation, std::move(*operation));
        }
    }

    infra::snapshot state_;
    infra::diagnostics found_;
};

}  // namespace

auto from_v4(std::string_view text, v4_additions* more) -> expected<infra::snapshot>
{
    if (trimmed(text).empty()) return make_failure(messages::state_file_empty);
    auto const root = parse_json(text);
    if (!root) return make_failure(messages::state_file_not_json, {root.error().what()});
    if (more != nullptr) {
        more->reports_operations = root->find("pending_operations") != nullptr;
        json const* const replaces = root->find("replaces");
        if (replaces != nullptr && replaces->elements() != nullptr)
            for (json const& id : *replaces->elements())
                if (id.text() != nullptr) more->replaces.push_back(*id.text());
    }
    return v4_reader().read(*root);
}

}  // namespace iacctl::state
