// SPDX-License-Identifier: BSL-1.0
#include "run_record.hpp"

#include "base/cut_text.hpp"
#include "base/json_writer.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::server {

namespace {

constexpr std::size_t most_running_shown = 12;
constexpr std::size_t most_ended_shown = 8;
constexpr std::int64_t minute = 60'000;

// The word of an action in all views. Terraform's lines say "delete".
auto action_word(std::string const& action) -> std::string
{
    return action == "delete" ? "destroy" : action;
}

// The text in a member of a member; empty if there is none.
auto text_at(json const& line, std::string_view outer, std::string_view inner, std::string_view name) -> std::string
{
    json const* const first = line.find(outer);
    json const* const second = first != nullptr ? first->find(inner) : nullptr;
    return second != nullptr ? second->text_of(name) : std::string();
}

// An error or a warning of a line, as the rows of a page have it.
auto problem_of(json const& d) -> std::string
{
    auto const part = [](json const& of, std::string_view name) {
        return cut_text(of.text_of(name), run_record::longest_text);
    };
    json_object made;
    made.text("level", d.text_of("severity") == "error" ? "error" : "warning")
        .text("summary", part(d, "summary"))
        .text_if("detail", part(d, "detail"))
        .text_if("address", cut_text(d.text_of("address"), run_record::longest_address))
        .text_if("code", cut_text(d.text_of("code"), run_record::longest_name));
    json const* const range = d.find("range");
    json const* const start = range != nullptr ? range->find("start") : nullptr;
    json const* const number = start != nullptr ? start->find("line") : nullptr;
    auto const at = number != nullptr ? number->natural() : std::nullopt;
    if (at)
        made.text(
            "place", cut_text(range->text_of("filename"), run_record::longest_address) + ":" + std::to_string(*at));
    json const* const snippet = d.find("snippet");
    if (at && snippet != nullptr) made.text_if("source", part(*snippet, "code"));
    return made.done();
}

}  // namespace

run_record::run_record(
    std::string id, std::string const& verb, std::string const& who, std::int64_t begun, bool reported)
    : id_(std::move(id)),
      operation_(cut_text(verb, longest_name)),
      who_(cut_text(who, longest_address)),
      begun_(begun),
      reported_(reported)
{}

void run_record::begin(std::string_view of, std::string_view action, std::int64_t time)
{
    std::string address = cut_text(of, longest_address);
    if (running_.contains(address) || operations_.size() >= most_operations) return;
    running_.emplace(address, operations_.size());
    operations_.push_back({std::move(address), cut_text(action, longest_name), time});
}

void run_record::finish(std::string_view of, std::string_view action, std::int64_t time, bool failed)
{
    ++(failed ? failed_ : done_);
    std::string address = cut_text(of, longest_address);
    auto const found = running_.find(address);
    std::size_t number = operations_.size();
    if (found != running_.end()) {
        number = found->second;
        running_.erase(found);
    } else if (number < most_operations)
        operations_.push_back({std::move(address), cut_text(action, longest_name), time});
    else return;
    operations_[number].ended = time;
    operations_[number].failed = failed;
    last_ended_.push_back(number);
    if (last_ended_.size() > most_ended_shown) last_ended_.erase(last_ended_.begin());
}

void run_record::note(run_step const& step)
{
    using step_type = run_step::step_type;
    go_on();
    news_ = std::max(news_, step.time);
    if (step.what == step_type::begun) begin(step.address, step.action, step.time);
    else finish(step.address, step.action, step.time, step.what == step_type::failed);
}

