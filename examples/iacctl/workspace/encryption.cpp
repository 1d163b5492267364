// SPDX-License-Identifier: BSL-1.0
#include "encryption.hpp"

#include "base/address_text.hpp"
#include "base/suggestion.hpp"
#include "base/trimmed.hpp"
#include "early_scope.hpp"
#include "key_program.hpp"
#include "language/configuration/block_shapes.hpp"
#include "language/configuration/configuration.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/syntax/parser.hpp"
#include "language/values/convert.hpp"
#include "messages/encryption.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

using encryption::method;
using encryption::target;
using language::attribute;
using language::source_range;

constexpr char const* variable_name = "TF_ENCRYPTION";

// A block merged with the overrides of later sources.
struct merged_block {
    source_range where;
    std::vector<std::string> labels;
    std::map<std::string, attribute const*, std::less<>> arguments;
    std::map<std::string, merged_block, std::less<>> blocks;  // by type and labels: "method.aes_gcm.main"

    [[nodiscard]] auto find(std::string_view name) const -> attribute const*
    {
        auto const found = arguments.find(name);
        return found == arguments.end() ? nullptr : found->second;
    }
    [[nodiscard]] auto block(std::string_view name) const -> merged_block const*
    {
        auto const found = blocks.find(name);
        return found == blocks.end() ? nullptr : &found->second;
    }
};

// Merges a body over the present content. Two blocks with the same name in one body are an error.
void merge(language::body const& from, merged_block& into, infra::diagnostics& found)
{
    std::set<std::string> seen;
    for (attribute const& one : from.attributes) into.arguments.insert_or_assign(std::string(one.name), &one);
    for (language::block const& one : from.blocks) {
        std::string name(one.type);
        for (language::label const& l : one.labels) name += "." + l.text;
        if (!seen.insert(name).second) {
            found.add(language::error(messages::encryption_twice, {"block", name}, one.header_range()));
            continue;
        }
        merged_block& to = into.blocks[name];
        to.where = one.header_range();
        to.labels.clear();
        for (language::label const& l : one.labels) to.labels.push_back(l.text);
        merge(one.content, to, found);
    }
}

class decoder {
public:
    decoder(std::span<std::shared_ptr<language::syntax_tree> const> trees, language::scope const& values,
        infra::diagnostics& found)
        : trees_(trees),
          values_(&values),
          found_(&found)
    {}

    auto decode(merged_block const& all) -> encryption::targets
    {
        for (auto const& [name, one] : all.blocks) {
            bool const is_provider = name.starts_with("key_provider.");
            if (!is_provider && !name.starts_with("method.")) continue;
            if (one.labels.size() != 2)
                add(messages::encryption_block_label, {is_provider ? "key_provider" : "method"}, one.where);
        }
        for (auto const& [name, one] : all.blocks) provide(all, name);
        for (auto const& [name, one] : all.blocks)
            if (name.starts_with("method.") && one.labels.size() == 2) decode_method(name, one);
        encryption::targets made;
        if (auto const* const one = all.block("state")) decode_target("state", *one, made.state);
        if (auto const* const one = all.block("plan")) decode_target("plan", *one, made.plan);
        if (auto const* const states = all.block("remote_state_data_sources")) {
            if (auto const* const one = states->block("default"))
                decode_target("remote_state_data_sources", *one, made.remote_state);
            for (auto const& [name, one] : states->blocks) {
                if (!name.starts_with("remote_state_data_source.") || one.labels.size() != 1) continue;
                target named;
                decode_target("remote_state_data_source", one, named);
                made.remote_states.insert_or_assign(one.labels.front(), std::move(named));
            }
        }
        return made;
    }

private:
    template <std::size_t N>
    void add(messages::message<N> const& m, messages::arguments<N> a, source_range where)
    {
        found_->add(language::error(m, a, where));
    }
    // The value of an argument. It may be secret, so messages about it show the block instead of the line.
    auto value_of(merged_block const& in, attribute const& a, language::type const& type, std::string_view form)
        -> std::optional<language::value>
    {
        infra::diagnostics private_ones;
        auto const given = language::evaluate(a.of, *values_, private_ones);
        if (private_ones.has_errors()) {
            private_ones.update([&](infra::diagnostic& problem) { problem.source = language::excerpt_of(in.where); });
            found_->add(std::move(private_ones));
            return std::nullopt;
        }
        auto const converted = language::convert(given.unmarked_deep(), type);
        if (converted && converted->has_data() && converted->wholly_known()) return *converted;
        add(messages::encryption_value, {a.name, form}, in.where);
        return std::nullopt;
    }
    // The text of an argument; nothing after an error.
    auto text_in(merged_block const& in, std::string_view name, std::string otherwise = {})
        -> std::optional<std::string>
    {
        attribute const* const given = in.find(name);
        if (given == nullptr) return otherwise;
        auto const value = value_of(in, *given, language::type::string(), "a string");
        return value ? std::optional(value->as_string()) : std::nullopt;
    }
    auto text_of(merged_block const& in, std::string_view name, std::string const& otherwise) -> std::string
    {
        return text_in(in, name, otherwise).value_or(otherwise);
    }
    auto number_of(merged_block const& in, std::string_view name, std::uint32_t least, std::uint32_t most,
        std::uint32_t otherwise) -> std::uint32_t
    {
        attribute const* const given = in.find(name);
        if (given == nullptr) return otherwise;
        auto const value = value_of(in, *given, language::type::number(), "a number");
        if (!value) return otherwise;
        auto const whole = value->as_number().as_int64();
        if (whole && *whole >= least && *whole <= most) return static_cast<std::uint32_t>(*whole);
        add(messages::encryption_number, {name, std::to_string(least), std::to_string(most)}, in.where);
        return otherwise;
    }
    void allow_only(merged_block const& in, std::span<std::string_view const> names)
    {
        for (auto const& [name, one] : in.arguments)
            if (std::ranges::find(names, name) == names.end())
                add(messages::encryption_not_found, {"argument", name}, one->name_range());
        for (auto const& [name, one] : in.blocks) add(messages::encryption_not_found, {"block", name}, one.where);
    }

