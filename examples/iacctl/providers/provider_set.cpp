// SPDX-License-Identifier: BSL-1.0
#include "provider_set.hpp"

#include "base/provider_address.hpp"
#include "language/evaluation/evaluate.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "operation.hpp"
#include "provisioners.hpp"
#include "redaction.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

namespace asio = boost::asio;
using messages::make_error;
using strider::infra::diagnostics;
using strider::infra::event_kind;
using strider::infra::failure;

class empty_scope final : public language::scope {
public:
    [[nodiscard]] auto resolve(language::reference const&, diagnostics&) const -> value override { return {}; }
};

// The settings of a provider without a block; nothing if it requires one.
auto no_settings(language::schema const& s) -> std::optional<value>
{
    if (std::ranges::any_of(s.attributes, &language::schema_attribute::required)) return std::nullopt;
    if (std::ranges::any_of(s.blocks, [](auto const& item) { return item.min_items > 0; })) return std::nullopt;
    diagnostics none;
    return language::evaluate_body({}, s, empty_scope(), none);
}

// Emits events of an ephemeral resource with the time since the first one.
class stopwatch {
public:
    stopwatch(strider::infra::observer<value> const& watch, strider::infra::address target)
        : watch_(&watch),
          target_(std::move(target))
    {}
    void emit(event_kind kind) const
    {
        if (!*watch_) return;
        strider::infra::event<value> e;
        e.kind = kind;
        e.target = target_;
        e.elapsed = std::chrono::steady_clock::now() - begun_;
        (*watch_)(e);
    }

private:
    strider::infra::observer<value> const* watch_;
    strider::infra::address target_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// The name of the configuration, and the object of a request.
auto name_in(auto const& request) -> std::string const&
{
    return request.provider;
}
auto name_in(apply_request const& request) -> std::string const&
{
    return request.operation.provider;
}
auto target_in(auto const& request) -> strider::infra::address const&
{
    return request.target;
}
auto target_in(apply_request const& request) -> strider::infra::address const&
{
    return request.operation.target;
}

// The values of a request that have marks.
auto marked_in(auto const& request) -> std::vector<value>
{
    std::vector<value> marked;
    auto const add = [&](std::optional<value> const& v) {
        if (v && v->deep_marks() != language::mark::none) marked.push_back(*v);
    };
    if constexpr (requires { request.prior; }) add(request.prior);
    if constexpr (requires { request.planned; }) add(request.planned);
    if constexpr (requires { request.config; }) add(request.config);
    return marked;
}

// Replaces the diagnostics of an answer by what `change` makes of them, if there are any.
template <class T, class Change>
void change_problems(expected<T>& answer, Change change)
{
    if (!answer) {
        auto why = answer.error().why();
        change(why);
        answer = failure(std::move(why));
    } else change(answer->warnings);
}
void change_problems(applied& answer, auto change)
{
    change(answer.problems);
}
void change_problems(strider::infra::invoked& answer, auto change)
{
    change(answer.problems);
}
void change_problems(looked_up&, auto) {}
void change_problems(diagnostics& answer, auto change)
{
    change(answer);
}

// A type that has a place on other machines although its provider is a plug-in, which works on this one.
auto misplaced(provider_source const& source, provider_schema const& schema, operation_runner const* placed)
    -> std::optional<strider::infra::diagnostic>
{
    using strider::infra::resource_mode;
    if (placed == nullptr || source.is_built_in()) return std::nullopt;
    for (auto const mode : {resource_mode::managed, resource_mode::data})
        for (auto const& [type, content] : schema.of(mode))
            if (placed->has(mode, type)) return make_error(messages::place_of_plugin, {type, source.address()});
    return std::nullopt;
}

// The answer to a request to a provider without an instance.
template <class T>
void refuse(expected<T>& answer, failure const& why, auto const&)
{
    answer = why;
}
void refuse(applied& answer, failure const& why, apply_request const& request)
{
    answer = applied(request.prior, why.why());
}
void refuse(looked_up&, failure const&, apply_request const&) {}
void refuse(strider::infra::invoked& answer, failure const& why, auto const&)
{
    answer.problems = why.why();
}
void refuse(diagnostics& answer, failure const& why, auto const&)
{
    answer = why.why();
}

}  // namespace

provider_set::provider_set(std::shared_ptr<catalog const> c, provider_context in, strider::infra::observer<value> watch)
    : catalog_(std::move(c)),
      context_(std::move(in)),
      watch_(std::move(watch))
{}

provider_set::~provider_set() = default;

auto provider_set::configure_instance(instance& i, value settings) -> task<diagnostics>
{
    diagnostics problems;
    auto const marked = settings;
    try {
        auto configuring = i.is->configure(std::move(settings));
        problems = co_await std::move(configuring);
    } catch (std::exception const& e) {
        problems.add(make_error(messages::provider_not_configured, {e.what()}));
    }
    hide(problems, {}, {marked});
    end_configuration(i, problems);
    co_return problems;
}

