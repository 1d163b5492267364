// SPDX-License-Identifier: BSL-1.0
#include "record_text.hpp"
#include "stored_name.hpp"

#include "base/encoding.hpp"
#include "base/unicode.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace iacctl::state {

namespace {

using entry_kind = infra::journal_entry::kind_type;

constexpr std::array entry_kinds{entry_kind::begin, entry_kind::end, entry_kind::record, entry_kind::remove,
    entry_kind::output, entry_kind::output_removed, entry_kind::checks};
constexpr std::array operation_kinds{infra::operation_kind::create, infra::operation_kind::read,
    infra::operation_kind::update, infra::operation_kind::destroy, infra::operation_kind::invoke};

// Appends a text as a JSON string; bytes that are not UTF-8 as {"base64": ...}.
void append_text(std::string& out, std::string_view text)
{
    if (is_utf8(text)) {
        append_json_string(out, text);
        return;
    }
    out += "{\"base64\":\"" + base64(text) + "\"}";
}

void append_flag(std::string& out, bool flag)
{
    out += flag ? "true" : "false";
}

// Reads members, and records whether all of them are valid.
class member_reader {
public:
    explicit member_reader(json const& from) : from_(&from), fine_(from.members() != nullptr) {}

    [[nodiscard]] auto fine() const -> bool { return fine_; }
    void refuse() { fine_ = false; }
    [[nodiscard]] auto has(std::string_view name) const -> bool { return from_->find(name) != nullptr; }
    auto inner(std::string_view name) -> json const&
    {
        static json const nothing;
        json const* const found = from_->find(name);
        fine_ = fine_ && found != nullptr;
        return found == nullptr ? nothing : *found;
    }
    auto text(std::string_view name) -> std::string { return text(inner(name)); }
    auto flag(std::string_view name) -> bool
    {
        bool const* const value = inner(name).boolean();
        fine_ = fine_ && value != nullptr;
        return value != nullptr && *value;
    }
    auto natural(std::string_view name) -> std::uint64_t
    {
        auto const value = inner(name).natural();
        fine_ = fine_ && value.has_value();
        return value.value_or(0);
    }
    auto dependencies(std::string_view name, dependency_catalog const& sets) -> infra::dependency_set
    {
        auto set = read_dependencies(inner(name), sets);
        fine_ = fine_ && set.has_value();
        return set ? std::move(*set) : infra::dependency_set();
    }
    auto place(std::string_view name) -> infra::address
    {
        auto parsed = read_stored_name(text(name));
        fine_ = fine_ && parsed.has_value();
        return parsed ? std::move(*parsed) : infra::address();
    }

private:
    auto text(json const& value) -> std::string
    {
        if (auto const* const plain = value.text()) return *plain;
        json const* const encoded = value.find("base64");
        auto const* const characters = encoded == nullptr ? nullptr : encoded->text();
        auto bytes = characters == nullptr ? std::nullopt : from_base64(*characters);
        fine_ = fine_ && bytes.has_value();
        return fine_ ? *std::move(bytes) : std::string();
    }

