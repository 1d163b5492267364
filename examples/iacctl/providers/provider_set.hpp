// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PROVIDER_SET_HPP
#define IACCTL_PROVIDERS_PROVIDER_SET_HPP

#include "base/expected.hpp"
#include "catalog.hpp"
#include "provider.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/program/provisioners.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::providers {

/// The providers of one run of the engine: an instance per configuration. A model of `infra::provider_for`.
///
/// Requests name the configuration as in state files: `module.m.provider["ADDRESS"].alias`. An instance is made on
/// first use. If it has not been configured by then, it has no `provider` block, and is configured with empty settings.
class provider_set {
public:
    /// \param watch  receives the events of ephemeral resources
    explicit provider_set(
        std::shared_ptr<catalog const> c, provider_context in = {}, strider::infra::observer<value> watch = {});
    provider_set(provider_set const&) = delete;
    auto operator=(provider_set const&) -> provider_set& = delete;
    ~provider_set();

    [[nodiscard]] auto configure(std::string name, value settings) -> task<strider::infra::diagnostics>;
    /// Requests all providers to end their operations soon. Thread-safe.
    void stop();
    /// Cancels running calls of functions. Thread-safe.
    void cancel_functions() const { catalog_->cancel_functions(); }

    [[nodiscard]] auto read(read_request request) -> task<expected<read_result>>;
    [[nodiscard]] auto plan(plan_request request) -> task<expected<planned>>;
    [[nodiscard]] auto read_data(data_request request) -> task<expected<read_result>>;
    [[nodiscard]] auto open_ephemeral(data_request request) -> task<expected<read_result>>;
    /// Closes all ephemeral resources, the last one first.
    [[nodiscard]] auto close_ephemeral() -> task<strider::infra::diagnostics>;
    [[nodiscard]] auto apply(apply_request request) -> task<applied>;
    /// Returns whether an operation may change anything outside of state.
    [[nodiscard]] auto has_side_effects(strider::infra::pending_operation const& operation) const -> bool;
    [[nodiscard]] auto look_up(apply_request request) -> task<looked_up>;
    [[nodiscard]] auto import_object(import_request request) -> task<expected<read_result>>;
    [[nodiscard]] auto plan_action(data_request request) -> task<strider::infra::diagnostics>;
    [[nodiscard]] auto invoke_action(invoke_request request) -> task<strider::infra::invoked>;
    [[nodiscard]] auto provision(strider::infra::provision_request<value> request) -> task<strider::infra::diagnostics>;

private:
    struct opened {  // an ephemeral resource
        std::shared_ptr<provider> by;
        strider::infra::address target;
        std::string configuration;  // of the provider
        std::vector<value> marked;  // in its configuration, and its result
    };
    struct waiter {
        boost::asio::any_io_executor executor;
        boost::asio::any_completion_handler<void()> handler;
    };
    struct instance {
        std::shared_ptr<provider> is;
        bool ready = false;
        value settings;  // with marks
        strider::infra::diagnostics problems;  // of its configuration
        std::vector<waiter> waiting;
    };

    /// Returns the instance with a name if it is configured; null otherwise.
    [[nodiscard]] auto ready(std::string_view name) const -> provider*;
    /// Makes the instance with a name, or waits until it is configured.
    [[nodiscard]] auto find(std::string const& name, strider::infra::address const& on_behalf_of)
        -> task<expected<provider*>>;
    template <class Answer, class Request>
    [[nodiscard]] auto once_ready(Request request, task<Answer> (provider::*call)(Request)) -> task<Answer>;
    /// Calls the provider of a request. Its diagnostics do not show marked values of the request or of its settings.
    template <class Answer, class Request>
    [[nodiscard]] auto ask(Request request, task<Answer> (provider::*call)(Request)) -> task<Answer>;
    /// Hides marked values in the diagnostics of an answer: those that the provider got, and those of its settings.
    template <class Answer>
    [[nodiscard]] auto hiding(task<Answer> work, std::string name, std::vector<value> given) const -> task<Answer>;
    void hide(strider::infra::diagnostics& in, std::string_view name, std::vector<value> const& given) const;
    [[nodiscard]] auto make(std::string_view name, provider_source& source) const -> std::shared_ptr<provider>
    {
        return context_.make ? context_.make(name, source, context_) : source.make(context_);
    }
    /// Finds the objects of a block `list`, which the engine treats as an ephemeral resource.
    [[nodiscard]] auto list(data_request request) -> task<expected<read_result>>;
    [[nodiscard]] auto configure_instance(instance& i, value settings) -> task<strider::infra::diagnostics>;
    void end_configuration(instance& i, strider::infra::diagnostics problems);

    std::shared_ptr<catalog const> catalog_;
    provider_context context_;
    strider::infra::observer<value> watch_;
    mutable std::shared_mutex lock_;
    std::map<std::string, instance, std::less<>> instances_;  // references to elements remain valid
    std::atomic<bool> has_marked_settings_ = false;
    std::vector<opened> opened_;
};

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_PROVIDER_SET_HPP
