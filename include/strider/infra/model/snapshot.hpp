// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_SNAPSHOT_HPP
#define STRIDER_INFRA_MODEL_SNAPSHOT_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/object.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace strider::infra {

/// All objects of one instance: the current one, and by key the deposed ones, which are to be destroyed.
struct resource_record {
    std::optional<object> current;  ///< the object of the instance; empty: only deposed ones exist
    std::map<std::string, object> deposed;  ///< by deposed key

    /// Compares all members.
    friend auto operator==(resource_record const&, resource_record const&) -> bool = default;
};

/// A provider call that was started and whose end is not recorded.
struct pending_operation {
    std::string operation;  ///< idempotency key
    operation_kind kind = operation_kind::create;  ///< the call that was started
    address target;  ///< instance of the object; invoke: of the action
    std::string deposed_key;  ///< create: key for the prior object; destroy: the object to destroy
    std::string provider;  ///< name of the called provider
    document request;  ///< the requested value
    document sensitive{};  ///< positions of sensitive values in it
    bool provisioned = false;  ///< provisioners are part of it: those of a destroy precede the call, others follow it

    /// Compares all members.
    friend auto operator==(pending_operation const&, pending_operation const&) -> bool = default;
};

/// State at one moment: all objects known to exist.
struct snapshot {
    std::string lineage;  ///< assigned once by the store, if it assigns any; empty before the first write
    std::uint64_t serial = 0;  ///< grows by one with each journal entry
    std::map<address, resource_record> resources;  ///< by instance
    std::map<std::string, output_value> outputs;  ///< root outputs by name
    std::map<std::string, pending_operation> pending;  ///< by idempotency key
    document checks;  ///< results of checks, in a format of the program

    /// The objects of an instance, or null. \complexity O(log resources)
    [[nodiscard]] auto find(address const& a) const -> resource_record const*
    {
        auto const found = resources.find(a);
        return found == resources.end() ? nullptr : &found->second;
    }

    /// Compares all members.
    friend auto operator==(snapshot const&, snapshot const&) -> bool = default;
};

/// The object that a pending create recorded before its end; null if there is none.
[[nodiscard]] inline auto created_by(snapshot const& s, pending_operation const& operation) -> object const*
{
    if (operation.kind != operation_kind::create) return nullptr;
    resource_record const* const record = s.find(operation.target);
    return record != nullptr && record->current && record->current->unfinished ? &*record->current : nullptr;
}

/// Treats objects that pending creates have recorded as created, while their process is still running.
inline void treat_as_created(snapshot& s)
{
    for (auto const& [_, operation] : s.pending)
        if (created_by(s, operation) != nullptr) {
            object& made = *s.resources.at(operation.target).current;
            made.tainted = false;
            made.unfinished = false;
        }
}

[[nodiscard]] inline auto is_deposed_key(std::string_view key) -> bool
{
    return key.size() == 8
        && std::all_of(key.begin(), key.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Checks for inconsistencies that no sequence of operations produces; reports all of them. The address of a
/// diagnostic is the place, as in its first argument.
///
/// Called on each read, which fails on errors, and on each write, which never fails because of them: completed
/// operations must be stored in any case. A dependency on an object that does not exist is not an inconsistency.
///
/// \complexity O(objects + their distinct sets of dependencies).
/// \source Pulumi, "State management and snapshots", Snapshot integrity.
[[nodiscard]] inline auto verify_integrity(snapshot const& s) -> diagnostics
{
    diagnostics errors;
    std::unordered_set<dependency_set::id_type> checked;  // the same sets occur many times
    auto const check = [&](address const& a, std::string_view deposed_key, object const& o) {
        auto const where = [&] { return object_name(a, deposed_key); };
        if (o.attributes.empty()) errors.add(make_error(codes::state_without_attributes, {where()}, where()));
        if (o.provider.empty()) errors.add(make_error(codes::state_without_provider, {where()}, where()));
        std::vector<std::string> const& names = o.dependencies.own_names();
        if (!names.empty() && std::binary_search(names.begin(), names.end(), to_string(a.config())))
            errors.add(make_error(codes::state_depends_on_itself, {where()}, where()));
        auto const is_new = [&](dependency_set const& d) { return checked.insert(d.id()).second; };
        o.dependencies.for_each_set(is_new, [&](dependency_set const& set) {
            for (std::string const& d : set.own_names()) {
                auto const parsed = parse_address(d);
                if (!parsed) errors.add(make_error(codes::state_invalid_dependency, {where(), d}, where()));
                else if (*parsed != parsed->config())
                    errors.add(make_error(codes::state_depends_on_instance, {where(), d}, where()));
            }
        });
    };
    for (auto const& [a, record] : s.resources) {
        if (!record.current && record.deposed.empty())
            errors.add(make_error(codes::state_without_object, {to_string(a)}, to_string(a)));
        if (record.current) check(a, {}, *record.current);
        for (auto const& [key, o] : record.deposed) {
            if (!is_deposed_key(key))
                errors.add(make_error(codes::state_invalid_deposed_key, {to_string(a), key}, to_string(a)));
            check(a, key, o);
        }
    }
    for (auto const& [operation, p] : s.pending) {
        std::string const where = to_string(p.target);
        if (operation != p.operation)
            errors.add(make_error(codes::state_misfiled_operation, {where, operation, p.operation}, where));
        if (p.kind == operation_kind::destroy) {
            resource_record const* const record = s.find(p.target);
            bool const exists = record != nullptr
                && (p.deposed_key.empty() ? record->current.has_value() : record->deposed.contains(p.deposed_key));
            if (!exists) errors.add(make_error(codes::state_destroys_nothing, {where}, where));
        }
    }
    return errors;
}

/// Checks that a state with resources or pending operations has a lineage. For stores that assign lineages.
[[nodiscard]] inline auto verify_lineage(snapshot const& s) -> diagnostics
{
    if (!s.lineage.empty() || (s.resources.empty() && s.pending.empty())) return {};
    return {make_error(codes::state_without_lineage)};
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_SNAPSHOT_HPP