    json const* from_;
    bool fine_;
};

void append_object(std::string& out, infra::object const& o, bool with_attributes)
{
    out += '{';
    if (with_attributes) {
        out += "\"attributes\":";
        append_text(out, o.attributes.text());
        out += ',';
    }
    out += "\"create_before_destroy\":";
    append_flag(out, o.create_before_destroy);
    out += ",\"dependencies\":";
    append_dependencies(out, o.dependencies);
    if (!o.private_data.empty()) {
        out += ",\"foreign\":";
        append_text(out, o.private_data.text());
    }
    if (o.keep) out += ",\"keep\":true";
    out += ",\"provider\":";
    append_text(out, o.provider);
    out += ",\"schema_version\":" + std::to_string(o.schema_version) + ",\"sensitive\":";
    append_text(out, o.sensitive.text());
    out += ",\"tainted\":";
    append_flag(out, o.tainted);
    if (o.unfinished) out += ",\"unfinished\":true";
    out += '}';
}

auto object_from(json const& document, bool with_attributes, std::string attributes, dependency_catalog const& sets)
    -> std::optional<infra::object>
{
    member_reader in(document);
    infra::object o;
    o.attributes = infra::document(with_attributes ? in.text("attributes") : std::move(attributes));
    o.create_before_destroy = in.flag("create_before_destroy");
    o.dependencies = in.dependencies("dependencies", sets);
    if (in.has("foreign")) o.private_data = infra::document(in.text("foreign"));
    o.keep = in.has("keep") && in.flag("keep");
    o.provider = in.text("provider");
    o.schema_version = in.natural("schema_version");
    o.sensitive = infra::document(in.text("sensitive"));
    o.tainted = in.flag("tainted");
    o.unfinished = in.has("unfinished") && in.flag("unfinished");
    if (!in.fine()) return std::nullopt;
    return o;
}

void append_output(std::string& out, infra::output_value const& value)
{
    out += "{\"sensitive\":";
    append_flag(out, value.sensitive);
    out += ",\"type\":";
    append_text(out, value.type.text());
    out += ",\"value\":";
    append_text(out, value.value.text());
    out += '}';
}

auto output_from(json const& document) -> std::optional<infra::output_value>
{
    member_reader in(document);
    infra::output_value value;
    value.sensitive = in.flag("sensitive");
    value.type = infra::document(in.text("type"));
    value.value = infra::document(in.text("value"));
    if (!in.fine()) return std::nullopt;
    return value;
}

void append_operation(std::string& out, infra::pending_operation const& operation)
{
    out += "{\"deposed\":";
    append_text(out, operation.deposed_key);
    out += ",\"kind\":\"";
    out += infra::to_string(operation.kind);
    out += "\",\"operation\":";
    append_text(out, operation.operation);
    out += ",\"provider\":";
    append_text(out, operation.provider);
    if (operation.provisioned) out += ",\"provisioned\":true";
    out += ",\"request\":";
    append_text(out, operation.request.text());
    if (!operation.sensitive.empty()) {
        out += ",\"sensitive\":";
        append_text(out, operation.sensitive.text());
    }
    out += ",\"target\":";
    append_text(out, stored_name(operation.target));
    out += '}';
}

}  // namespace

auto text_of(infra::object const& o) -> std::string
{
    std::string out;
    append_object(out, o, false);
    return out;
}

auto read_object(std::string_view document, std::string attributes, dependency_catalog const& sets)
    -> std::optional<infra::object>
{
    auto const whole = parse_json(document);
    if (!whole) return std::nullopt;
    return object_from(*whole, false, std::move(attributes), sets);
}

void append_dependencies(std::string& out, infra::dependency_set const& set)
{
    if (dependency_catalog::is_kept(set)) {
        out += '"' + dependency_catalog::key_of(set) + '"';
        return;
    }
    out += '[';
    bool first = true;
    for (std::string const& name : set.own_names()) {
        if (!std::exchange(first, false)) out += ',';
        append_text(out, name);
    }
    out += ']';
}

auto read_dependencies(json const& from, dependency_catalog const& sets) -> std::optional<infra::dependency_set>
{
    if (auto const* const key = from.text()) {
        infra::dependency_set const* const set = sets.find(*key);
        return set == nullptr ? std::nullopt : std::optional(*set);
    }
    if (from.elements() == nullptr) return std::nullopt;
    std::vector<std::string> names;
    for (json const& name : *from.elements()) {
        if (name.text() == nullptr) return std::nullopt;
        names.push_back(*name.text());
    }
    return infra::dependency_set(std::move(names));
}

auto text_of(infra::output_value const& value) -> std::string
{
    std::string out;
    append_output(out, value);
    return out;
}

auto read_output(std::string_view document) -> std::optional<infra::output_value>
{
    auto const whole = parse_json(document);
    if (!whole) return std::nullopt;
    return output_from(*whole);
}

auto text_of(infra::pending_operation const& operation) -> std::string
{
    std::string out;
    append_operation(out, operation);
    return out;
}

auto read_operation(std::string_view document) -> std::optional<infra::pending_operation>
{
    auto const whole = parse_json(document);
    if (!whole) return std::nullopt;
    return read_operation(*whole);
}

