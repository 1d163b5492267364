// SPDX-License-Identifier: BSL-1.0
#include "mocks.hpp"

#include "base/random.hpp"
#include "language/validation/schema.hpp"
#include "language/validation/schema_values.hpp"
#include "language/values/convert.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "providers/plugin/proposed_new.hpp"
#include "providers/plugin/wire_value.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace iacctl::testing {

namespace {

using language::nesting;
using language::schema;
using language::schema_attribute;
using language::type;
using language::type_kind;
using language::value;
using language::value_entry;
using messages::make_error;

auto random_text() -> std::string
{
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    constexpr std::size_t length = 8;
    constexpr unsigned most = 256U - 256U % letters.size();  // larger bytes would make some letters more probable
    std::string text;
    while (text.size() < length)
        for (char const c : random_bytes(length))
            if (auto const byte = static_cast<unsigned char>(c); byte < most && text.size() < length)
                text += letters[byte % letters.size()];
    return text;
}

// An empty collection of the type; nothing if it is not a collection.
auto empty_collection(type const& t) -> std::optional<value>
{
    switch (t.kind()) {
    case type_kind::list: return value::list(t.element(), {});
    case type_kind::set: return value::set(t.element(), {});
    case type_kind::map: return value::map(t.element(), {});
    default: return std::nullopt;
    }
}

// Fills the attributes of an object with values.
class filler {
public:
    enum class desired { null, unknown };

    /// \param values  null: every value becomes unknown
    filler(desired which, mock_values const* values) : which_(which), of_(values) {}

    [[nodiscard]] auto object(schema const& described, value const& from) -> value
    {
        return object(described, from, of_ == nullptr ? nullptr : &of_->values);
    }
    [[nodiscard]] auto problems() && -> infra::diagnostics { return std::move(problems_); }

private:
    [[nodiscard]] auto object(schema const& described, value const& from, value const* given) -> value
    {
        if (!from.has_data() || !from.is(type_kind::object)) return from;
        std::vector<value_entry> entries(from.entries().begin(), from.entries().end());
        for (value_entry& entry : entries) {
            value const* const own =
                given == nullptr || !given->is(type_kind::object) ? nullptr : given->find(entry.key);
            if (auto const* const one = described.find(entry.key)) entry.of = attribute(*one, entry.of, own);
            else if (auto const* const nested = described.find_block(entry.key))
                entry.of = each(*nested->content, entry.of, own);
        }
        return value::object(std::move(entries)).with_marks(from.marks());
    }

    [[nodiscard]] auto attribute(schema_attribute const& sa, value const& now, value const* given) -> value
    {
        bool const chosen = which_ == desired::null ? now.is_null() : now.is_unknown();
        if (sa.computed && chosen && !sa.write_only) return made(sa, given);
        return sa.nested ? each(*sa.nested->content, now, given) : now;
    }

    // All elements get the same values.
    [[nodiscard]] auto each(schema const& content, value const& now, value const* given) -> value
    {
        if (!now.has_data()) return now;
        auto const one = [&](value const& v) { return object(content, v, given); };
        if (now.is(type_kind::object) && is_object_of(content, now)) return one(now);
        if (now.is(type_kind::map) || now.is(type_kind::object)) {
            std::vector<value_entry> entries(now.entries().begin(), now.entries().end());
            for (auto& entry : entries) entry.of = one(entry.of);
            auto all = now.is(type_kind::map) && !entries.empty()
                ? value::map(now.get_type().element(), std::move(entries))
                : value::object(std::move(entries));
            return (now.size() == 0 ? now.unmarked() : all).with_marks(now.marks());
        }
        std::vector<value> elements;
        for (value const& element : now.elements()) elements.push_back(one(element));
        if (elements.empty()) return now;
        auto const type = now.get_type();
        auto all = now.is(type_kind::list) ? value::list(type.element(), std::move(elements))
            : now.is(type_kind::set)       ? value::set(type.element(), std::move(elements))
                                           : value::tuple(std::move(elements));
        return all.with_marks(now.marks());
    }

