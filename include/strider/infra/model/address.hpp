// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_ADDRESS_HPP
#define STRIDER_INFRA_MODEL_ADDRESS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/instance_key.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

enum class resource_mode : std::uint8_t { managed, data, ephemeral, action, list };

/// The first word of addresses: "data." for data; empty for managed resources.
[[nodiscard]] constexpr auto prefix_of(resource_mode mode) noexcept -> std::string_view
{
    switch (mode) {
    case resource_mode::managed: break;
    case resource_mode::data: return "data.";
    case resource_mode::ephemeral: return "ephemeral.";
    case resource_mode::action: return "action.";
    case resource_mode::list: return "list.";
    }
    return "";
}

/// One module call in the path of a resource.
struct module_step {
    std::string name;  ///< of the call, as declared
    instance_key key;  ///< of the instance; empty for a call without count and for_each, and in a configuration address

    /// Compares all members.
    friend auto operator==(module_step const&, module_step const&) -> bool = default;
    /// Orders by name, then by key.
    friend auto operator<=>(module_step const& a, module_step const& b) noexcept -> std::strong_ordering
    {
        if (auto const c = a.name.compare(b.name); c != 0) return c <=> 0;
        return a.key <=> b.key;
    }
};

namespace detail {

// The common part of the addresses of all instances of a resource, which share it.
struct resource_path {
    std::vector<module_step> module;
    std::string type;
    std::string name;
    resource_mode mode = resource_mode::managed;
    mutable std::atomic<std::size_t> references{0};
};

inline void intrusive_ptr_add_ref(resource_path const* counted) noexcept
{
    counted->references.fetch_add(1, std::memory_order_relaxed);
}
inline void intrusive_ptr_release(resource_path const* counted) noexcept
{
    if (counted->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete counted;
}

[[nodiscard]] inline auto compare(resource_path const& a, resource_path const& b) noexcept -> std::strong_ordering
{
    for (std::size_t i = 0; i < a.module.size() && i < b.module.size(); ++i)
        if (auto const c = a.module[i] <=> b.module[i]; c != 0) return c;
    if (auto const c = a.module.size() <=> b.module.size(); c != 0) return c;
    if (auto const c = a.mode <=> b.mode; c != 0) return c;
    if (auto const c = a.type.compare(b.type); c != 0) return c <=> 0;
    return a.name.compare(b.name) <=> 0;
}

}  // namespace detail

/// The address of a resource or of an instance: `module.m["k"].data.type.name[0]`.
///
/// Without keys it is a *configuration address*, by which dependencies are stored: a resource has one declaration for
/// all of its instances. Copies, and instances that `instance` makes, share all but the key.
///
/// Types and names, also those of modules, are words: not empty, and without `.`, `[` and white space; a type is none of
/// `module`, `data`, `ephemeral`, `action` and `list`. The text of another address cannot be parsed, or is that of a
/// different one.
class address {
public:
    address() = default;
    /// A managed resource of the root module, or one of its instances.
    address(std::string type, std::string name, instance_key key = {})
        : address({}, resource_mode::managed, std::move(type), std::move(name), std::move(key))
    {}
    /// A resource in any module, or one of its instances. \param module  from the root to the innermost call
    address(std::vector<module_step> module, resource_mode mode, std::string type, std::string name, instance_key key)
        : path_(new detail::resource_path{std::move(module), std::move(type), std::move(name), mode}),
          key_(std::move(key))
    {}

    /// The parts of the address. The path of modules is empty in the root; the type is empty for a module.
    /// @{
    [[nodiscard]] auto module() const noexcept -> std::vector<module_step> const& { return path().module; }
    [[nodiscard]] auto mode() const noexcept -> resource_mode { return path().mode; }
    [[nodiscard]] auto type() const noexcept -> std::string const& { return path().type; }
    [[nodiscard]] auto name() const noexcept -> std::string const& { return path().name; }
    [[nodiscard]] auto key() const noexcept -> instance_key const& { return key_; }
    /// @}

