// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_ANALYSIS_HPP
#define IACCTL_LSP_ANALYSIS_HPP

#include "language/syntax/diagnostic.hpp"
#include "positions.hpp"
#include "schema_index.hpp"
#include "workspace/settings.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace iacctl::lsp {

/// A diagnostic with its places.
struct problem {
    struct related_place {
        std::string path;
        range at;
        std::string text;
    };

    std::string path;
    range at;
    language::severity level = language::severity::error;
    std::string code;
    std::string text;
    std::vector<related_place> related;
};

/// A root module to be checked.
struct analysis_request {
    std::string root;  ///< the directory
    std::map<std::string, std::shared_ptr<std::string const>> texts;  ///< of open documents, by path
    position_encoding encoding = position_encoding::utf16;
    bool reload = false;  ///< providers and state may have changed
    std::uint64_t number = 0;  ///< of the version of the texts
};

struct analysis_result {
    std::string root;
    std::uint64_t number = 0;
    std::vector<problem> problems;
    std::shared_ptr<root_data const> known;  ///< null: unchanged
};

/// Checks root modules on its own thread, which also loads schemas and state, so that a slow provider does not delay
/// responses. A request replaces an earlier one for the same module that has not started.
///
/// The thread changes the current directory of the process to the root module, because functions and providers use
/// paths relative to it.
class analyser {
public:
    /// \param base  the common settings of all root modules: all except directory, workspace and providers
    /// \param ready  is called on the thread when there are results
    analyser(workspace::settings base, std::function<void()> ready);
    analyser(analyser const&) = delete;
    auto operator=(analyser const&) -> analyser& = delete;
    /// Waits for the end of the running check.
    ~analyser();

    void post(analysis_request request);
    /// Returns the new results.
    [[nodiscard]] auto take() -> std::vector<analysis_result>;

private:
    struct root_state {
        std::shared_ptr<providers::catalog const> catalog;
        infra::diagnostics problems;  // of the catalog
        std::string installed;  // the input from which the catalog was made
    };

    void work();
    // Nothing if a later request replaces this one.
    [[nodiscard]] auto analyse(analysis_request const& request) -> std::optional<analysis_result>;
    [[nodiscard]] auto superseded(analysis_request const& request) -> bool;
    void deliver(analysis_result result);

    workspace::settings base_;
    std::function<void()> ready_;
    std::map<std::string, root_state> roots_;  // used by the thread only
    std::mutex guard_;
    std::condition_variable changed_;
    std::vector<analysis_request> waiting_;
    std::vector<analysis_result> done_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_ANALYSIS_HPP
