// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_CLOUD_HPP
#define STRIDER_INFRA_SIM_CLOUD_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/sim/cloud_conditions.hpp>
#include <strider/infra/sim/toy_value.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// One call of a provider to a cloud. Stamps come from one counter; 0: that point was not reached.
struct cloud_operation {
    operation_kind kind = operation_kind::create;  ///< as requested by the engine
    address target;  ///< the instance
    std::string deposed_key;  ///< as in the request; empty: the current object
    std::string key;  ///< idempotency key
    std::string object;  ///< id of the created, changed or destroyed object; empty: none
    std::uint64_t begin = 0;  ///< stamp of the start
    std::uint64_t end = 0;  ///< stamp of the end; 0 while the call is in progress
    bool failed = false;  ///< the call ended with an error

    /// "toy.a create", "toy.a destroy"; "toy.a destroy deposed" for an object that is not the current one.
    [[nodiscard]] auto name() const -> std::string
    {
        bool const of_deposed = kind == operation_kind::destroy && !deposed_key.empty();
        return to_string(target) + " " + std::string(to_string(kind)) + (of_deposed ? " deposed" : "");
    }
};

/// A simulated cloud: the objects that exist, independent of state, and a log of all operations.
///
/// It outlives engines, executors and crashes. Not thread-safe: providers access it on a strand.
class cloud {
public:
    /// An object that exists.
    struct resource {
        address target;  ///< the address for which it was created
        toy_value value;  ///< its present attributes
    };

    /// All existing objects by id.
    [[nodiscard]] auto resources() const noexcept -> std::map<std::string, resource> const& { return resources_; }
    /// All calls that change objects, in order of their starts, over all runs.
    [[nodiscard]] auto log() const noexcept -> std::vector<cloud_operation> const& { return log_; }
    /// The stamp of the last begin or end of a call.
    [[nodiscard]] auto now() const noexcept -> std::uint64_t { return clock_; }
    /// The object with an id, or null.
    [[nodiscard]] auto find(std::string const& id) const -> resource const*
    {
        auto const at = resources_.find(id);
        return at == resources_.end() ? nullptr : &at->second;
    }
    /// The ids of all existing objects that were created for an address.
    [[nodiscard]] auto made_for(address const& target) const -> std::vector<std::string>
    {
        std::vector<std::string> ids;
        for (auto const& [id, it] : resources_)
            if (it.target == target) ids.push_back(id);
        return ids;
    }

    /// Idempotency keys of more than one operation.
    [[nodiscard]] auto duplicates() const -> std::vector<std::string>
    {
        std::map<std::string, std::size_t> begun;
        std::vector<std::string> twice;
        for (cloud_operation const& o : log_)
            if (++begun[o.key] == 2) twice.push_back(o.key);
        return twice;
    }
    /// Names of the operations that succeeded, in the order of their begin.
    [[nodiscard]] auto order() const -> std::vector<std::string>
    {
        std::vector<std::string> names;
        for (std::size_t i = first_; i < log_.size(); ++i)
            if (log_[i].end != 0 && !log_[i].failed) names.push_back(log_[i].name());
        return names;
    }
    /// The most recent operation with a name, or null.
    [[nodiscard]] auto find_operation(std::string_view name) const -> cloud_operation const*
    {
        for (std::size_t i = log_.size(); i-- > first_;)
            if (log_[i].name() == name) return &log_[i];
        return nullptr;
    }
    /// True if the first operation ended before the second began. False if one of them did not succeed.
    [[nodiscard]] auto before(std::string_view first, std::string_view second) const -> bool
    {
        auto const* const a = find_operation(first);
        auto const* const b = find_operation(second);
        return a != nullptr && b != nullptr && a->end != 0 && a->end < b->begin;
    }
    /// Restricts `order`, `commands` and look-ups by name to later operations.
    void start_new_log()
    {
        first_ = log_.size();
        commands_.clear();
    }
    /// Commands of provisioners, "toy.a: command", and configurations of providers, "provider.p: host=toy.a#1", and of invoked
    /// actions, "action.toy.n: size=1", in order.
    [[nodiscard]] auto commands() const noexcept -> std::vector<std::string> const& { return commands_; }

    /// The conditions of the current run.
    [[nodiscard]] auto conditions() const noexcept -> cloud_conditions const& { return conditions_; }
    /// Sets the conditions of the next run. Operations of drifts are counted from here.
    void set_conditions(cloud_conditions conditions)
    {
        conditions_ = std::move(conditions);
        drifts_from_ = log_.size();
        if (conditions_.stale_reads == 0) unseen_.clear();
        window_begin_ = {};
        requests_ = 0;
    }
    /// True if the id of an object is an attribute of another one, or an element of it.
    [[nodiscard]] auto is_referenced(std::string const& id) const -> bool
    {
        return std::any_of(resources_.begin(), resources_.end(), [&](auto const& other) {
            auto const& attributes = other.second.value.attributes();
            return other.first != id && std::any_of(attributes.begin(), attributes.end(), [&](auto const& attribute) {
                return attribute.second && ("," + *attribute.second + ",").find("," + id + ",") != std::string::npos;
            });
        });
    }

