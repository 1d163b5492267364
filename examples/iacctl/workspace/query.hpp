// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_QUERY_HPP
#define IACCTL_WORKSPACE_QUERY_HPP

#include "language/values/value.hpp"
#include "providers/provider.hpp"
#include "run_callbacks.hpp"
#include "workspace.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace iacctl::workspace {

/// An object that a provider has found.
class listed_object {
public:
    std::string display_name;
    language::value identity;
    language::value object;  ///< null unless it was requested
    std::string resource;  ///< a block `resource` with its arguments; empty unless configuration is generated
    std::string import;  ///< a block `import` for that resource
};

/// The objects found by one instance of a block `list`.
class list_result {
public:
    infra::address block;
    language::value config;  ///< the value of the block `config`
    std::vector<std::string> sensitive;  ///< paths of sensitive values in it: ".filter.name"
    std::uint64_t identity_version = 0;
    std::vector<listed_object> objects;  ///< in the order of the provider
};

/// The result of a query.
class query_result {
public:
    std::vector<list_result> lists;  ///< in the order of their addresses; after errors, the successful ones
    infra::diagnostics problems;
    bool interrupted = false;
};

/// Plans the blocks `list` of the query files and their dependencies. State is read, but not changed.
/// \param generates  also generates configuration for the objects
/// \pre `settings::reads_queries` of the workspace is true
/// \source Terraform 1.17, query
[[nodiscard]] auto query(workspace const& in, bool generates, run_callbacks const& callbacks = {}) -> query_result;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_QUERY_HPP
