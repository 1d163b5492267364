// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_CHECK_RESULTS_HPP
#define IACCTL_PROGRAM_CHECK_RESULTS_HPP

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

/// Something declared that has rules.
struct ruled_declaration {
    enum class kind_type : std::uint8_t { resource, output, check, variable };

    std::string name;
    kind_type kind = kind_type::resource;
    std::size_t rules = 0;  ///< how many
};

/// Results of the rules that a configuration has for its resources, outputs, variables and checks in one run: of each, and
/// of each instance. Visits tell it from several threads at once; nothing that is planned or done depends on it.
///
/// As text it is what Terraform calls `check_results`, in the order of addresses.
class check_results {
public:
    /// \param known  what `document` gave in an earlier run: its instances are there, and nothing has come of their rules yet
    explicit check_results(std::vector<ruled_declaration> const& all, infra::document const& known = {});

    /// Its instances are these.
    void expand(std::string const& config, std::vector<std::string> const& objects);
    /// What came of the rule with that number.
    void note(
        std::string const& config, std::string const& object, std::size_t rule, language::rule_result const& found);

    /// Empty if nothing has rules.
    [[nodiscard]] auto document() const -> infra::document;

private:
    enum class status_type : std::uint8_t { pass, unknown, fail, error };  // the worst of several counts

    struct object_results {
        std::vector<status_type> rules;
        std::vector<std::string> messages;  // of each rule; empty: it has none
    };
    struct config_results {
        ruled_declaration::kind_type kind = ruled_declaration::kind_type::resource;
        std::size_t rules = 0;
        std::optional<std::map<std::string, object_results>> objects;
    };

    [[nodiscard]] static auto unasked(config_results const& of) -> object_results;

    std::mutex guard_;
    std::map<std::string, config_results> all_;
};

/// The document of a plan that destroys everything: no rule is evaluated, and only the outputs of the root are known.
[[nodiscard]] auto checks_of_destroy(std::vector<ruled_declaration> const& all) -> infra::document;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_CHECK_RESULTS_HPP