void provider_set::end_configuration(instance& i, diagnostics problems)
{
    std::vector<waiter> waiting;
    {
        std::scoped_lock const held(lock_);
        i.ready = true;
        if (problems.has_errors()) i.problems = std::move(problems);
        waiting.swap(i.waiting);
    }
    for (waiter& other : waiting) asio::post(other.executor, std::move(other.handler));
}

auto provider_set::configure(std::string name, value settings) -> task<diagnostics>
{
    provider_source* const source = catalog_->find(provider_address_in(name));
    if (source == nullptr) co_return diagnostics();
    auto const schema = source->schema();
    if (!schema) co_return schema.error().why();
    if (auto const wrong = misplaced(*source, **schema, context_.placed.get())) co_return failure(*wrong).why();
    instance* one = nullptr;
    {
        std::scoped_lock const held(lock_);
        auto const [at, added] = instances_.try_emplace(name);
        one = &at->second;
        if (!added) {  // configured by an earlier phase of the same run
            one->ready = false;
            one->problems = {};
        }
        one->is = make(name, *source);
        one->settings = settings;
    }
    if (settings.deep_marks() != language::mark::none) has_marked_settings_ = true;
    auto configuring = configure_instance(*one, std::move(settings));
    co_return co_await std::move(configuring);
}

void provider_set::stop()
{
    std::scoped_lock const held(lock_);
    for (auto const& [name, one] : instances_)
        if (one.ready) one.is->stop();
}

auto provider_set::ready(std::string_view name) const -> provider*
{
    std::shared_lock const held(lock_);
    auto const found = instances_.find(name);
    bool const usable = found != instances_.end() && found->second.ready && found->second.problems.empty();
    return usable ? found->second.is.get() : nullptr;
}

auto provider_set::find(std::string const& name, strider::infra::address const& on_behalf_of)
    -> task<expected<provider*>>
{
    provider_source* const source = catalog_->find(provider_address_in(name));
    if (source == nullptr) co_return failure(catalog_->why_without_type(name, on_behalf_of));
    auto const schema = source->schema();
    if (!schema) co_return schema.error();
    if (auto const wrong = misplaced(*source, **schema, context_.placed.get())) co_return failure(*wrong);
    instance* one = nullptr;
    bool first = false;
    {
        std::scoped_lock const held(lock_);
        auto const [at, added] = instances_.try_emplace(name);
        one = &at->second;
        first = added;
        if (first) one->is = make(name, *source);
    }
    if (first) {
        auto const settings = no_settings((*schema)->settings);
        if (settings) {
            auto configuring = configure_instance(*one, *settings);
            (void)co_await std::move(configuring);
        } else end_configuration(*one, {make_error(messages::provider_block_missing, {source->address()})});
    } else {
        auto const executor = co_await asio::this_coro::executor;
        auto wait = [this, one, executor](auto handler) {
            std::unique_lock held(lock_);
            if (!one->ready) {
                one->waiting.push_back({executor, std::move(handler)});
                return;
            }
            held.unlock();
            asio::post(executor, std::move(handler));
        };
        co_await asio::async_initiate<asio::use_awaitable_t<> const, void()>(std::move(wait), asio::use_awaitable);
    }
    std::scoped_lock const held(lock_);
    if (!one->problems.empty()) co_return failure(one->problems);
    co_return one->is.get();
}

template <class Answer, class Request>
auto provider_set::once_ready(Request request, task<Answer> (provider::*call)(Request)) -> task<Answer>
{
    Answer answer;
    auto finding = find(name_in(request), target_in(request));
    auto const one = co_await std::move(finding);
    if (!one) {
        refuse(answer, one.error(), request);
        co_return answer;
    }
    auto working = ((*one)->*call)(std::move(request));
    co_return co_await std::move(working);
}

void provider_set::hide(diagnostics& in, std::string_view name, std::vector<value> const& given) const
{
    if (in.empty()) return;
    redaction hidden;
    for (value const& one : given) hidden.hide(one);
    for (value const& one : context_.marked) hidden.hide(one);
    {
        std::shared_lock const held(lock_);
        auto const by = instances_.find(name);
        if (by != instances_.end()) hidden.hide(by->second.settings);
    }
    hidden.apply(in);
}

template <class Answer>
auto provider_set::hiding(task<Answer> work, std::string name, std::vector<value> given) const -> task<Answer>
{
    Answer answer = co_await std::move(work);
    change_problems(answer, [&](diagnostics& problems) { hide(problems, name, given); });
    co_return answer;
}