    /// Returns the configuration address: this address without any key.
    [[nodiscard]] auto config() const -> address
    {
        bool keys = false;
        for (module_step const& step : module()) keys = keys || step.key;
        if (!keys) return resource();
        std::vector<module_step> outer = module();
        for (module_step& step : outer) step.key = {};
        return {std::move(outer), mode(), type(), name(), {}};
    }
    /// Returns the resource in its module instance, without the instance key. \complexity O(1)
    [[nodiscard]] auto resource() const -> address { return {path_, {}}; }
    /// Returns an instance of the resource in its module instance. \complexity O(1), but for the key
    [[nodiscard]] auto instance(instance_key key) const -> address { return {path_, std::move(key)}; }
    /// True if both are instances of one resource in one module instance, or the resource.
    [[nodiscard]] auto is_of_resource(address const& other) const noexcept -> bool
    {
        return path_ == other.path_ || detail::compare(path(), other.path()) == 0;
    }

    /// Compares all parts, keys included.
    friend auto operator==(address const& a, address const& b) noexcept -> bool
    {
        return a.key_ == b.key_ && a.is_of_resource(b);
    }
    /// By module, then mode, type, name and key, as in state files and plans.
    friend auto operator<=>(address const& a, address const& b) noexcept -> std::strong_ordering
    {
        if (a.path_ != b.path_)
            if (auto const c = detail::compare(a.path(), b.path()); c != 0) return c;
        return a.key_ <=> b.key_;
    }

private:
    address(boost::intrusive_ptr<detail::resource_path const> path, instance_key key)
        : path_(std::move(path)),
          key_(std::move(key))
    {}
    [[nodiscard]] auto path() const noexcept -> detail::resource_path const& { return path_ ? *path_ : no_path(); }
    [[nodiscard]] static auto no_path() noexcept -> detail::resource_path const&
    {
        static detail::resource_path const none;
        return none;
    }

    boost::intrusive_ptr<detail::resource_path const> path_;  // null: that of a default address
    instance_key key_;
};

/// Formats a path of modules: `module.outer["k"].module.inner`; empty for the root.
[[nodiscard]] inline auto to_string(std::vector<module_step> const& module, key_syntax syntax = key_syntax::literal)
    -> std::string
{
    std::string text;
    for (module_step const& step : module)
        text += (text.empty() ? "module." : ".module.") + step.name + to_string(step.key, syntax);
    return text;
}

/// Formats an address: `module.m["k"].data.type.name[0]`.
[[nodiscard]] inline auto to_string(address const& a, key_syntax syntax = key_syntax::literal) -> std::string
{
    std::string text;
    if (!a.module().empty()) text = to_string(a.module(), syntax) + '.';
    std::string_view const mode = prefix_of(a.mode());
    text.reserve(text.size() + mode.size() + a.type().size() + 1 + a.name().size());
    text.append(mode).append(a.type()).append(1, '.').append(a.name());
    if (a.key()) text += to_string(a.key(), syntax);
    return text;
}

/// Names an object in texts: `type.name (deposed KEY)`. \param deposed_key  empty: the current object
[[nodiscard]] inline auto object_name(address const& a, std::string_view deposed_key) -> std::string
{
    std::string text = to_string(a);
    if (!deposed_key.empty()) text.append(" (deposed ").append(deposed_key).append(1, ')');
    return text;
}

/// Names the destruction of an object in texts: `type.name (destroy)`, or `type.name (destroy deposed KEY)`.
/// \param deposed_key  empty: the current object
[[nodiscard]] inline auto destruction_name(address const& a, std::string_view deposed_key) -> std::string
{
    std::string text = to_string(a) + " (destroy";
    if (!deposed_key.empty()) text.append(" deposed ").append(deposed_key);
    return text + ')';
}

/// True if a key in the address is not known: it stands for all instances of a declaration.
[[nodiscard]] inline auto has_unknown_key(address const& a) noexcept -> bool
{
    for (module_step const& step : a.module())
        if (step.key.is_unknown()) return true;
    return a.key().is_unknown();
}

/// True if both are in the same module, but in different instances of it. Such objects are not ordered.
[[nodiscard]] inline auto in_different_instances_of_one_module(address const& a, address const& b) -> bool
{
    if (a.module().size() != b.module().size()) return false;
    bool differ = false;
    for (std::size_t i = 0; i < a.module().size(); ++i) {
        if (a.module()[i].name != b.module()[i].name) return false;
        differ = differ || a.module()[i].key != b.module()[i].key;
    }
    return differ;
}

namespace detail {

// Parses the steps of an address from the left. Every member function advances `rest` past its input.
struct address_reader {
    std::string_view rest;
    key_syntax syntax;
    bool valid = true;