    /// Changes an object from outside.
    void change_outside(std::string const& id, std::string attribute, std::string text)
    {
        resources_.at(id).value.set(std::move(attribute), std::move(text));
    }
    /// Creates an object from outside.
    void create_outside(std::string const& id, address target, toy_value value)
    {
        value.set("id", id);
        resources_.insert_or_assign(id, resource{std::move(target), std::move(value)});
    }
    /// Destroys an object from outside.
    void destroy_outside(std::string const& id) { resources_.erase(id); }

    // Used by providers.
    /// Adds a command of a provisioner to `commands()`.
    void run(address const& target, std::string const& command)
    {
        commands_.push_back(to_string(target) + ": " + command);
    }
    /// Adds the configuration of a provider or action to `commands()`; unknown attributes are shown as "?".
    void record_configuration(std::string const& name, toy_value const& config)
    {
        std::string text = name + ":";
        for (auto const& [attribute, known] : config.attributes()) text += " " + attribute + "=" + known.value_or("?");
        commands_.push_back(std::move(text));
    }
    /// False if every request is admitted.
    [[nodiscard]] auto limits_requests() const noexcept -> bool
    {
        return conditions_.requests != 0 || conditions_.outage_begin != conditions_.outage_end;
    }
    /// Counts a request at a time of the clock of the provider.
    [[nodiscard]] auto admit(std::chrono::nanoseconds now) -> admission
    {
        if (now >= conditions_.outage_begin && now < conditions_.outage_end) return admission::unavailable;
        if (conditions_.requests == 0) return admission::admitted;
        if (requests_ == 0 || now < window_begin_ || now - window_begin_ >= conditions_.window) {
            window_begin_ = now;
            requests_ = 0;
        }
        if (requests_ == conditions_.requests) return admission::throttled;
        ++requests_;
        return admission::admitted;
    }
    /// The value of an object as a read sees it: the reads after a change may see the one before.
    [[nodiscard]] auto read(std::string const& id) -> std::optional<toy_value>
    {
        if (auto const stale = unseen_.find(id); stale != unseen_.end() && stale->second.reads != 0) {
            --stale->second.reads;
            return stale->second.before;
        }
        resource const* const found = find(id);
        return found == nullptr ? std::nullopt : std::optional(found->value);
    }
    /// Performs the changes from outside that are due, then starts a call. \return its position in `log()`
    auto begin(pending_operation const& o) -> std::size_t
    {
        for (drift const& d : conditions_.drifts)
            if (d.operation == log_.size() - drifts_from_ + 1 && find(d.id) != nullptr) {
                if (d.text) change_outside(d.id, d.attribute, *d.text);
                else destroy_outside(d.id);
            }
        log_.push_back({o.kind, o.target, o.deposed_key, o.operation, {}, ++clock_, 0, false});
        return log_.size() - 1;
    }
    /// Ends a call. \pre `begin` returned the operation
    void end(std::size_t operation, bool failed)
    {
        log_[operation].end = ++clock_;
        log_[operation].failed = failed;
    }
    /// \return the value with the id of the new object in the attribute "id"
    auto make(std::size_t operation, toy_value value) -> toy_value
    {
        cloud_operation& o = log_[operation];
        o.object = to_string(o.target) + "#" + std::to_string(++made_[o.target]);
        value.set("id", o.object);
        note_change(o.object);
        resources_.insert_or_assign(o.object, resource{o.target, value});
        return value;
    }
    /// Replaces the attributes of an object. \pre the object exists, else std::out_of_range
    void change(std::size_t operation, std::string const& id, toy_value value)
    {
        log_[operation].object = id;
        note_change(id);
        resources_.at(id).value = std::move(value);
    }
    /// Removes an object; no effect if it does not exist.
    void destroy(std::size_t operation, std::string const& id)
    {
        log_[operation].object = id;
        note_change(id);
        resources_.erase(id);
    }
    /// Makes sure that an operation that was not done is not done later: its key is refused from now on.
    void revoke(std::string key) { revoked_.insert(std::move(key)); }
    /// True if the key of a call was revoked.
    [[nodiscard]] auto is_revoked(std::size_t operation) const -> bool
    {
        return revoked_.contains(log_[operation].key);
    }
    /// The operation with an idempotency key, or null.
    [[nodiscard]] auto begun_as(std::string_view key) const -> cloud_operation const*
    {
        auto const at = std::find_if(log_.begin(), log_.end(), [&](cloud_operation const& o) { return o.key == key; });
        return at == log_.end() ? nullptr : &*at;
    }

private:
    struct unseen_change {
        std::optional<toy_value> before;
        std::uint32_t reads = 0;  // that do not see it
    };

    void note_change(std::string const& id)
    {
        if (conditions_.stale_reads == 0) return;
        resource const* const before = find(id);
        unseen_[id] = {before == nullptr ? std::nullopt : std::optional(before->value), conditions_.stale_reads};
    }

    std::map<std::string, resource> resources_;
    std::map<address, std::size_t> made_;
    std::vector<cloud_operation> log_;
    std::vector<std::string> commands_;
    std::set<std::string> revoked_;
    std::size_t first_ = 0;
    std::uint64_t clock_ = 0;
    cloud_conditions conditions_;
    std::map<std::string, unseen_change> unseen_;
    std::size_t drifts_from_ = 0;
    std::chrono::nanoseconds window_begin_{};
    std::uint32_t requests_ = 0;  // in the window
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_CLOUD_HPP
