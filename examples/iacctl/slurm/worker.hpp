// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SLURM_WORKER_HPP
#define IACCTL_SLURM_WORKER_HPP

#include <string>

namespace iacctl::slurm {

/// Serves the executor at an address, "IP:PORT", until it sends goodbye or the connection is lost. After SIGTERM,
/// running programs complete and no further one starts. \return empty after goodbye, otherwise the reason of the end
[[nodiscard]] auto serve(std::string const& address) -> std::string;

}  // namespace iacctl::slurm

#endif  // IACCTL_SLURM_WORKER_HPP
