// SPDX-License-Identifier: BSL-1.0
#include "resolve.hpp"

namespace iacctl::state {

auto describe(infra::pending_operation const& p) -> std::string
{
    std::string text = infra::to_string(p.target) + ": " + std::string(infra::to_string(p.kind));
    if (p.kind == infra::operation_kind::destroy && !p.deposed_key.empty())
        text += " of deposed object " + p.deposed_key;
    return text + " (operation " + p.operation + ")";
}

namespace {

auto fits(infra::operation_kind operation, decision::kind_type decided) -> bool
{
    using kind = decision::kind_type;
    switch (operation) {
    case infra::operation_kind::create: return decided == kind::created || decided == kind::not_created;
    case infra::operation_kind::update: return decided == kind::updated || decided == kind::not_updated;
    case infra::operation_kind::destroy: return decided == kind::destroyed || decided == kind::not_destroyed;
    // A read changes nothing, so any statement that it had no effect is correct.
    case infra::operation_kind::invoke: return decided == kind::invoked || decided == kind::not_invoked;
    case infra::operation_kind::read: return decided == kind::not_created || decided == kind::not_updated;
    }
    return false;
}

}  // namespace

auto find_pending(infra::snapshot const& s, std::string_view address_or_operation) -> expected<infra::pending_operation>
{
    std::string const desired(address_or_operation);
    if (auto const by_id = s.pending.find(desired); by_id != s.pending.end()) return by_id->second;

    auto const target = infra::parse_address(desired);
    std::vector<infra::pending_operation const*> found;
    for (auto const& [id, p] : s.pending)
        if (target && p.target == *target) found.push_back(&p);
    if (found.size() == 1) return *found.front();

    std::string about = target ? desired : std::string();
    if (s.pending.empty()) return make_failure(messages::state_no_operations, {desired}, std::move(about));
    bool const several = !found.empty();
    if (!several)
        for (auto const& [id, p] : s.pending) found.push_back(&p);
    std::string list;
    for (infra::pending_operation const* p : found) list += (list.empty() ? "  - " : "\n  - ") + describe(*p);
    return make_failure(several ? messages::state_several_operations : messages::state_no_such_operation,
        {desired, list}, std::move(about));
}

auto resolve(infra::snapshot const& s, std::string_view address_or_operation, decision decided)
    -> expected<std::vector<infra::journal_entry>>
{
    using kind = decision::kind_type;
    auto const pending = find_pending(s, address_or_operation);
    if (!pending) return pending.error();
    if (!fits(pending->kind, decided.kind()))
        return make_failure(
            messages::state_decision_does_not_fit, {describe(*pending)}, infra::to_string(pending->target));

    std::optional<infra::object> object = decided.object();
    if (object) {
        if (object->attributes.empty())
            return make_failure(messages::state_decision_without_attributes, {infra::to_string(pending->target)},
                infra::to_string(pending->target));
        if (object->provider.empty()) object->provider = pending->provider;
    }
    bool const happened = decided.kind() == kind::created || decided.kind() == kind::updated
        || decided.kind() == kind::destroyed || decided.kind() == kind::invoked;
    std::vector<infra::journal_entry> entries;
    entries.push_back(infra::journal_entry::end(*pending, std::move(object), !happened));
    return entries;
}

}  // namespace iacctl::state
