// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_REMOTE_SLURM_EXECUTOR_HPP
#define IACCTL_REMOTE_SLURM_EXECUTOR_HPP

#include "providers/child_process.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace iacctl::remote {

/// Runs programs on nodes of a Slurm cluster that have a label: a feature of the node.
///
/// The first program starts one `srun`, which starts a worker per node: on all nodes of the allocation in which this process runs,
/// or on one node of an allocation of its own. Workers connect to this process.
class slurm_executor {
public:
    explicit slurm_executor(std::string label);
    slurm_executor(slurm_executor const&) = delete;
    auto operator=(slurm_executor const&) -> slurm_executor& = delete;
    /// Dismisses the workers and waits for the end of `srun`, a few seconds at most.
    ~slurm_executor();

    /// As `providers::run_child`, but the output arrives at the end of the program, and only the last MiB of it. Thread-safe.
    [[nodiscard]] auto run(providers::child_command what, std::function<bool(std::string_view)> output)
        -> strider::infra::task<providers::child_outcome>;

private:
    class cluster;
    std::unique_ptr<cluster> in_;
};

}  // namespace iacctl::remote

#endif  // IACCTL_REMOTE_SLURM_EXECUTOR_HPP
