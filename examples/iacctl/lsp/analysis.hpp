// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_ANALYSIS_HPP
#define IACCTL_LSP_ANALYSIS_HPP

#include "app/settings.hpp"
#include "knowledge.hpp"
#include "language/syntax/diagnostic.hpp"
#include "positions.hpp"

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

/// A diagnostic with the places that it is about.
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
    std::shared_ptr<root_knowledge const> known;  ///< null: as before
};

/// Checks root modules on a thread of its own, which also loads schemas and state: a provider that starts slowly delays no
/// answer. A request takes the place of an earlier one for the same module that was not begun.
///
/// The thread changes the current directory of the process to the root module, as paths of functions and providers are relative
/// to it.
class analyser {
public:
    /// \param base  of all root modules: everything but directory, workspace and providers
    /// \param ready  is called on the thread when there are results
    analyser(app::settings base, std::function<void()> ready);
    analyser(analyser const&) = delete;
    auto operator=(analyser const&) -> analyser& = delete;
    /// Waits for the end of the check that runs.
    ~analyser();

    void post(analysis_request of);
    /// The results that are not taken yet.
    [[nodiscard]] auto take() -> std::vector<analysis_result>;

private:
    struct root_state {
        std::shared_ptr<providers::catalog const> catalog;
        infra::diagnostics problems;  // of the catalog
        std::string installed;  // from what the catalog was made
    };

    void work();
    // Nothing: a later request takes the place of this one.
    [[nodiscard]] auto analyse(analysis_request const& of) -> std::optional<analysis_result>;
    [[nodiscard]] auto superseded(analysis_request const& of) -> bool;
    void deliver(analysis_result one);

    app::settings base_;
    std::function<void()> ready_;
    std::map<std::string, root_state> roots_;  // of the thread
    std::mutex guard_;
    std::condition_variable changed_;
    std::vector<analysis_request> waiting_;
    std::vector<analysis_result> done_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_ANALYSIS_HPP
