// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SLURM_NODE_FEATURES_HPP
#define IACCTL_SLURM_NODE_FEATURES_HPP

#include <string>
#include <vector>

namespace iacctl::slurm {

/// The features of nodes, which the administrator of the cluster has given them. \param nodes  a list as Slurm writes it
[[nodiscard]] auto features_of(std::string const& nodes) -> std::vector<std::string>;

}  // namespace iacctl::slurm

#endif  // IACCTL_SLURM_NODE_FEATURES_HPP