auto read_operation(json const& document) -> std::optional<infra::pending_operation>
{
    member_reader in(document);
    infra::pending_operation operation;
    operation.deposed_key = in.text("deposed");
    std::string const kind = in.text("kind");
    bool known = false;
    for (infra::operation_kind const candidate : operation_kinds) {
        if (infra::to_string(candidate) != kind) continue;
        operation.kind = candidate;
        known = true;
    }
    operation.operation = in.text("operation");
    operation.provider = in.text("provider");
    if (in.has("provisioned")) operation.provisioned = in.flag("provisioned");
    operation.request = infra::document(in.text("request"));
    if (in.has("sensitive")) operation.sensitive = infra::document(in.text("sensitive"));
    operation.target = in.place("target");
    if (!in.fine() || !known) return std::nullopt;
    return operation;
}

auto text_of(infra::journal_entry const& entry, std::string* of_operation) -> std::string
{
    std::string out = "{";
    bool const has_operation = entry.kind() == entry_kind::begin || entry.kind() == entry_kind::end;
    if (!entry.is_of_state()) {
        out += "\"deposed\":";
        append_text(out, entry.deposed_key());
        out += ',';
    }
    if (entry.kind() == entry_kind::end) {
        out += "\"failed\":";
        append_flag(out, entry.failed());
        out += ',';
    }
    out += "\"kind\":\"";
    out += to_string(entry.kind());
    out += '"';
    if (entry.is_of_state()) {
        out += ",\"name\":";
        append_text(out, entry.output_name());
    }
    if (entry.result()) {
        out += ",\"object\":";
        append_object(out, *entry.result(), true);
    }
    if (has_operation) {
        out += ",\"operation\":";
        std::size_t const begin = out.size();
        append_operation(out, entry.operation());
        if (of_operation != nullptr) of_operation->assign(out, begin);
    }
    if (entry.kind() == entry_kind::output || entry.kind() == entry_kind::checks) {
        out += ",\"output\":";
        append_output(out, entry.output_content());
    }
    if (!entry.is_of_state()) {
        out += ",\"target\":";
        append_text(out, stored_name(entry.target()));
    }
    out += '}';
    return out;
}

auto read_entry(std::string_view document, dependency_catalog const& sets) -> std::optional<infra::journal_entry>
{
    auto const whole = parse_json(document);
    if (!whole) return std::nullopt;
    member_reader in(*whole);
    std::string const kind = in.text("kind");

    std::optional<infra::object> object;
    if (in.has("object")) {
        object = object_from(in.inner("object"), true, {}, sets);
        if (!object) return std::nullopt;
    }
    std::optional<infra::pending_operation> operation;
    if (in.has("operation")) operation = read_operation(in.inner("operation"));

    std::optional<infra::journal_entry> entry;
    if (kind == "begin" && operation) {
        entry = infra::journal_entry::begin(std::move(*operation));
    } else if (kind == "end" && operation) {
        bool const failed = in.flag("failed");
        entry = infra::journal_entry::end(*operation, std::move(object), failed);
    } else if (kind == "record" && object) {
        entry = infra::journal_entry::record(in.place("target"), in.text("deposed"), std::move(*object));
    } else if (kind == "remove") {
        entry = infra::journal_entry::remove(in.place("target"), in.text("deposed"));
    } else if (kind == "output" || kind == "checks") {
        auto value = output_from(in.inner("output"));
        std::string name = in.text("name");
        if (value)
            entry = kind == "checks" ? infra::journal_entry::checks(std::move(value->value))
                                     : infra::journal_entry::output(std::move(name), std::move(*value));
    } else if (kind == "output_removed") {
        entry = infra::journal_entry::output_removed(in.text("name"));
    }
    return in.fine() ? entry : std::nullopt;
}

auto to_string(infra::journal_entry::kind_type kind) noexcept -> std::string_view
{
    static constexpr std::array<std::string_view, entry_kinds.size()> names{
        "begin", "end", "record", "remove", "output", "output_removed", "checks"};
    for (std::size_t i = 0; i < entry_kinds.size(); ++i)
        if (entry_kinds[i] == kind) return names[i];
    return {};
}

}  // namespace iacctl::state