    // Decodes a provider once, after those in its chain.
    auto provide(merged_block const& all, std::string const& address) -> std::shared_ptr<encryption::key_provider>
    {
        if (auto const known = providers_.find(address); known != providers_.end()) return known->second;
        merged_block const* const one = all.block(address);
        if (one == nullptr || !address.starts_with("key_provider.") || one->labels.size() != 2) return nullptr;
        if (!under_way_.insert(address).second) {
            add(messages::encryption_cycle, {address}, one->where);
            return nullptr;
        }
        std::shared_ptr<encryption::key_provider> chain;
        if (attribute const* const given = one->find("chain")) {
            auto const from = address_in(*given);
            chain = provide(all, from);
            bool const declared = from.starts_with("key_provider.") && all.block(from) != nullptr;
            if (from.empty())
                add(messages::encryption_value, {"chain", "a key provider, such as key_provider.pbkdf2.main"},
                    one->where);
            else if (!declared) add(messages::encryption_not_found, {"key provider", from}, one->where);
        }
        decode_provider(address, *one, std::move(chain));
        return providers_.at(address);
    }

    void decode_provider(
        std::string const& address, merged_block const& block, std::shared_ptr<encryption::key_provider> chain)
    {
        auto name = text_of(block, "encrypted_metadata_alias", address);
        if (name.empty()) name = address;
        std::string const& type = block.labels.front();
        if (type == "pbkdf2") {
            static constexpr std::array<std::string_view, 7> known{"encrypted_metadata_alias", "passphrase", "chain",
                "key_length", "iterations", "salt_length", "hash_function"};
            allow_only(block, known);
            encryption::pbkdf2_settings with;
            auto const passphrase = text_in(block, "passphrase");
            with.passphrase = passphrase.value_or(std::string());
            bool const chained = block.find("chain") != nullptr;
            if (chained && block.find("passphrase") != nullptr)
                add(messages::encryption_value, {"passphrase", "absent, because \"chain\" is set"}, block.where);
            if (!chained && passphrase && passphrase->size() < encryption::pbkdf2_settings::shortest_passphrase)
                add(messages::encryption_value, {"passphrase", "a string of at least 16 characters"}, block.where);
            constexpr auto most = static_cast<std::uint32_t>(100'000'000);
            with.iterations =
                number_of(block, "iterations", encryption::pbkdf2_settings::least_iterations, most, with.iterations);
            with.key_length = number_of(block, "key_length", 16, 32, with.key_length);
            if (!encryption::aes_gcm::is_key_size(with.key_length))
                add(messages::encryption_value, {"key_length", "16, 24 or 32"}, block.where);
            with.salt_length = number_of(block, "salt_length", 1, 1024, with.salt_length);
            auto const hash = text_of(block, "hash_function", "sha512");
            if (hash != "sha512" && hash != "sha256")
                add(messages::encryption_value, {"hash_function", "\"sha512\" or \"sha256\""}, block.where);
            if (hash == "sha256") with.hash = encryption::pbkdf2_settings::hash_type::sha256;
            if (!chained) providers_[address] = encryption::make_pbkdf2(name, std::move(with));
            else if (chain != nullptr && has_own_name(name, *chain, block))
                providers_[address] = encryption::make_chained_pbkdf2(name, std::move(with), std::move(chain));
        } else if (type == "external") {
            static constexpr std::array<std::string_view, 2> known{"encrypted_metadata_alias", "command"};
            allow_only(block, known);
            auto words = words_of(block, "command");
            if (!words.empty())
                providers_[address] = encryption::make_external(name, std::move(words), run_key_program);
        } else if (type == "file") {
            static constexpr std::array<std::string_view, 2> known{"encrypted_metadata_alias", "path"};
            allow_only(block, known);
            auto const path = text_in(block, "path");
            if (path && path->empty()) add(messages::encryption_value, {"path", "the name of a file"}, block.where);
            else if (path) providers_[address] = encryption::make_key_file(name, *path);
        } else add(messages::encryption_unknown_type, {"key provider", type, "external, file, pbkdf2"}, block.where);
        providers_.try_emplace(address, nullptr);  // a provider with mistakes is declared nevertheless
    }
    // The metadata of two providers of a chain must have different names. \return false after an error
    auto has_own_name(std::string const& name, encryption::key_provider const& chain, merged_block const& block) -> bool
    {
        auto const others = chain.all_names();
        if (std::ranges::find(others, name) == others.end()) return true;
        add(messages::encryption_twice, {"name of metadata", name}, block.where);
        return false;
    }
    // The words of a command; empty after an error.
    auto words_of(merged_block const& block, std::string_view name) -> std::vector<std::string>
    {
        std::vector<std::string> words;
        if (attribute const* const given = block.find(name)) {
            auto const list =
                value_of(block, *given, language::type::list(language::type::string()), "a list of strings");
            if (!list) return words;
            for (auto const& word : list->elements())
                words.push_back(word.has_data() ? word.as_string() : std::string());
        }
        if (!words.empty() && !words.front().empty()) return words;
        add(messages::encryption_value, {name, "a list that begins with the name of a program"}, block.where);
        return {};
    }
    // The address in a reference to a block: "method.aes_gcm.main".
    auto address_in(attribute const& a) -> std::string
    {
        auto const plain = language::unquoted_reference(a.of, trees_, *found_);
        auto const* const path = language::as_traversal(plain);
        return path == nullptr || path->steps.size() != 2 ? std::string() : language::traversal_text(*path, 2);
    }
    void decode_method(std::string const& address, merged_block const& block)
    {
        method made;
        made.address = address;
        std::string const& type = block.labels.front();
        if (type == "unencrypted") {
            allow_only(block, {});
            methods_[address] = made;
            return;
        }
        if (type != "aes_gcm" && type != "external")
            return add(
                messages::encryption_unknown_type, {"method", type, "aes_gcm, external, unencrypted"}, block.where);
        static constexpr std::array<std::string_view, 2> known{"keys", "aad"};
        static constexpr std::array<std::string_view, 3> known_external{"keys", "encrypt_command", "decrypt_command"};
        bool const external = type == "external";
        allow_only(block, external ? std::span<std::string_view const>(known_external) : known);
        attribute const* const keys = block.find("keys");
        if (external && keys == nullptr) return decode_external(std::move(made), block, nullptr);
        auto const from = keys == nullptr ? std::string() : address_in(*keys);
        auto const provider = providers_.find(from);
        if (provider == providers_.end()) {
            if (from.empty())
                add(messages::encryption_value, {"keys", "a key provider, such as key_provider.pbkdf2.main"},
                    block.where);
            else add(messages::encryption_not_found, {"key provider", from}, block.where);
            return;
        }
        if (external) return decode_external(std::move(made), block, provider->second);
        made.keys = provider->second;
        if (attribute const* const given = block.find("aad")) {
            auto const list =
                value_of(block, *given, language::type::list(language::type::number()), "a list of numbers");
            for (auto const& byte : list ? list->elements() : std::span<language::value const>()) {
                auto const whole = byte.as_number().as_int64();
                if (!whole || *whole < 0 || *whole > 255)
                    return add(messages::encryption_value, {"aad", "a list of numbers from 0 to 255"}, block.where);
                made.associated.push_back(static_cast<char>(*whole));
            }
        }
        methods_[address] = std::move(made);
    }
    void decode_external(method made, merged_block const& block, std::shared_ptr<encryption::key_provider> keys)
    {
        auto to_seal = words_of(block, "encrypt_command");
        auto to_open = words_of(block, "decrypt_command");
        if (to_seal.empty() || to_open.empty()) return;
        made.program = std::make_shared<encryption::method_program const>(
            made.address, std::move(to_seal), std::move(to_open), std::move(keys), run_method_program);
        made.keys = encryption::make_wrapped_key(made.program);
        methods_[made.address] = std::move(made);
    }
    void decode_target(std::string const& name, merged_block const& block, target& into)
    {
        std::vector<method> all;
        for (merged_block const* at = &block; at != nullptr; at = at->block("fallback")) {
            attribute const* const given = at->find("method");
            auto const address = given == nullptr ? std::string() : address_in(*given);
            auto const found = methods_.find(address);
            if (found != methods_.end()) all.push_back(found->second);
            else if (address.empty()) add(messages::encryption_method_needed, {name}, at->where);
            else add(messages::encryption_not_found, {"method", address}, at->where);
        }
        if (attribute const* const given = block.find("enforced")) {
            auto const value = value_of(block, *given, language::type::boolean(), "true or false");
            bool const open = std::ranges::any_of(all, [](method const& m) { return !m.encrypts(); });
            if (value && value->as_bool() && open) add(messages::encryption_enforced, {name}, block.where);
        }
        if (!all.empty()) into = target(name, std::move(all));
    }

