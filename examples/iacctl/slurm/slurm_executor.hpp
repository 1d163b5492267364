// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SLURM_SLURM_EXECUTOR_HPP
#define IACCTL_SLURM_SLURM_EXECUTOR_HPP

#include "base/child_process.hpp"
#include "providers/operation.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace iacctl::slurm {

/// Runs programs, and performs operations of built-in types, on nodes of a Slurm cluster that have a label: a feature of the node.
///
/// The first use of a label starts one `srun`, which starts a worker on one node of an allocation of its own. Inside an allocation
/// the first use of any label starts a worker on each node of it. Workers connect to this process.
class slurm_executor {
public:
    slurm_executor();
    slurm_executor(slurm_executor const&) = delete;
    auto operator=(slurm_executor const&) -> slurm_executor& = delete;
    /// Ends the workers and waits for the end of each `srun`, a few seconds at most.
    ~slurm_executor();

    /// As `run_child`, but the output arrives at the end of the program, and only the last MiB of it. Thread-safe.
    [[nodiscard]] auto run(std::string label, child_command cc, std::function<bool(std::string_view)> output)
        -> strider::infra::task<child_outcome>;
    /// Performs an operation. An operation that can be repeated is sent again if its worker is lost. Thread-safe.
    [[nodiscard]] auto perform(std::string label, providers::operation o)
        -> strider::infra::task<providers::operation_outcome>;

private:
    class cluster;
    class reply;

    [[nodiscard]] auto cluster_for(std::string const& label) -> cluster&;
    template <class Work>
    [[nodiscard]] auto send(std::string label, Work given, bool repeatable) -> strider::infra::task<reply>;

    std::mutex lock_;
    std::map<std::string, std::unique_ptr<cluster>> clusters_;  // by label; by "": in an allocation
};

}  // namespace iacctl::slurm

#endif  // IACCTL_SLURM_SLURM_EXECUTOR_HPP