    [[nodiscard]] static auto is_object_of(schema const& content, value const& now) -> bool
    {
        return std::ranges::all_of(now.entries(), [&](value_entry const& e) {
            return content.find(e.key) != nullptr || content.find_block(e.key) != nullptr;
        });
    }

    [[nodiscard]] auto made(schema_attribute const& attribute, value const* given) -> value
    {
        if (of_ == nullptr) return value::unknown(attribute.of);
        if (attribute.nested && attribute.nested->how != nesting::single) return generated(attribute.of);
        if (given == nullptr) return generated(attribute.of);
        std::string why;
        if (auto const fits = filled(*given, attribute.of, why)) return *fits;
        problems_.add(make_error(messages::unsuitable_test_value, {attribute.name, of_->place, why}));
        return generated(attribute.of);
    }

    desired which_;
    mock_values const* of_;
    infra::diagnostics problems_;
};

/// A provider with one configuration, in which some or all objects are mocked.
class mocking_provider final : public providers::provider {
public:
    /// \param real  null: the configuration is mocked
    mocking_provider(std::string configuration, providers::provider_source& source, std::shared_ptr<mocks const> m,
        std::shared_ptr<providers::provider> real)
        : configuration_(std::move(configuration)),
          source_(&source),
          mocks_(std::move(m)),
          real_(std::move(real))
    {}

    auto configure(value settings) -> providers::task<infra::diagnostics> override
    {
        if (real_ != nullptr) return real_->configure(std::move(settings));
        return at_once(infra::diagnostics());
    }

    auto read(providers::read_request request) -> providers::task<expected<providers::read_result>> override
    {
        if (find(request.target) == nullptr) return real_->read(std::move(request));
        return at_once(expected<providers::read_result>(
            providers::read_result(std::move(request.prior), std::move(request.private_data))));
    }

    auto plan(providers::plan_request request) -> providers::task<expected<providers::planned>> override
    {
        mock_values const* const by = find(request.target);
        if (by == nullptr) return real_->plan(std::move(request));
        return at_once(planned(request, *by));
    }

    auto apply(providers::apply_request request) -> providers::task<providers::applied> override
    {
        mock_values const* const by = find(request.operation.target);
        if (by == nullptr) return real_->apply(std::move(request));
        return at_once(applied(request, *by));
    }

    auto look_up(providers::apply_request request) -> providers::task<providers::looked_up> override
    {
        if (find(request.operation.target) == nullptr) return real_->look_up(std::move(request));
        return at_once(providers::looked_up(infra::lookup_answer::not_done));
    }

    auto import_object(providers::import_request request) -> providers::task<expected<providers::read_result>> override
    {
        mock_values const* const by = find(request.target);
        if (by == nullptr) return real_->import_object(std::move(request));
        if (!is_overridden(request.target))
            return at_once(expected<providers::read_result>(
                infra::failure(make_error(messages::import_from_mocked_provider, to_string(request.target)))));
        return at_once(computed(request.target, nothing_configured(request.target), *by));
    }

    auto read_data(providers::data_request request) -> providers::task<expected<providers::read_result>> override
    {
        mock_values const* const by = find(request.target);
        if (by == nullptr) return real_->read_data(std::move(request));
        return at_once(computed(request.target, request.config, *by));
    }

    auto open_ephemeral(providers::data_request request) -> providers::task<expected<providers::read_result>> override
    {
        mock_values const* const by = find(request.target);
        if (by == nullptr) return real_->open_ephemeral(std::move(request));
        return at_once(computed(request.target, request.config, *by));
    }

    auto close_ephemeral(infra::address target) -> providers::task<infra::diagnostics> override
    {
        if (find(target) == nullptr) return real_->close_ephemeral(std::move(target));
        return at_once(infra::diagnostics());
    }