    std::span<std::shared_ptr<language::syntax_tree> const> trees_;
    language::scope const* values_;
    infra::diagnostics* found_;
    std::map<std::string, std::shared_ptr<encryption::key_provider>> providers_;
    std::set<std::string> under_way_;  // addresses of providers whose chains are being followed
    std::map<std::string, method> methods_;
};

// Diagnostics about the variable do not quote it, because its single line may contain secrets.
auto refused(infra::diagnostics found) -> infra::failure
{
    found.update([](infra::diagnostic& problem) {
        if (problem.source.file != variable_name) return;
        problem.source = {};
        problem.detail = std::string(variable_name) + ": " + problem.detail;
    });
    return infra::failure(std::move(found));
}

// Adds the names of the data sources of a module and the modules that it calls, as blocks `remote_state_data_source` give them.
// \param prefix  "", "a.", "a.module.b."
void add_remote_states(language::configuration const& c, std::string const& prefix, std::vector<std::string>& names)
{
    for (auto const& [_, one] : c.resources)
        if (one.mode == language::resource_mode::data && one.type == "terraform_remote_state")
            names.push_back(prefix + one.name);
    for (auto const& [name, call] : c.modules)
        if (call.child) add_remote_states(*call.child, prefix + (prefix.empty() ? "" : "module.") + name + '.', names);
}

