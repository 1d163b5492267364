// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_JOURNAL_JOURNAL_ENTRY_HPP
#define STRIDER_INFRA_JOURNAL_JOURNAL_ENTRY_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace strider::infra {

/// One change of state. `replay` of all entries in order produces the state; nothing else changes it.
///
/// A class with factory functions instead of an aggregate, because entries are passed through coroutines.
class journal_entry {
public:
    /// The kind of an entry, which determines the members that it has.
    enum class kind_type : std::uint8_t {
        begin,           ///< a provider call follows; a create may depose the current object
        end,             ///< the provider call ended
        record,  ///< sets an object: a refresh read it, its dependencies changed, or it was created and its
        ///< create operation continues
        remove,  ///< an object was destroyed or forgotten without a provider call
        output,  ///< the value of a root output
        output_removed,
        checks,  ///< results of checks
    };

    journal_entry() = default;

    /// An entry before a provider call.
    [[nodiscard]] static auto begin(pending_operation operation) -> journal_entry
    {
        journal_entry e(kind_type::begin, operation.target, operation.deposed_key);
        e.operation_ = std::move(operation);
        return e;
    }
    /// \param result  the object that the provider returned, with or without an error; empty: none
    [[nodiscard]] static auto end(pending_operation const& operation, std::optional<object> result, bool failed)
        -> journal_entry
    {
        journal_entry e(kind_type::end, operation.target, operation.deposed_key);
        e.operation_ = operation;
        e.operation_.request = {};
        e.operation_.sensitive = {};
        e.object_ = std::move(result);
        e.failed_ = failed;
        return e;
    }
    /// Sets an object without a provider call. \param deposed_key  empty: the current object
    [[nodiscard]] static auto record(address target, std::string deposed_key, object as_found) -> journal_entry
    {
        journal_entry e(kind_type::record, std::move(target), std::move(deposed_key));
        e.object_ = std::move(as_found);
        return e;
    }
    /// Removes an object without a provider call. \param deposed_key  empty: the current object
    [[nodiscard]] static auto remove(address target, std::string deposed_key) -> journal_entry
    {
        return {kind_type::remove, std::move(target), std::move(deposed_key)};
    }
    /// Sets the value of a root output.
    [[nodiscard]] static auto output(std::string name, output_value value) -> journal_entry
    {
        journal_entry e(kind_type::output, {}, {});
        e.output_name_ = std::move(name);
        e.output_ = std::move(value);
        return e;
    }
    /// Removes a root output.
    [[nodiscard]] static auto output_removed(std::string name) -> journal_entry
    {
        journal_entry e(kind_type::output_removed, {}, {});
        e.output_name_ = std::move(name);
        return e;
    }
    /// Replaces the results of all checks.
    [[nodiscard]] static auto checks(document results) -> journal_entry
    {
        journal_entry e(kind_type::checks, {}, {});
        e.output_.value = std::move(results);
        return e;
    }

    /// The kind.
    [[nodiscard]] auto kind() const noexcept -> kind_type { return kind_; }
    /// The instance; empty for an entry of state.
    [[nodiscard]] auto target() const noexcept -> address const& { return target_; }
    /// The key of a deposed object; empty for the current one.
    [[nodiscard]] auto deposed_key() const noexcept -> std::string const& { return deposed_key_; }
    /// \pre kind() is begin or end
    [[nodiscard]] auto operation() const noexcept -> pending_operation const& { return operation_; }
    /// The object of an end or a record; empty for other kinds, and if there is no object.
    [[nodiscard]] auto result() const noexcept -> std::optional<object> const& { return object_; }
    /// True for the end of a call that failed.
    [[nodiscard]] auto failed() const noexcept -> bool { return failed_; }
    /// The name of a root output; empty unless the entry is about one.
    [[nodiscard]] auto output_name() const noexcept -> std::string const& { return output_name_; }
    /// The value of an output; for checks, their results are in its `value`.
    [[nodiscard]] auto output_content() const noexcept -> output_value const& { return output_; }
    /// True for outputs and results of checks, which belong to no object.
    [[nodiscard]] auto is_of_state() const noexcept -> bool
    {
        return kind_ == kind_type::output || kind_ == kind_type::output_removed || kind_ == kind_type::checks;
    }