    auto word() -> std::string
    {
        std::size_t n = 0;
        while (n < rest.size() && rest[n] != '.' && rest[n] != '[') ++n;
        std::string const text(rest.substr(0, n));
        rest.remove_prefix(n);
        valid = valid && n > 0;
        return text;
    }
    void dot()
    {
        valid = valid && rest.starts_with('.');
        if (valid) rest.remove_prefix(1);
    }
    auto key() -> instance_key
    {
        if (!rest.starts_with('[')) return {};
        rest.remove_prefix(1);
        if (rest.starts_with('"')) {
            rest.remove_prefix(1);
            std::string name;
            valid = valid && read_quoted_key(rest, name, syntax) && rest.starts_with(']');
            if (valid) rest.remove_prefix(1);
            return instance_key(std::move(name));
        }
        std::int64_t index = 0;
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
        auto const length = static_cast<std::size_t>(end - rest.data());
        valid = valid && error == std::errc() && rest.substr(length).starts_with(']');
        if (valid) rest.remove_prefix(length + 1);
        return instance_key(index);
    }
};

}  // namespace detail

/// Parses the format of `to_string`, except for unknown keys. \return graph_errc::invalid_value if the text is not the address of
/// a resource.
[[nodiscard]] inline auto parse_address(std::string_view text, key_syntax syntax = key_syntax::literal)
    -> result<address>
{
    detail::address_reader in{text, syntax};
    std::vector<module_step> module;
    resource_mode mode = resource_mode::managed;
    while (in.valid && in.rest.starts_with("module.")) {
        in.rest.remove_prefix(7);
        std::string name = in.word();
        instance_key key = in.key();
        module.push_back({std::move(name), std::move(key)});
        in.dot();
    }
    for (resource_mode const other :
        {resource_mode::data, resource_mode::ephemeral, resource_mode::action, resource_mode::list})
        if (in.valid && mode == resource_mode::managed && in.rest.starts_with(prefix_of(other))) {
            in.rest.remove_prefix(prefix_of(other).size());
            mode = other;
        }
    std::string type = in.word();
    in.dot();
    std::string name = in.word();
    instance_key key = in.key();
    if (!in.valid || !in.rest.empty()) return graph_error(graph_errc::invalid_value, "\"" + std::string(text) + "\"");
    return address(std::move(module), mode, std::move(type), std::move(name), std::move(key));
}

/// Parses many addresses, as `parse_address` does. Those of one resource that follow one another share its parts.
class address_parser {
public:
    /// A parser of addresses whose keys have this syntax.
    explicit address_parser(key_syntax syntax = key_syntax::literal) noexcept : syntax_(syntax) {}

    /// \return graph_errc::invalid_value if the text is not the address of a resource
    [[nodiscard]] auto parse(std::string_view text) -> result<address>
    {
        if (!resource_.empty() && text.starts_with(resource_)) {
            detail::address_reader in{text.substr(resource_.size()), syntax_};
            instance_key key = in.key();
            if (in.valid && in.rest.empty()) return last_.instance(std::move(key));
        }
        auto parsed = parse_address(text, syntax_);
        if (parsed) {
            last_ = parsed->resource();
            resource_ = to_string(last_, syntax_);
        }
        return parsed;
    }

private:
    key_syntax syntax_;
    address last_;
    std::string resource_;  // of `last_`, as text
};

}  // namespace strider::infra

template <>
struct std::hash<strider::infra::address> {
    [[nodiscard]] auto operator()(strider::infra::address const& a) const noexcept -> std::size_t
    {
        auto seed = static_cast<std::uint64_t>(a.mode());
        auto const mix = [&seed](std::size_t part) { seed = (seed ^ part) * 0x9e3779b97f4a7c15U + (seed >> 32U); };
        auto const mix_key = [&](strider::infra::instance_key const& key) {
            if (auto const* index = key.index()) mix(static_cast<std::size_t>(*index) + 1);
            if (auto const* name = key.name()) mix(std::hash<std::string>()(*name));
        };
        for (strider::infra::module_step const& step : a.module()) {
            mix(std::hash<std::string>()(step.name));
            mix_key(step.key);
        }
        mix(std::hash<std::string>()(a.type()));
        mix(std::hash<std::string>()(a.name()));
        mix_key(a.key());
        return static_cast<std::size_t>(seed);
    }
};

#endif  // STRIDER_INFRA_MODEL_ADDRESS_HPP