template <class Answer, class Request>
auto provider_set::ask(Request request, task<Answer> (provider::*call)(Request)) -> task<Answer>
{
    auto const begin = [&] {
        if (provider* const one = ready(name_in(request))) return (one->*call)(std::move(request));
        return once_ready(std::move(request), call);
    };
    auto marked = marked_in(request);
    bool const by_name = std::is_same_v<Request, import_request>;  // the id may be marked in the configuration
    if (marked.empty() && !by_name && !has_marked_settings_) return begin();
    std::string name = name_in(request);
    return hiding(begin(), std::move(name), std::move(marked));
}

auto provider_set::read(read_request request) -> task<expected<read_result>>
{
    return ask(std::move(request), &provider::read);
}

auto provider_set::plan(plan_request request) -> task<expected<planned>>
{
    return ask(std::move(request), &provider::plan);
}

auto provider_set::read_data(data_request request) -> task<expected<read_result>>
{
    return ask(std::move(request), &provider::read_data);
}

auto provider_set::list(data_request request) -> task<expected<read_result>>
{
    std::string const about = to_string(request.target);
    if (!request.config.wholly_known()) co_return failure(make_error(messages::list_arguments_unknown, {about}, about));
    list_request desired(request.target, request.provider, request.config.unmarked_deep());
    if (desired.limit < 0) {
        auto wrong = make_error(messages::list_limit_negative, {about}, about);
        wrong.attribute = "limit";
        co_return failure(std::move(wrong));
    }
    desired.with_objects |= context_.lists_whole_objects;
    auto listing = once_ready(std::move(desired), &provider::list);
    auto found = co_await std::move(listing);
    if (!found || !found->object) co_return found;
    value const& config = *request.config.find("config");
    if (context_.listed)
        context_.listed({std::move(request.target), std::move(request.provider), config, *found->object});
    found->object = value::object({{"config", config}, {"data", *std::move(found->object)}});
    co_return found;
}

auto provider_set::open_ephemeral(data_request request) -> task<expected<read_result>>
{
    std::string const name = request.provider;
    auto marked = marked_in(request);
    if (request.target.mode() == strider::infra::resource_mode::list) {
        auto listing = hiding(list(std::move(request)), name, std::move(marked));
        co_return co_await std::move(listing);
    }
    strider::infra::address const target = request.target;
    bool const opens = request.config.wholly_known();
    stopwatch const timing(watch_, target);
    timing.emit(opens ? event_kind::ephemeral_opening : event_kind::ephemeral_deferred);
    auto opening = ask(std::move(request), &provider::open_ephemeral);
    auto made = co_await std::move(opening);
    if (made && opens) timing.emit(event_kind::ephemeral_opened);
    if (opens) {
        std::scoped_lock const held(lock_);
        auto const by = instances_.find(name);
        if (made && made->object) marked.push_back(made->object->with_marks(language::mark::ephemeral));
        if (by != instances_.end()) opened_.push_back({by->second.is, target, name, std::move(marked)});
    }
    co_return made;
}

auto provider_set::close_ephemeral() -> task<diagnostics>
{
    decltype(opened_) all;
    {
        std::scoped_lock const held(lock_);
        all.swap(opened_);
    }
    diagnostics problems;
    for (; !all.empty(); all.pop_back()) {
        opened const& one = all.back();
        stopwatch const timing(watch_, one.target);
        timing.emit(event_kind::ephemeral_closing);
        auto closing = one.by->close_ephemeral(one.target);
        auto found = co_await std::move(closing);
        hide(found, one.configuration, one.marked);
        if (!found.has_errors()) timing.emit(event_kind::ephemeral_closed);
        problems.add(std::move(found));
    }
    co_return problems;
}

auto provider_set::apply(apply_request request) -> task<applied>
{
    return ask(std::move(request), &provider::apply);
}

auto provider_set::has_side_effects(strider::infra::pending_operation const& operation) const -> bool
{
    provider const* const one = ready(operation.provider);
    return one == nullptr || one->has_side_effects(operation.target.type());
}

auto provider_set::look_up(apply_request request) -> task<looked_up>
{
    return ask(std::move(request), &provider::look_up);
}

auto provider_set::import_object(import_request request) -> task<expected<read_result>>
{
    return ask(std::move(request), &provider::import_object);
}

auto provider_set::plan_action(data_request request) -> task<diagnostics>
{
    return ask(std::move(request), &provider::plan_action);
}

auto provider_set::invoke_action(invoke_request request) -> task<strider::infra::invoked>
{
    return ask(std::move(request), &provider::invoke_action);
}

auto provider_set::provision(strider::infra::provision_request<value> request) -> task<diagnostics>
{
    auto marked = marked_in(request);
    auto work = providers::provision(std::move(request), context_.withheld, context_.run_provisioner);
    return marked.empty() ? std::move(work) : hiding(std::move(work), {}, std::move(marked));
}

}  // namespace iacctl::providers