void run_record::note(json const& line, std::int64_t now)
{
    std::string const type = line.text_of("type");
    go_on();
    news_ = now;
    auto const address = [&] {
        auto of_resource = text_at(line, "hook", "resource", "addr");
        return of_resource.empty() ? text_at(line, "hook", "action", "addr") : of_resource;
    };
    auto const action = [&] {
        json const* const hook = line.find("hook");
        auto const word = hook != nullptr ? hook->text_of("action") : std::string();
        return word.empty() ? std::string("invoke") : action_word(word);
    };
    if (type == "planned_change") {
        json const* const change = line.find("change");
        auto const word = change != nullptr ? change->text_of("action") : std::string();
        // A replacement is two operations.
        planned_ += word == "noop" || word == "move" ? 0U : word == "replace" ? 2U : 1U;
    } else if (type == "apply_start" || type == "action_start") begin(address(), action(), now);
    else if (type == "apply_complete" || type == "action_complete") finish(address(), action(), now, false);
    else if (type == "apply_errored" || type == "action_errored") finish(address(), action(), now, true);
    else if (type == "change_summary") {
        // The last line of a complete apply; that of a plan has another operation.
        json const* const changes = line.find("changes");
        auto const of = changes != nullptr ? changes->text_of("operation") : std::string();
        if (of == "destroy") rename(of);
        if (of == "apply" || of == "destroy") end(now, failed_ > 0 ? "failed" : "complete");
    } else if (type == "diagnostic") {
        json const* const problem = line.find("diagnostic");
        if (problem != nullptr && problems_.size() < most_problems) problems_.push_back(problem_of(*problem));
    }
}

void run_record::rename(std::string const& verb)
{
    operation_ = cut_text(verb, longest_name);
}

void run_record::end(std::int64_t when, std::string const& result)
{
    if (ended_ && !end_is_assumed_) return;
    ended_ = when;
    end_is_assumed_ = false;
    news_ = std::max(news_, when);
    result_ = cut_text(result, longest_name);
}

void run_record::assume_end(std::int64_t when, std::string const& result)
{
    if (ended_) return;
    end(when, result);
    end_is_assumed_ = true;
}

void run_record::go_on()
{
    if (!end_is_assumed_) return;
    end_is_assumed_ = false;
    ended_.reset();
    result_.clear();
}

auto run_record::json_of(operation const& one) -> std::string
{
    json_object made;
    made.text("address", one.address).text("action", one.action).raw("begun", std::to_string(one.begun));
    if (one.ended) made.raw("ended", std::to_string(*one.ended));
    if (one.failed) made.flag("failed", true);
    return made.done();
}

auto run_record::has_done(std::string_view address) const -> bool
{
    return std::ranges::any_of(
        operations_, [&](operation const& one) { return one.ended && !one.failed && one.address == address; });
}

auto run_record::went_on_at(std::int64_t when) const noexcept -> bool
{
    return begun_ - minute <= when && when <= ended_.value_or(when) + minute;
}

auto run_record::text(depth of) const -> std::string
{
    json_object made;
    made.text("id", id_).text("operation", operation_).text("who", who_).raw("begun", std::to_string(begun_));
    if (ended_) made.raw("ended", std::to_string(*ended_)).text_if("result", result_);
    made.flag("reported", reported_).number("done", done_).number("failed", failed_).number("at_once", running_.size());
    if (planned_ > 0) made.number("planned", planned_);
    if (of == depth::counts) return made.done();
    bool const whole = of == depth::whole;
    json_array problems;
    for (std::string const& one : problems_)
        if (whole || problems.empty()) problems.raw(one);
    if (!problems.empty()) made.raw("problems", problems.done());
    if (whole) {
        json_array all;
        for (operation const& one : operations_) all.raw(json_of(one));
        return made.raw("operations", all.done()).done();
    }
    json_array running;
    std::size_t shown = 0;
    for (auto const& [_, number] : running_)
        if (shown++ < most_running_shown) running.raw(json_of(operations_[number]));
    json_array ended;
    for (std::size_t const number : last_ended_) ended.raw(json_of(operations_[number]));
    return made.raw("running", running.done()).raw("last", ended.done()).done();
}

}  // namespace iacctl::server
