// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_OUTPUT_RECORDER_HPP
#define STRIDER_INFRA_APPLY_OUTPUT_RECORDER_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/outputs.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <map>

namespace strider::infra {

/// Records the outputs that a plan changes. Dependents of an output use its value, so nothing waits for the record.
template <program P>
class output_recorder {
    using value_type = typename P::value_type;

public:
    /// Program and plan must outlive the recorder.
    output_recorder(P const& configuration, basic_plan<value_type> const& plan)
        : configuration_(&configuration),
          plan_(&plan)
    {
        for (std::size_t i = 0; i != plan.outputs.size(); ++i)
            if (plan.outputs[i].what != action::no_op) outputs_.emplace(plan.outputs[i].declaration, i);
    }

    /// Adds the value of a declaration to the journal, if it is that of a changed output.
    template <class Journal>
    void record(std::size_t declaration, value_type const& value, Journal& journal) const
    {
        auto const found = outputs_.find(declaration);
        if (found == outputs_.end()) return;
        auto const& planned = plan_->outputs[found->second];
        auto const& d = declaration_at(*configuration_, declaration);
        if (!is_null_output(*configuration_, value))
            journal.take(journal_entry::output(planned.name, encode_output(*configuration_, d, value)));
        else if (planned.before) journal.take(journal_entry::output_removed(planned.name));
    }

private:
    P const* configuration_;
    basic_plan<value_type> const* plan_;
    std::map<std::size_t, std::size_t> outputs_;  // changed outputs, by declaration
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_OUTPUT_RECORDER_HPP
