// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_CHECK_RESULTS_HPP
#define IACCTL_WORKSPACE_PROGRAM_CHECK_RESULTS_HPP

#include "language/configuration/variables.hpp"

#include <strider/infra/model/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::program {

namespace infra = strider::infra;

/// A declaration that has rules.
struct ruled_declaration {
    enum class kind_type : std::uint8_t { resource, output, check, variable };

    std::string name;
    kind_type kind = kind_type::resource;
    std::size_t rules = 0;  ///< their number
};

/// The results of the rules of resources, outputs, variables and checks in one run: for each declaration and each of
/// its instances. Visits call it from several threads concurrently. Plans and changes do not depend on it.
///
/// The document is Terraform's `check_results`, sorted by address.
class check_results {
public:
    /// \param known  the `document` of an earlier run: its instances are listed, and their rules are unknown until
    /// evaluated
    explicit check_results(std::vector<ruled_declaration> const& all, infra::document const& known = {});

    /// Sets the instances of a declaration.
    void expand(std::string const& config, std::vector<std::string> const& objects);
    /// Records the result of the rule with that number.
    void note(
        std::string const& config, std::string const& object, std::size_t rule, language::rule_result const& found);

    /// Empty if no declaration has rules.
    [[nodiscard]] auto document() const -> infra::document;

private:
    enum class status_type : std::uint8_t { pass, unknown, fail, error };  // of several, the worst is reported

    struct object_results {
        std::vector<status_type> rules;
        std::vector<std::string> messages;  // of each rule; empty: it has none
    };
    struct config_results {
        ruled_declaration::kind_type kind = ruled_declaration::kind_type::resource;
        std::size_t rules = 0;
        std::optional<std::map<std::string, object_results>> objects;
    };

    [[nodiscard]] static auto unevaluated(config_results const& results) -> object_results;

    std::mutex guard_;
    std::map<std::string, config_results> all_;
};

/// The document of a plan that destroys everything: no rule is evaluated, and only the outputs of the root are known.
[[nodiscard]] auto checks_of_destroy(std::vector<ruled_declaration> const& all) -> infra::document;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_CHECK_RESULTS_HPP