    /// Compares all members.
    friend auto operator==(journal_entry const&, journal_entry const&) -> bool = default;

private:
    journal_entry(kind_type kind, address target, std::string deposed_key)
        : target_(std::move(target)),
          deposed_key_(std::move(deposed_key)),
          kind_(kind)
    {}

    address target_;
    std::string deposed_key_;
    pending_operation operation_;
    std::optional<object> object_;
    std::string output_name_;
    output_value output_;
    kind_type kind_ = kind_type::record;
    bool failed_ = false;
};

/// Applies one entry to a snapshot. The engine, recovery and simulators change state only by this function.
///
/// *Begin* deposes and *end* restores an object, so that no early return can omit either.
///
/// \complexity O(log resources).
/// \return graph_errc::unknown_vertex if the entry ends an operation that was not begun, or removes an object that
/// does not exist.
[[nodiscard]] inline auto replay(snapshot& s, journal_entry const& e) -> result<void>
{
    using kind = journal_entry::kind_type;
    auto const unknown = [&] { return graph_error(graph_errc::unknown_vertex, to_string(e.target())); };
    auto const place = [&](resource_record& r, object o) {
        if (e.deposed_key().empty()) r.current = std::move(o);
        else r.deposed.insert_or_assign(e.deposed_key(), std::move(o));
    };
    auto const drop = [&](resource_record& r) {
        if (e.deposed_key().empty()) r.current.reset();
        else r.deposed.erase(e.deposed_key());
    };
    auto const tidy = [&] {
        auto const at = s.resources.find(e.target());
        if (at != s.resources.end() && !at->second.current && at->second.deposed.empty()) s.resources.erase(at);
    };

    switch (e.kind()) {
    case kind::begin: {
        s.pending.insert_or_assign(e.operation().operation, e.operation());
        auto const at = s.resources.find(e.target());
        bool const deposes = e.operation().kind == operation_kind::create && !e.deposed_key().empty();
        if (!deposes || at == s.resources.end() || !at->second.current) return {};
        at->second.deposed.insert_or_assign(e.deposed_key(), std::move(*at->second.current));
        at->second.current.reset();
        break;
    }
    case kind::end: {
        if (s.pending.erase(e.operation().operation) == 0) return unknown();
        if (e.operation().kind == operation_kind::invoke) break;
        resource_record& r = s.resources[e.target()];
        if (e.operation().kind == operation_kind::destroy) {
            if (e.result()) place(r, *e.result());
            else if (!e.failed()) drop(r);
        } else if (e.result()) r.current = *e.result();
        else if (e.operation().kind == operation_kind::create) {
            if (r.current && r.current->unfinished)
                r.current.reset();  // recorded by the create, which returned no object in the end
            auto const prior = r.current ? r.deposed.end() : r.deposed.find(e.deposed_key());
            if (prior != r.deposed.end()) {
                r.current = std::move(prior->second);
                r.deposed.erase(prior);
            }
        }
        tidy();
        break;
    }
    case kind::record: place(s.resources[e.target()], e.result().value_or(object{})); break;
    case kind::remove: {
        auto const at = s.resources.find(e.target());
        if (at == s.resources.end()) return unknown();
        drop(at->second);
        tidy();
        break;
    }
    case kind::output: s.outputs.insert_or_assign(e.output_name(), e.output_content()); break;
    case kind::output_removed: s.outputs.erase(e.output_name()); break;
    case kind::checks: s.checks = e.output_content().value; break;
    }
    ++s.serial;
    return {};
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_JOURNAL_JOURNAL_ENTRY_HPP