    auto plan_action(providers::data_request request) -> providers::task<infra::diagnostics> override
    {
        if (real_ != nullptr) return real_->plan_action(std::move(request));
        return at_once(infra::diagnostics());
    }

    auto invoke_action(providers::invoke_request request) -> providers::task<infra::invoked> override
    {
        if (real_ != nullptr) return real_->invoke_action(std::move(request));
        return at_once(infra::invoked());
    }

    void stop() noexcept override
    {
        if (real_ != nullptr) real_->stop();
    }

private:
    template <class T>
    static auto at_once(T answer) -> providers::task<T>
    {
        co_return answer;
    }

    [[nodiscard]] auto find(infra::address const& target) const -> mock_values const*
    {
        return mocks_->find(configuration_, target);
    }

    [[nodiscard]] auto is_overridden(infra::address const& target) const -> bool
    {
        mock_values const* const by = find(target);
        auto const mock = mocks_->providers.find(configuration_);
        if (mock == mocks_->providers.end()) return by != nullptr;
        auto const type = mock->second.types.find({target.mode(), target.type()});
        return type == mock->second.types.end() ? !by->place.empty() : by != &type->second;
    }

    [[nodiscard]] auto schema_of(infra::address const& target) const -> schema const&
    {
        auto const declared = source_->schema();
        return (*declared)->of(target.mode()).find(target.type())->second.content;
    }

    [[nodiscard]] auto nothing_configured(infra::address const& target) const -> value
    {
        std::vector<value_entry> all;
        for (auto const& one : schema_of(target).attributes) all.push_back({one.name, value::null(one.of)});
        for (auto const& block : schema_of(target).blocks) {
            auto const kind = block.attribute_type();
            all.push_back({block.name, empty_collection(kind).value_or(value::null(kind))});
        }
        return value::object(std::move(all));
    }

    [[nodiscard]] auto planned(providers::plan_request const& request, mock_values const& by) const
        -> expected<providers::planned>
    {
        schema const& described = schema_of(request.target);
        auto const prior = request.prior ? request.prior->unmarked_deep() : value::null(described.object_type());
        auto proposed = plugin::proposed_new(described, prior, request.config.unmarked_deep());
        infra::diagnostics problems;
        if (!request.prior) {
            filler fill(filler::desired::null, by.in_plan ? &by : nullptr);
            proposed = fill.object(described, proposed);
            problems = std::move(fill).problems();
        }
        if (problems.has_errors()) return infra::failure(located(std::move(problems), request.target));
        return providers::planned(marked(proposed, described, request.config));
    }

    [[nodiscard]] auto applied(providers::apply_request const& request, mock_values const& by) const
        -> providers::applied
    {
        if (!request.planned) return providers::applied(std::nullopt);
        if (request.prior) return providers::applied(*request.planned);
        filler fill(filler::desired::unknown, &by);
        schema const& described = schema_of(request.operation.target);
        auto made = fill.object(described, *request.planned);
        return providers::applied(language::with_sensitive_marks(made, described),
            located(std::move(fill).problems(), request.operation.target));
    }

    [[nodiscard]] auto computed(infra::address const& target, value const& config, mock_values const& by) const
        -> expected<providers::read_result>
    {
        filler fill(filler::desired::null, &by);
        schema const& described = schema_of(target);
        auto made = language::with_sensitive_marks(fill.object(described, config), described);
        auto problems = located(std::move(fill).problems(), target);
        if (problems.has_errors()) return infra::failure(std::move(problems));
        return providers::read_result(std::move(made));
    }

    // The value with the marks of the schema and of the configuration.
    [[nodiscard]] static auto marked(value const& v, schema const& described, value const& config) -> value
    {
        auto const stored = language::without_write_only(v, described);
        return language::with_sensitive_marks(plugin::with_marks_of(stored, config), described);
    }

    [[nodiscard]] static auto located(infra::diagnostics found, infra::address const& target) -> infra::diagnostics
    {
        found.update([&](infra::diagnostic& d) { d.address = to_string(target); });
        return found;
    }

