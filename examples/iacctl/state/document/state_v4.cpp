// SPDX-License-Identifier: BSL-1.0
#include "state_v4.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/provider_address.hpp"
#include "state/record_text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace iacctl::state {

namespace {

// Writes members and elements, one on each line.
class writer {
public:
    void open(char bracket)
    {
        out_ += bracket;
        ++level_;
        first_ = true;
    }
    void close(char bracket)
    {
        --level_;
        if (!first_) line();
        out_ += bracket;
        first_ = false;
    }
    void element()
    {
        if (!first_) out_ += ',';
        first_ = false;
        line();
    }
    void name(std::string_view member)
    {
        element();
        append_json_string(out_, member);
        out_ += ": ";
    }
    void text(std::string_view member, std::string_view value)
    {
        name(member);
        append_json_string(out_, value);
    }
    void raw(std::string_view member, std::string_view value)
    {
        name(member);
        out_ += value;
    }
    void document(std::string_view member, infra::document const& value)
    {
        name(member);
        document(value.text());
    }
    void value(std::string_view member, json const& j)
    {
        name(member);
        append_indented(out_, compact_text(j), level_);
    }
    void document(std::string_view text)
    {
        if (auto const parsed = parse_json(text)) append_indented(out_, compact_text(*parsed), level_);
        else append_json_string(out_, text);
    }
    void texts(std::string_view member, std::vector<std::string> const& values)
    {
        name(member);
        open('[');
        for (std::string const& value : values) {
            element();
            append_json_string(out_, value);
        }
        close(']');
    }
    [[nodiscard]] auto take() -> std::string { return std::move(out_); }

private:
    void line()
    {
        out_ += '\n';
        out_.append(std::size_t{2} * level_, ' ');
    }

    std::string out_;
    unsigned level_ = 0;
    bool first_ = true;
};

struct instance {
    infra::instance_key const* key;
    std::string_view deposed;
    infra::object const* object;
};

// The provider is an instance of a configuration with for_each.
auto has_instance_key(std::string_view provider) -> bool
{
    auto const parsed = provider_configuration_name::parse(provider);
    return parsed && parsed->alias.ends_with(']');
}

// The objects of an entry of `resources`, in the order of the file. Different providers may have created the objects of
// one resource, but an entry has one provider, so these objects are in separate entries. As in OpenTofu, an instance of
// a provider is written for each object; the entry then has no provider.
struct group {
    std::string module;
    std::string_view mode;
    std::string_view type;
    std::string_view name;
    std::string_view provider;
    std::vector<instance> instances;

    [[nodiscard]] auto place() const { return std::tie(module, mode, type, name, provider); }
};

auto groups_of(infra::snapshot const& s) -> std::vector<group>
{
    std::vector<group> groups;
    for (auto const& [target, record] : s.resources) {
        std::string const module = infra::to_string(target.module());
        std::string_view const mode = target.mode() == infra::resource_mode::data ? "data" : "managed";
        auto const add = [&](std::string_view deposed, infra::object const& o) {
            std::string_view const provider =
                has_instance_key(o.provider) ? std::string_view() : std::string_view(o.provider);
            // The groups of one resource are adjacent.
            auto const last = groups.rbegin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(groups.size(), 16));
            auto const same = std::find_if(groups.rbegin(), last, [&](group const& g) {
                return g.place() == std::tie(module, mode, target.type(), target.name(), provider);
            });
            bool const near = same != last;
            if (!near) groups.push_back({module, mode, target.type(), target.name(), provider, {}});
            (near ? *same : groups.back()).instances.push_back({&target.key(), deposed, &o});
        };
        if (record.current) add({}, *record.current);
        for (auto const& [key, o] : record.deposed) add(key, o);
    }
    std::sort(groups.begin(), groups.end(), [](group const& a, group const& b) { return a.place() < b.place(); });
    return groups;
}

void write_instance(writer& out, instance const& i)
{
    infra::object const& o = *i.object;
    out.element();
    out.open('{');
    if (has_instance_key(o.provider)) out.text("provider", o.provider);
    if (auto const* index = i.key->index()) out.raw("index_key", std::to_string(*index));
    else if (auto const* name = i.key->name()) out.text("index_key", *name);
    if (o.tainted) out.text("status", "tainted");
    if (o.unfinished) out.raw("unfinished", "true");  // ours, as pending_operations are
    if (!i.deposed.empty()) out.text("deposed", i.deposed);
    out.raw("schema_version", std::to_string(o.schema_version));
    if (!o.attributes.empty()) out.document("attributes", o.attributes);
    if (o.sensitive.empty()) out.raw("sensitive_attributes", "[]");
    else out.document("sensitive_attributes", o.sensitive);
    if (auto const kept_data = parse_json(o.private_data.text()))
        for (std::string_view const name : private_members)
            if (json const* const kept = kept_data->find(name)) out.value(name, *kept);
    if (!o.dependencies.empty()) out.texts("dependencies", o.dependencies.names());
    if (o.create_before_destroy) out.raw("create_before_destroy", "true");
    if (o.keep) out.raw("skip_destroy", "true");
    out.close('}');
}

}  // namespace

auto to_v4(infra::snapshot const& s, std::string_view terraform_version, bool report_operations,
    std::vector<std::string> const& replaces) -> std::string
{
    writer out;
    out.open('{');
    out.raw("version", "4");
    out.text("terraform_version", terraform_version);
    out.raw("serial", std::to_string(s.serial));
    out.text("lineage", s.lineage);
    out.name("outputs");
    out.open('{');
    for (auto const& [name, value] : s.outputs) {
        out.name(name);
        out.open('{');
        out.document("value", value.value);
        out.document("type", value.type);
        if (value.sensitive) out.raw("sensitive", "true");
        out.close('}');
    }
    out.close('}');
    out.name("resources");
    out.open('[');
    for (group const& g : groups_of(s)) {
        out.element();
        out.open('{');
        if (!g.module.empty()) out.text("module", g.module);
        out.text("mode", g.mode);
        out.text("type", g.type);
        out.text("name", g.name);
        if (!g.provider.empty()) out.text("provider", g.provider);
        out.name("instances");
        out.open('[');
        for (instance const& i : g.instances) write_instance(out, i);
        out.close(']');
        out.close('}');
    }
    out.close(']');
    if (s.checks.empty()) out.raw("check_results", "null");
    else out.document("check_results", s.checks);
    if (report_operations || !s.pending.empty()) {
        out.name("pending_operations");
        out.open('[');
        for (auto const& [id, operation] : s.pending) {
            out.element();
            out.document(text_of(operation));
        }
        out.close(']');
    }
    if (!replaces.empty()) out.texts("replaces", replaces);
    out.close('}');
    return out.take() + '\n';
}

}  // namespace iacctl::state
