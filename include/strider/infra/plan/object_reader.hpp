// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_OBJECT_READER_HPP
#define STRIDER_INFRA_PLAN_OBJECT_READER_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <optional>
#include <string>
#include <utility>

namespace strider::infra {

/// An existing object in a plan.
template <class V>
struct existing_object {
    std::optional<V> value;  ///< the current value; empty: the object does not exist any more
    object stored;           ///< in the format of state
    std::optional<deferral_reason> deferred;  ///< the provider could not read: the value is that of state
};

/// Reads current objects from providers while planning. Functions return nothing after an error, which is in `found`.
template <program P, provider_for<P> Provider>
class object_reader {
    using value_type = typename P::value_type;
    using findings = plan_findings<value_type>;
    using existing = existing_object<value_type>;

public:
    /// All references must outlive the reader.
    object_reader(
        P const& configuration, Provider& provider, plan_options const& options, observer<value_type> const& observe)
        : configuration_(&configuration),
          provider_(&provider),
          options_(&options),
          observer_(&observe)
    {}

    /// Decodes an object from state and reads its current value from its provider.
    /// \param declaration  its number, or `no_declaration`
    /// \param target  outlives the task \param deposed_key  empty: the current object
    [[nodiscard]] auto refresh(findings& found, std::size_t declaration, address const& target, std::string deposed_key,
        object stored) -> task<std::optional<existing>>
    {
        auto decoded = configuration_->decode(target, stored);
        if (!decoded) {
            found.problems.add(located(*configuration_, declaration, target, decoded.error().why()));
            co_return std::nullopt;
        }
        existing e;
        e.stored = std::move(stored);
        e.value = std::move(*decoded);
        if (!options_->refresh) co_return e;
        notify(event_kind::refresh_started, target, deposed_key, &*e.value);
        read_request<value_type> request(target, e.stored.provider, *e.value, e.stored.private_data);
        auto reading = provider_->read(std::move(request));
        auto read = co_await std::move(reading);
        notify(event_kind::refresh_done, target, deposed_key, &*e.value);
        if (!read) {
            found.problems.add(located(*configuration_, declaration, target, read.error().why()));
            co_return std::nullopt;
        }
        found.problems.add(located(*configuration_, declaration, target, std::move(read->warnings)));
        e.deferred = read->deferred;
        if (e.deferred) co_return e;
        e.stored.private_data = std::move(read->private_data);
        if (read->object == e.value) co_return e;  // the stored value conforms to the type
        if (read->object && !is_valid(found, target, e.stored.provider, *read->object)) co_return std::nullopt;
        note_drift(found, target, e, read->object);
        e.value = std::move(read->object);
        co_return e;
    }

    /// Finds an existing object by its import id, and reads its current value. \return without a value if the provider defers
    /// it
    [[nodiscard]] auto import_existing(findings& found, change<value_type> const& c) -> task<std::optional<existing>>
    {
        std::optional<existing> result;
        if constexpr (imports_objects<Provider, P>) {
            notify(event_kind::import_prepared, c.target, {}, nullptr, c.import_name());
            import_request wanted(c.target, c.provider, *c.import_id, c.import_identity);
            auto importing = provider_->import_object(std::move(wanted));
            auto imported = co_await std::move(importing);
            if (!imported) {
                found.problems.add(located(*configuration_, c.declaration, c.target, imported.error().why()));
                co_return result;
            }
            found.problems.add(located(*configuration_, c.declaration, c.target, std::move(imported->warnings)));
            if (imported->deferred) co_return deferred(*imported->deferred);
            if (!imported->object) {
                found.problems.add(found_nothing(c));
                co_return result;
            }
            value_type const named = std::move(*imported->object);
            notify(event_kind::refresh_started, c.target, {}, &named);
            read_request<value_type> request(c.target, c.provider, named, std::move(imported->private_data));
            auto reading = provider_->read(std::move(request));
            auto read = co_await std::move(reading);
            notify(event_kind::refresh_done, c.target, {}, &named);
            if (!read) {
                found.problems.add(located(*configuration_, c.declaration, c.target, read.error().why()));
                co_return result;
            }
            found.problems.add(located(*configuration_, c.declaration, c.target, std::move(read->warnings)));
            if (read->deferred) co_return deferred(*read->deferred);
            if (!read->object) found.problems.add(found_nothing(c));
            else if (is_valid(found, c.target, c.provider, *read->object)) {
                result.emplace();
                result->stored = configuration_->encode(c.target, c.provider, *read->object);
                result->stored.provider = c.provider;
                result->stored.private_data = std::move(read->private_data);
                result->value = std::move(read->object);
            }
        } else found.problems.add(make_error(codes::import_not_supported, {to_string(c.target)}, to_string(c.target)));
        co_return result;
    }

private:
    [[nodiscard]] static auto deferred(deferral_reason why) -> existing
    {
        existing nothing;
        nothing.deferred = why;
        return nothing;
    }
    [[nodiscard]] static auto found_nothing(change<value_type> const& c) -> diagnostic
    {
        std::string const target = to_string(c.target);
        return make_error(codes::import_found_nothing, {target, c.import_name()}, target);
    }

    [[nodiscard]] auto is_valid(
        findings& found, address const& target, std::string const& provider, value_type const& read) const -> bool
    {
        diagnostics wrong = check_object(*configuration_, target, provider, read);
        bool const valid = !wrong.has_errors();
        found.problems.add(std::move(wrong));
        return valid;
    }

    // Notes that an object is not as state describes it. Not a part of the coroutine, whose frame would contain the change.
    void note_drift(
        findings& found, address const& target, existing& of, std::optional<value_type> const& current) const
    {
        change<value_type> c;
        c.target = target;
        c.what = current ? action::update : action::destroy;
        c.provider = of.stored.provider;
        c.before = std::move(of.value);
        c.after = current;
        found.drift.push_back(std::move(c));
        if (!current) return;
        object now = configuration_->encode(target, of.stored.provider, *current);
        of.stored.attributes = std::move(now.attributes);
        of.stored.sensitive = std::move(now.sensitive);
    }

    void notify(event_kind kind, address const& target, std::string deposed_key, value_type const* object,
        std::string text = {}) const
    {
        if (!*observer_) return;
        event<value_type> e;
        e.kind = kind;
        e.target = target;
        e.deposed_key = std::move(deposed_key);
        e.operation = operation_kind::read;
        e.object = object;
        e.text = std::move(text);
        (*observer_)(e);
    }

    P const* configuration_;
    Provider* provider_;
    plan_options const* options_;
    observer<value_type> const* observer_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_OBJECT_READER_HPP