    std::string configuration_;
    providers::provider_source* source_;
    std::shared_ptr<mocks const> mocks_;
    std::shared_ptr<providers::provider> real_;
};

}  // namespace

auto generated(type const& desired) -> value
{
    switch (desired.kind()) {
    case type_kind::dynamic: return value();
    case type_kind::boolean: return value(false);
    case type_kind::number: return value(language::number(0));
    case type_kind::string: return value(random_text());
    case type_kind::tuple: {
        std::vector<value> elements;
        for (type const& one : desired.elements()) elements.push_back(generated(one));
        return value::tuple(std::move(elements));
    }
    case type_kind::object: {
        std::vector<value_entry> entries;
        for (auto const& one : desired.attributes()) entries.push_back({one.name, generated(one.of)});
        return value::object(std::move(entries));
    }
    default: return *empty_collection(desired);
    }
}

auto filled(value const& given, type const& desired, std::string& why) -> std::optional<value>
{
    bool const has_entries = given.has_data() && (given.is(type_kind::object) || given.is(type_kind::map));
    bool const has_elements = given.has_data() && !has_entries && !given.get_type().is_primitive();
    auto const refuse = [&] {
        why = "a value of type " + desired.friendly_name() + " is required, not a value of type "
            + given.get_type().friendly_name();
        return std::nullopt;
    };
    if (desired.is(type_kind::object)) {
        if (!has_entries) return refuse();
        std::vector<value_entry> entries;
        for (auto const& one : desired.attributes()) {
            value const* const part = given.find(one.name);
            auto made = part == nullptr ? generated(one.of) : filled(*part, one.of, why);
            if (!made) return std::nullopt;
            entries.push_back({one.name, std::move(*made)});
        }
        return value::object(std::move(entries));
    }
    bool const of_objects = desired.is_collection() && desired.element().is(type_kind::object);
    if (of_objects && desired.is(type_kind::map)) {
        if (!has_entries) return refuse();
        std::vector<value_entry> entries;
        for (auto const& entry : given.entries()) {
            auto made = filled(entry.of, desired.element(), why);
            if (!made) return std::nullopt;
            entries.push_back({entry.key, std::move(*made)});
        }
        return value::map(desired.element(), std::move(entries));
    }
    if (of_objects) {
        if (!has_elements) return refuse();
        std::vector<value> elements;
        for (value const& element : given.elements()) {
            auto made = filled(element, desired.element(), why);
            if (!made) return std::nullopt;
            elements.push_back(std::move(*made));
        }
        return desired.is(type_kind::set) ? value::set(desired.element(), std::move(elements))
                                          : value::list(desired.element(), std::move(elements));
    }
    auto const converted = convert(given, desired);
    if (converted) return *converted;
    why = converted.error().text();
    return std::nullopt;
}

auto mocks::find(std::string_view configuration, infra::address const& instance) const -> mock_values const*
{
    auto const mock = providers.find(configuration);
    for (auto const& address : {instance, instance.resource()}) {
        if (auto const at = objects.find(address); at != objects.end()) return &at->second;
        if (mock == providers.end()) continue;
        if (auto const at = mock->second.objects.find(address); at != mock->second.objects.end()) return &at->second;
    }
    if (mock == providers.end()) return nullptr;
    static mock_values const none;
    auto const type = mock->second.types.find({instance.mode(), instance.type()});
    return type == mock->second.types.end() ? &none : &type->second;
}

auto make_mocks(std::shared_ptr<mocks const> m) -> providers::instance_maker
{
    return [m = std::move(m)](std::string_view configuration, providers::provider_source& source,
               providers::provider_context const& in) -> std::shared_ptr<providers::provider> {
        bool const mocked = m->providers.contains(configuration);
        return std::make_shared<mocking_provider>(
            std::string(configuration), source, m, mocked ? nullptr : source.make(in));
    };
}

}  // namespace iacctl::testing
