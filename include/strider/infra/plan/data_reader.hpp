// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_DATA_READER_HPP
#define STRIDER_INFRA_PLAN_DATA_READER_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace strider::infra {

/// Reads data from providers and notifies the observer.
template <program P, provider_for<P> Provider>
class data_reader {
    using value_type = typename P::value_type;

public:
    /// The data that were read. A class, because it is passed through coroutines.
    class reading {
    public:
        std::optional<value_type> value;  ///< empty: they could not be read
        object stored;                    ///< in the format of state
        std::chrono::nanoseconds elapsed{};  ///< duration of the provider call
        std::optional<deferral_reason> deferred;  ///< the provider cannot read them yet
    };

    /// All references must outlive the reader. \param now  time for the elapsed time of events
    data_reader(P const& configuration, Provider& provider, observer<value_type> const& observe, clock_reading now)
        : configuration_(&configuration),
          provider_(&provider),
          observer_(&observe),
          now_(std::move(now))
    {}

    /// \param c         the data; only address and provider are used
    /// \param problems  receives errors and warnings
    [[nodiscard]] auto read(diagnostics& problems, change<value_type> const& c, value_type config) const
        -> task<reading>
    {
        reading result;
        if constexpr (has_data_sources<Provider, P>) {
            notify(event_kind::operation_started, c, nullptr, {});
            auto const started = now_();
            data_request<value_type> request(c.target, c.provider, std::move(config));
            auto reading_data = provider_->read_data(std::move(request));
            auto answer = co_await std::move(reading_data);
            result.elapsed = now_() - started;
            if (answer) {
                problems.add(located(*configuration_, c.declaration, c.target, std::move(answer->warnings)));
                result.deferred = answer->deferred;
                if (result.deferred) co_return result;
                if (!answer->object) answer = failure(make_error(codes::no_data_read, {to_string(c.target)}));
                else if (diagnostics wrong = check_object(*configuration_, c.target, c.provider, *answer->object);
                    wrong.has_errors())
                    answer = failure(std::move(wrong));
            }
            if (answer) {
                result.stored = configuration_->encode(c.target, c.provider, *answer->object);
                result.stored.provider = c.provider;
                result.value = std::move(answer->object);
            } else {
                problems.add(located(*configuration_, c.declaration, c.target, answer.error().why()));
                notify(event_kind::operation_failed, c, nullptr, result.elapsed);
            }
        } else problems.add(make_error(codes::data_not_supported, {to_string(c.target)}, to_string(c.target)));
        co_return result;
    }

    /// Returns the object that state records for data of a check that could not be read: their configuration.
    [[nodiscard]] auto unread_object(change<value_type> const& c, value_type config) const
        -> task<std::optional<object>>
    {
        plan_request<value_type> request(c.target, c.provider, std::nullopt, std::move(config));
        auto planning = provider_->plan(std::move(request));
        auto answer = co_await std::move(planning);
        if (!answer) co_return std::nullopt;
        object made = configuration_->encode(c.target, c.provider, answer->after);
        made.provider = c.provider;
        co_return made;
    }

    /// Called when the result is durable. \pre data were read
    void notify_done(change<value_type> const& c, reading const& result) const
    {
        notify(event_kind::operation_done, c, &*result.value, result.elapsed);
    }

private:
    void notify(
        event_kind kind, change<value_type> const& c, value_type const* object, std::chrono::nanoseconds elapsed) const
    {
        if (!*observer_) return;
        event<value_type> e{kind, c.target, {}, operation_kind::read, object};
        e.elapsed = elapsed;
        (*observer_)(e);
    }

    P const* configuration_;
    Provider* provider_;
    observer<value_type> const* observer_;
    clock_reading now_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_DATA_READER_HPP