void forbid_core_dumps() noexcept
{
    // A program that receives core dumps through a pipe ignores the limit, but not this setting.
    ::prctl(PR_SET_DUMPABLE, 0);
    rlimit const none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

auto read_encryption(root_module const& module) -> expected<std::shared_ptr<encryption::targets const>>
{
    settings const& reported = module.options();
    infra::diagnostics found;
    auto const& root = module.state_place(found);
    auto const said = reported.environment.find(variable_name);
    std::string const text = said == reported.environment.end() ? std::string() : said->second;
    if (found.has_errors()) return infra::failure(found);
    if (root.encryption.empty() && text.empty()) return std::make_shared<encryption::targets const>();

    std::vector<std::shared_ptr<language::syntax_tree>> trees = root.files;
    if (!text.empty()) {
        bool const is_json = trimmed(text).starts_with('{');
        trees.push_back(is_json
                ? language::parse_json_file(variable_name, text, language::detail::shapes::encryption, found)
                : language::parse_file(variable_name, text, found));
    }
    std::vector<language::body const*> sources;
    for (language::raw_block const& one : root.encryption) sources.push_back(&one.of->content);
    if (!text.empty() && trees.back() != nullptr) sources.push_back(&trees.back()->root());
    if (found.has_errors()) return refused(found);
    merged_block all;
    for (language::body const* const one : sources) {
        language::check_body(*one, language::detail::shapes::encryption, found);
        merge(*one, all, found);
    }
    early_scope const values(module, sources, "encryption keys");
    auto made = decoder(trees, values.values(), found).decode(all);
    if (found.has_errors()) return refused(found);
    if (made.has_keys()) forbid_core_dumps();
    return std::make_shared<encryption::targets const>(std::move(made));
}

void check_remote_state_names(language::configuration const& root, infra::diagnostics& found)
{
    std::vector<std::string> names;
    add_remote_states(root, {}, names);
    std::vector<std::string_view> const candidates(names.begin(), names.end());
    for (language::raw_block const& whole : root.encryption)
        for (language::block const& states : whole.of->content.blocks)
            for (language::block const& one : states.content.blocks) {
                if (one.type != "remote_state_data_source" || one.labels.size() != 1) continue;
                std::string const& name = one.labels.front().text;
                if (std::ranges::find(names, without_instance_keys(name)) != names.end()) continue;
                found.add(language::warning(
                    messages::remote_state_name_unknown, {name, did_you_mean(name, candidates)}, one.header_range()));
            }
}

}  // namespace iacctl::workspace
