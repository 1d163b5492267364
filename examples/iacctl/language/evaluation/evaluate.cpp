// SPDX-License-Identifier: BSL-1.0
#include "evaluate.hpp"

#include "base/in_quotes.hpp"
#include "base/suggestion.hpp"
#include "base/unicode.hpp"
#include "evaluation_text.hpp"
#include "functions.hpp"
#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"
#include "operations.hpp"
#include "type_constraint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace iacctl::language {

namespace {

using syntax::node;
using syntax::node_kind;
using syntax::operation;

struct binding {
    std::string_view name;       // of a variable of `for`
    node const* item = nullptr;  // or the element of a splat
    value of;
};

class evaluator {
public:
    evaluator(scope const& in, source_file const* file) : scope_(in), file_(file) {}

    [[nodiscard]] auto run(node const& n, diagnostics& found) -> value
    {
        switch (n.kind) {
        case node_kind::literal: return syntax::as<syntax::literal>(n).constant();
        case node_kind::text: return text(syntax::as<syntax::text>(n), found);
        case node_kind::wrap: return run(*syntax::as<syntax::wrap>(n).inner, found);
        case node_kind::join: return join(syntax::as<syntax::join>(n), found);
        case node_kind::traversal: return traversal(syntax::as<syntax::traversal>(n), found);
        case node_kind::relative: {
            auto const& relative = syntax::as<syntax::relative>(n);
            auto const before = found.error_count();
            auto const from = run(*relative.from, found);
            if (found.error_count() > before) return value::unknown();
            return steps(from, relative.steps, n, found);
        }
        case node_kind::index: return element(syntax::as<syntax::index>(n), found);
        case node_kind::splat: return splat(syntax::as<syntax::splat>(n), found);
        case node_kind::item: return bound_item(n);
        case node_kind::call: return call(syntax::as<syntax::call>(n), found);
        case node_kind::conditional: return conditional(syntax::as<syntax::conditional>(n), found);
        case node_kind::binary: return binary_chain(n, found);
        case node_kind::unary: return unary(syntax::as<syntax::unary>(n), found);
        case node_kind::tuple: {
            auto const elements = syntax::as<syntax::tuple>(n).elements;
            std::vector<value> made;
            made.reserve(elements.size());
            for (auto const* const element : elements) made.push_back(run(*element, found));
            return value::tuple(std::move(made));
        }
        case node_kind::object: return object(syntax::as<syntax::object>(n), found);
        case node_kind::for_each: return loop(syntax::as<syntax::for_each>(n), found);
        case node_kind::parentheses: return run(*syntax::as<syntax::parentheses>(n).inner, found);
        case node_kind::json_string: {
            auto const& string = syntax::as<syntax::json_string>(n);
            if (scope_.is_constant()) return *string.raw;
            if (!string.problems) return run(*string.inner, found);
            found.add(*string.problems);
            return value::unknown();
        }
        }
        return value::unknown();
    }

    [[nodiscard]] auto notes(node const& n, note_options options) -> std::vector<std::string>
    {
        std::set<std::pair<std::string, std::string>> lines;
        for_each_traversal({&n, file_}, [&](syntax::traversal const& t) {
            for (auto count = t.steps.size(); count > 0; --count) {
                diagnostics ignored;
                auto prefix = t;
                prefix.steps = t.steps.first(count);
                auto const of_prefix = traversal(prefix, ignored);
                if (ignored.has_errors()) continue;
                if (auto statement = detail::statement_about(of_prefix, options); !statement.empty())
                    lines.emplace(traversal_text(t, count), std::move(statement));
                break;
            }
        });
        std::vector<std::string> made;
        for (auto const& [subject, statement] : lines) made.push_back(subject + " " + statement);
        return made;
    }

private:
    [[nodiscard]] auto at(byte_range range) const noexcept -> source_range { return {file_, range}; }
    [[nodiscard]] auto at(node const& n) const noexcept -> source_range { return at(n.range); }

    /// Adds an error, with notes about the values in an expression.
    void fail(diagnostics& found, diagnostic made, node const& values)
    {
        made.source.notes = notes(values, {});
        found.add(std::move(made));
    }

    /// Adds diagnostics of code without a scope, with value notes.
    void add_with_notes(diagnostics& found, diagnostics own, node const& n)
    {
        if (own.has_errors())
            own.update([words = notes(n, {})](diagnostic& problem) {
                if (problem.source.notes.empty()) problem.source.notes = words;
            });
        found.add(std::move(own));
    }

    [[nodiscard]] auto bound(std::string_view name) const noexcept -> value const*
    {
        for (auto one = bindings_.rbegin(); one != bindings_.rend(); ++one)
            if (!one->item && one->name == name) return &one->of;
        return nullptr;
    }
    [[nodiscard]] auto bound_item(node const& n) const -> value
    {
        for (auto one = bindings_.rbegin(); one != bindings_.rend(); ++one)
            if (one->item == &n) return one->of;
        return value::unknown();
    }

    [[nodiscard]] auto traversal(syntax::traversal const& t, diagnostics& found) -> value
    {
        auto const before = found.error_count();
        if (!bindings_.empty())
            if (auto const* const local = bound(t.root)) return steps(value(*local), t.steps, t, found);
        if (scope_.is_constant()) {
            found.add(error(messages::reference_in_constant, at(t.root_range())));
            return value::unknown();
        }
        if (auto const* const given = scope_.variable(t.root)) return steps(value(*given), t.steps, t, found);
        auto const made = parse_reference(t, file_, found);
        if (!made) return value::unknown();
        if (made->key)
            if (auto one = scope_.instance(*made)) return steps(*std::move(one), made->remaining(), t, found);
        auto const base = scope_.resolve(*made, found);
        if (found.error_count() > before) return value::unknown();
        return steps(base, t.steps.subspan(made->consumed), t, found);
    }

    /// A reference without a key to an object that may have instances, like `a` in `a[count.index]`.
    [[nodiscard]] auto repeatable(node const& n) -> std::optional<reference>
    {
        if (n.kind != node_kind::traversal || scope_.is_constant()) return std::nullopt;
        auto const& name = syntax::as<syntax::traversal>(n);
        if (bound(name.root) || scope_.variable(name.root)) return std::nullopt;
        diagnostics ignored;  // noted by the evaluation of the collection itself
        auto made = parse_reference(name, file_, ignored);
        bool const whole = made && made->is_repeatable() && !made->key && made->remaining().empty();
        return whole ? std::move(made) : std::nullopt;
    }

    [[nodiscard]] auto element(syntax::index const& i, diagnostics& found) -> value
    {
        auto const before = found.error_count();
        diagnostics from_key;
        auto const key = run(*i.key, from_key);
        bool const plain = !from_key.has_errors() && key.has_data() && key.marks() == mark::none;
        if (auto named = plain ? repeatable(*i.collection) : std::nullopt) {
            named->key = key;
            if (auto one = scope_.instance(*named)) return *std::move(one);
        }
        auto const collection = run(*i.collection, found);
        found.add(from_key);
        if (found.error_count() > before) return value::unknown();
        diagnostics own;
        auto made = language::index(collection, key, at(i.brackets), own);
        add_with_notes(found, std::move(own), i);
        return made;
    }

    [[nodiscard]] auto steps(value from, std::span<syntax::step const> all, node const& whole, diagnostics& found)
        -> value
    {
        for (auto const& step : all) {
            diagnostics own;
            from = step.key ? index(from, *step.key, at(step.range), own)
                            : get_attribute(from, step.name, at(step.range), own);
            if (own.has_errors()) {
                bool const describing = std::exchange(describing_, true);
                if (describing) found.add(std::move(own));
                else add_with_notes(found, std::move(own), whole);
                describing_ = describing;
                return value::unknown();
            }
        }
        return from;
    }

    [[nodiscard]] auto text(syntax::text const& t, diagnostics& found) -> value
    {
        std::string made;
        std::optional<std::string> prefix;  // the prefix, if not all parts are known
        bool known = true;
        mark marks = mark::none;
        for (auto const* const part : t.parts) {
            if (part->kind == node_kind::literal) {
                if (auto const written = syntax::as<syntax::literal>(*part).text()) {
                    made += *written;
                    continue;
                }
            }
            auto const before = found.error_count();
            auto const piece = run(*part, found);
            marks |= piece.marks();
            if (piece.is_null()) {
                fail(found, error(messages::null_in_template, at(*part), at(t)), *part);
                known = false;
                continue;
            }
            if (piece.is_unknown() || found.error_count() > before) {
                if (known) prefix = made;
                known = false;
                continue;
            }
            if (piece.is(type_kind::string)) {
                if (t.parts.size() == 1) return piece;  // shares its text
                made += piece.as_string();
                if (!fits(made.size(), t, found)) return value::unknown(type::string()).with_marks(marks);
                continue;
            }
            auto const string = convert(piece, type::string());
            if (!string) {
                auto const why = string.error().text();
                fail(found, error(messages::template_part_without_text, {why}, at(*part), at(t)), *part);
                known = false;
                continue;
            }
            made += string->as_string();
        }
        if (prefix) return value::unknown_with_prefix(settled_prefix(normalized(*prefix))).with_marks(marks);
        if (!known) return value::unknown(type::string()).refined_not_null().with_marks(marks);
        return value(std::move(made)).with_marks(marks);
    }

    /// True if a text of this size is within the limit; reports an error otherwise.
    [[nodiscard]] auto fits(std::size_t size, node const& n, diagnostics& found) -> bool
    {
        if (size <= longest_text) return true;
        found.add(error(messages::template_too_long, at(n)));
        return false;
    }

    [[nodiscard]] auto join(syntax::join const& j, diagnostics& found) -> value
    {
        auto const tuple = loop(syntax::as<syntax::for_each>(*j.tuple), found, &j);
        if (!tuple.has_data()) return value::unknown(type::string()).with_marks(tuple.marks());
        std::string made;
        mark const marks = tuple.marks();
        for (auto const& piece : tuple.elements()) {
            if (piece.is_null()) {
                fail(found, error(messages::null_in_template, at(j), at(j)), j);
                continue;
            }
            if (piece.is_unknown()) return value::unknown(type::string()).with_marks(marks);
            auto const string = convert(piece, type::string());
            if (string) made += string->as_string();
            else fail(found, error(messages::template_part_without_text, {string.error().text()}, at(j), at(j)), j);
        }
        return value(std::move(made)).with_marks(marks);
    }

    [[nodiscard]] auto conditional(syntax::conditional const& c, diagnostics& found) -> value
    {
        diagnostics from_true;
        diagnostics from_false;
        auto when_true = run(*c.when_true, from_true);
        auto when_false = run(*c.when_false, from_false);
        bool unite = true;
        auto common = common_type(when_true, when_false, unite);
        if (!common) {
            auto const why = describe_type_mismatch(when_true.get_type(), when_false.get_type());
            auto const both = at(between(c.when_true->range, c.when_false->range));
            fail(found, error(messages::inconsistent_results, {why}, both, at(c)), c);
            return value::unknown();
        }
        auto const before = found.error_count();
        auto const condition = run(*c.condition, found);
        if (condition.is_null()) {
            fail(found, error(messages::null_condition, at(*c.condition), at(c)), *c.condition);
            return value::unknown(*common);
        }
        mark const marks = condition.marks() | when_true.marks() | when_false.marks();
        if (condition.is_unknown()) {
            if (found.error_count() > before) return value::unknown(*common).with_marks(marks);
            if (when_true.is_null() && when_false.is_null()) return value::null(*common).with_marks(marks);
            value const made = value::unknown(*common).with_marks(
                marks_of_unknown(*common, when_true) | marks_of_unknown(*common, when_false));
            bool const not_null = when_true.is_definitely_not_null() && when_false.is_definitely_not_null();
            return (not_null ? made.refined_not_null() : made).with_marks(marks);
        }
        auto const decided = convert(condition, type::boolean());
        if (!decided) {
            fail(found, error(messages::condition_wrong_type, at(*c.condition), at(c)), *c.condition);
            return value::unknown(*common);
        }
        bool const chosen = decided->as_bool();
        found.add(chosen ? from_true : from_false);
        auto& result = chosen ? when_true : when_false;
        if (unite) {
            auto converted = convert(result, *common);
            if (!converted) {
                auto const& side = chosen ? *c.when_true : *c.when_false;
                auto const why = converted.error().text();
                fail(
                    found, error(messages::result_wrong_type, {chosen ? "true" : "false", why}, at(side), at(c)), side);
                return value::unknown(*common);
            }
            result = *std::move(converted);
        }
        return marks == mark::none ? std::move(result) : result.with_marks(marks);
    }

    /// Evaluates `a + b + c …` from the left without a recursive call per operator.
    [[nodiscard]] auto binary_chain(node const& n, diagnostics& found) -> value
    {
        std::vector<syntax::binary const*> chain;
        node const* first = &n;
        while (first->kind == node_kind::binary) {
            chain.push_back(&syntax::as<syntax::binary>(*first));
            first = chain.back()->left;
        }
        auto const has_logical = [](syntax::binary const* b) { return is_logical(b->op); };
        if (std::ranges::any_of(chain, has_logical)) return logical_chain(chain, *first, found);
        auto before = found.error_count();
        auto left = run(*first, found);
        for (auto next = chain.rbegin(); next != chain.rend(); ++next) {
            bool const failed_left = found.error_count() > before;
            left = binary(**next, std::move(left), failed_left, found);
            before = found.error_count();
            if (failed_left) --before;
        }
        return left;
    }

    /// The same for a chain with `&&` or `||`. Errors of a side are noted unless the other side decides the result.
    [[nodiscard]] auto logical_chain(
        std::vector<syntax::binary const*> const& chain, node const& first, diagnostics& found) -> value
    {
        diagnostics of_left;
        auto left = run(first, of_left);
        for (auto next = chain.rbegin(); next != chain.rend(); ++next)
            left = is_logical((*next)->op) ? logical(**next, std::move(left), of_left)
                                           : binary(**next, std::move(left), of_left.has_errors(), of_left);
        found.add(of_left);
        return left;
    }

    /// \param of_left  the diagnostics of the left side; on return, those of both sides that are to be noted
    [[nodiscard]] auto logical(syntax::binary const& b, value left, diagnostics& of_left) -> value
    {
        diagnostics of_right;
        diagnostics mistyped;
        left = operand(b, std::move(left), *b.left, type::boolean(), mistyped);
        value const right = operand(b, run(*b.right, of_right), *b.right, type::boolean(), mistyped);
        mark const marks = left.marks() | right.marks();
        bool const deciding = b.op == operation::logical_or;
        auto const decides = [&](value const& side) { return side.has_data() && side.as_bool() == deciding; };
        if (mistyped.has_errors()) {
            mistyped.add(of_left);
            of_left = std::move(mistyped);
        } else if (decides(left)) {
            return value(deciding).with_marks(marks);
        } else if (decides(right)) {
            of_left = std::move(of_right);
            return value(deciding).with_marks(marks);
        } else if (left.is_unknown() && right.is_unknown() && !of_left.has_errors()) {
            return unknown_result(b.op).refined_not_null().with_marks(marks);
        }
        of_left.add(of_right);
        if (of_left.has_errors()) return unknown_result(b.op);
        if (left.is_null() || right.is_null()) {
            fail(of_left, error(messages::null_operand, at(b)), b);
            return unknown_result(b.op);
        }
        if (left.is_unknown() || right.is_unknown()) return unknown_result(b.op).refined_not_null().with_marks(marks);
        return value(!deciding).with_marks(marks);  // neither side decides
    }

    [[nodiscard]] auto operand(
        syntax::binary const& b, value given, node const& place, type const& desired, diagnostics& found) -> value
    {
        if (given.is(desired.kind())) return given;
        auto converted = convert(given, desired);
        if (converted) return *std::move(converted);
        fail(found, error(messages::operand_wrong_type, {converted.error().text()}, at(place), at(b)), place);
        return value::unknown(desired);
    }

    [[nodiscard]] auto binary(syntax::binary const& b, value left, bool failed_left, diagnostics& found) -> value
    {
        auto const before = found.error_count();
        bool const any = b.op == operation::equal || b.op == operation::not_equal;
        if (!any) left = operand(b, std::move(left), *b.left, type::number(), found);
        value right = run(*b.right, found);
        if (!any) right = operand(b, std::move(right), *b.right, type::number(), found);
        if (failed_left || found.error_count() > before) return unknown_result(b.op);
        if (any) {
            auto const same = equal_value(left, right);
            if (b.op == operation::equal || same.is_unknown()) return same;
            return value(!same.as_bool()).with_marks(same.marks());
        }
        mark const marks = left.marks() | right.marks();
        if (left.is_null() || right.is_null()) {
            fail(found, error(messages::null_operand, at(b)), b);
            return unknown_result(b.op);
        }
        if (left.is_unknown() || right.is_unknown()) return unknown_result(b.op).refined_not_null().with_marks(marks);
        if (auto const made = compute(b.op, left.as_number(), right.as_number())) return made->with_marks(marks);
        fail(found, error(messages::undefined_result, at(b)), b);
        return value::unknown(type::number()).with_marks(marks);
    }

    [[nodiscard]] auto unary(syntax::unary const& u, diagnostics& found) -> value
    {
        auto const before = found.error_count();
        type const desired = u.op == operation::negate ? type::number() : type::boolean();
        auto const operand = convert(run(*u.operand, found), desired);
        if (!operand) {
            auto const why = operand.error().text();
            fail(found, error(messages::operand_wrong_type, {why}, at(*u.operand), at(u)), *u.operand);
            return value::unknown(desired);
        }
        if (found.error_count() > before) return value::unknown(desired);
        if (operand->is_null()) {
            fail(found, error(messages::null_operand, at(u)), u);
            return value::unknown(desired);
        }
        if (operand->is_unknown()) return value::unknown(desired).refined_not_null().with_marks(operand->marks());
        value const made = u.op == operation::negate ? value(-operand->as_number()) : value(!operand->as_bool());
        return made.with_marks(operand->marks());
    }

    /// A literal key: a name or a text.
    [[nodiscard]] auto object_key(syntax::object_item const& item, diagnostics& found) -> value
    {
        auto const& key = *item.key;
        if (!item.computed_key && key.kind == node_kind::traversal) {
            found.add(error(messages::ambiguous_key, at(key)));
            return value::unknown();
        }
        if (!item.computed_key && key.kind == node_kind::literal) {
            if (syntax::as<syntax::literal>(key).constant().is_null()) return value("null");
        }
        return run(key, found);
    }

    [[nodiscard]] auto object(syntax::object const& o, diagnostics& found) -> value
    {
        std::vector<value_entry> made;
        made.reserve(o.items.size());
        mark marks = mark::none;
        bool known = true;
        std::map<std::string, byte_range, std::less<>> places;  // of keys in JSON, where keys must be unique
        auto const repeats = [&](syntax::object_item const& item, std::string const& key) {
            if (!file_->is_json() || !item.computed_key) return false;
            auto const [first, fresh] = places.emplace(key, item.key->range);
            if (!fresh)
                found.add(
                    error(messages::duplicate_attribute, {in_quotes(key), at(first->second).text()}, at(*item.key)));
            return !fresh;
        };
        for (auto const& item : o.items) {
            if (auto const name = detail::written_key(item)) {
                auto key = normalized(*name);
                auto element = run(*item.of, found);
                if (!repeats(item, key)) made.push_back({std::move(key), std::move(element)});
                continue;
            }
            auto const before = found.error_count();
            auto const key = object_key(item, found);
            bool const failed = found.error_count() > before;
            auto element = run(*item.of, found);
            if (failed) {
                known = false;
                continue;
            }
            if (key.is_null() && !file_->is_json()) {
                fail(found, error(messages::null_key, at(*item.of), at(*item.of)), *item.key);
                known = false;
                continue;
            }
            marks |= key.marks();
            auto const name = convert(key, type::string());
            if (file_->is_json() && (!name || name->is_null())) {
                found.add(name ? error(messages::json_key_null, at(*item.key))
                               : error(messages::json_key_wrong_type, {name.error().text()}, at(*item.key)));
                known = false;
                continue;
            }
            auto const& place = *item.key;
            if (!name) fail(found, error(messages::key_wrong_type, {name.error().text()}, at(place), at(place)), place);
            if (!name || name->is_unknown()) {
                known = false;
                continue;
            }
            if (!repeats(item, name->as_string())) made.push_back({name->as_string(), std::move(element)});
        }
        if (!known) return value::unknown().with_marks(marks);
        return value::object(std::move(made)).with_marks(marks);
    }

    /// Evaluates the `if` clause of a `for` for an element. Nothing if it is unknown.
    [[nodiscard]] auto included(syntax::for_each const& each, bool& noted, mark& marks, diagnostics& found)
        -> std::optional<bool>
    {
        auto const before = found.error_count();
        auto const result = run(*each.condition, found);
        if (found.error_count() > before) return std::nullopt;
        marks |= result.marks();
        std::optional<diagnostic> wrong;
        if (result.is_null()) wrong = error(messages::element_condition_null, at(*each.condition), at(each));
        else if (auto const include = convert(result, type::boolean()); !include)
            wrong = error(messages::loop_condition_wrong_type, {include.error().text()}, at(*each.condition), at(each));
        else if (include->is_known()) return include->as_bool();
        if (wrong && !std::exchange(noted, true)) fail(found, *std::move(wrong), *each.condition);
        return std::nullopt;
    }

    /// Returns whether the `if` clause of a `for` can be evaluated for any elements.
    [[nodiscard]] auto condition_fits(syntax::for_each const& each, diagnostics& found) -> bool
    {
        auto const before = found.error_count();
        auto const depth = bindings_.size();
        if (!each.key_name.empty()) bindings_.push_back({each.key_name, nullptr, value::unknown()});
        bindings_.push_back({each.value_name, nullptr, value::unknown()});
        auto const result = run(*each.condition, found);
        bindings_.resize(depth);
        if (result.is_null()) {
            fail(found, error(messages::loop_condition_null, at(*each.condition), at(each)), *each.condition);
        } else if (auto const include = convert(result, type::boolean()); !include) {
            auto const why = include.error().text();
            fail(found, error(messages::loop_condition_wrong_type, {why}, at(*each.condition), at(each)),
                *each.condition);
        }
        return found.error_count() == before;
    }

    /// \param joined  the directive of a template that joins the elements: the loop ends when they exceed its limit
    [[nodiscard]] auto loop(syntax::for_each const& each, diagnostics& found, syntax::join const* joined = nullptr)
        -> value
    {
        auto const before = found.error_count();
        auto const collection = run(*each.collection, found);
        if (collection.is_null()) {
            fail(found, error(messages::loop_over_null, at(*each.collection), at(each)), *each.collection);
            return value::unknown();
        }
        if (collection.is(type_kind::dynamic)) return value::unknown().with_marks(collection.marks());
        if (collection.kind() < type_kind::list) {
            auto const name = collection.get_type().friendly_name();
            fail(found, error(messages::loop_over_single_value, {name}, at(*each.collection), at(each)),
                *each.collection);
            return value::unknown();
        }
        mark marks = collection.marks();
        if (each.condition && !condition_fits(each, found)) return value::unknown().with_marks(marks);
        if (collection.is_unknown() || found.error_count() > before) return value::unknown().with_marks(marks);

        bool known = true;
        bool noted = false;
        std::vector<value> elements;
        std::vector<value_entry> entries;
        std::vector<std::pair<std::string, std::vector<value>>> groups;
        std::unordered_map<std::string, std::size_t> places;  // of keys among entries or groups
        auto const depth = bindings_.size();
        std::size_t position = 0;
        std::size_t length = 0;  // of the texts of all elements, if they are joined
        auto const visit = [&](value key, value const& element) {
            if (!each.key_name.empty()) bindings_.push_back({each.key_name, nullptr, std::move(key)});
            bindings_.push_back({each.value_name, nullptr, element});
            if (each.condition) {
                auto const include = included(each, noted, marks, found);
                if (!include) known = false;
                if (!include || !*include) return;
            }
            if (!each.key) {
                elements.push_back(run(*each.of, found));
                if (joined) marks |= elements.back().deep_marks();  // it becomes a part of a text
                if (joined && elements.back().has_data() && elements.back().is(type_kind::string))
                    length += elements.back().as_string().size();
                return;
            }
            auto const name = loop_key(each, noted, marks, found);
            if (!name) {
                known = false;
                return;
            }
            auto made = run(*each.of, found);
            auto const [place, fresh] = places.try_emplace(*name, each.group ? groups.size() : entries.size());
            if (!each.group) {
                if (fresh) entries.push_back({*name, std::move(made)});
                else fail(found, detail::duplicate_key(*name, marks, at(*each.key), at(each)), *each.key);
                return;
            }
            if (fresh) groups.emplace_back(*name, std::vector<value>());
            groups[place->second].second.push_back(std::move(made));
        };
        for (auto const& element : collection.elements()) {
            visit(collection.is(type_kind::set) ? element : value(number(position)), element);
            bindings_.resize(depth);
            if (joined && !fits(length, *joined, found)) return value::unknown(type::string()).with_marks(marks);
            ++position;
        }
        for (auto const& [key, element] : collection.entries()) {
            visit(value(key), element);
            bindings_.resize(depth);
            if (joined && !fits(length, *joined, found)) return value::unknown(type::string()).with_marks(marks);
        }
        if (!known) return value::unknown().with_marks(marks);
        if (!each.key) return value::tuple(std::move(elements)).with_marks(marks);
        for (auto& [key, group] : groups) entries.push_back({key, value::tuple(std::move(group))});
        return value::object(std::move(entries)).with_marks(marks);
    }

    [[nodiscard]] auto loop_key(syntax::for_each const& each, bool& noted, mark& marks, diagnostics& found)
        -> std::optional<std::string>
    {
        auto const before = found.error_count();
        auto const raw = run(*each.key, found);
        if (found.error_count() > before) return std::nullopt;
        marks |= raw.marks();
        std::optional<diagnostic> wrong;
        if (raw.is_null()) {
            wrong = error(messages::loop_key_null, at(*each.key), at(each));
        } else if (raw.is_known()) {
            auto const key = convert(raw, type::string());
            if (key) return key->as_string();
            wrong = error(messages::loop_key_wrong_type, {key.error().text()}, at(*each.key), at(each));
        }
        if (wrong && !std::exchange(noted, true)) fail(found, *std::move(wrong), *each.key);
        return std::nullopt;
    }

    [[nodiscard]] auto splat_item(syntax::splat const& s, value element, diagnostics& found) -> value
    {
        bindings_.push_back({{}, s.item, std::move(element)});
        auto made = run(*s.each, found);
        bindings_.pop_back();
        return made;
    }

    /// The type of a splat's result for an element of a known type.
    [[nodiscard]] auto splat_element_type(syntax::splat const& s, type const& element, diagnostics& found) -> type
    {
        return splat_item(s, value::unknown(element), found).get_type();
    }

    [[nodiscard]] auto splat(syntax::splat const& s, diagnostics& found) -> value
    {
        auto const before = found.error_count();
        auto source = run(*s.from, found);
        if (found.error_count() > before) return value::unknown();
        bool const sequence = source.is(type_kind::tuple) || source.is(type_kind::list) || source.is(type_kind::set);
        mark const marks = source.marks();
        if (source.is_null()) {
            if (!sequence) return value::tuple({}).with_marks(marks);
            auto const whole = at(between(s.from->range, s.marker));
            fail(found, error(messages::splat_of_null, at(*s.from), whole), *s.from);
            return value::unknown();
        }
        if (source.is(type_kind::dynamic)) return value::unknown().with_marks(marks);
        bool perhaps_nothing = false;
        if (!sequence) {
            perhaps_nothing = source.is_unknown() && !source.is_definitely_not_null();
            source = value::tuple({source});
        }
        if (source.is_unknown()) {
            type const whole = source.get_type();
            if (!whole.is(type_kind::tuple))
                return value::unknown(type::list(splat_element_type(s, whole.element(), found)))
                    .refined_not_null()
                    .with_marks(marks);
            std::vector<type> elements;
            for (auto const& element : whole.elements()) elements.push_back(splat_element_type(s, element, found));
            return value::unknown(type::tuple(std::move(elements))).refined_not_null().with_marks(marks);
        }
        std::vector<value> made;
        made.reserve(source.size());
        for (auto const& element : source.elements()) made.push_back(splat_item(s, element, found));
        if (perhaps_nothing || found.error_count() > before) return value::unknown().with_marks(marks);
        if (source.is(type_kind::tuple)) return value::tuple(std::move(made)).with_marks(marks);
        if (made.empty())
            return value::list(splat_element_type(s, source.get_type().element(), found), {}).with_marks(marks);
        type const element = made.front().get_type();
        for (auto const& one : made) {
            if (one.get_type() == element) continue;
            found.add(error(messages::splat_of_mixed_types, at(*s.each), at(s)));
            return value::unknown();
        }
        return value::list(element, std::move(made)).with_marks(marks);
    }

    // calls

    struct given_argument {
        value of;
        node const* place;
    };

    void fail_call(
        diagnostics& found, function const& called, syntax::call const& c, diagnostic made, node const& values)
    {
        made.source.notes = notes(values, {});
        made.source.notes.insert(made.source.notes.begin(), detail::calling_note(called, c.name));
        found.add(std::move(made));
    }

    /// Adds the elements of the last argument. Returns the result of the call if there are none to add.
    [[nodiscard]] auto expand_last(function const& called, syntax::call const& c, std::vector<given_argument>& given,
        diagnostics& found) -> std::optional<value>
    {
        auto const& place = *c.arguments.back();
        auto const before = found.error_count();
        auto const last = run(place, found);
        if (found.error_count() > before) return value::unknown();
        bool const sequence = last.is(type_kind::tuple) || last.is(type_kind::list) || last.is(type_kind::set);
        if (last.is_null() || (!sequence && !last.is(type_kind::dynamic))) {
            auto const& why = last.is_null() ? messages::expanded_null : messages::expanded_wrong_type;
            fail_call(found, called, c, error(why, at(place), at(c)), place);
            return value::unknown();
        }
        if (last.is_unknown()) {
            mark marks = last.marks();
            for (auto const& one : given) marks |= one.of.deep_marks();
            return value::unknown().with_marks(marks);
        }
        for (auto const& element : last.elements()) given.push_back({element.with_marks(last.marks()), &place});
        return std::nullopt;
    }

    [[nodiscard]] auto call(syntax::call const& c, diagnostics& found) -> value
    {
        if (scope_.is_constant()) {
            found.add(error(messages::call_in_constant, at(c)));
            return value::unknown();
        }
        if (c.name == "try" || c.name == "core::try") return call_try(c, found);
        if (c.name == "can" || c.name == "core::can") return call_can(c, found);
        auto const* const called = scope_.find_function(c.name);
        if (!called) {
            found.add(unknown_function({&c, file_}, c, scope_));
            return value::unknown();
        }
        if (called->name == "templatestring" && !fits_template_string(*called, c, found)) return value::unknown();
        if (called->name == "convert") return call_convert(*called, c, found);
        std::vector<given_argument> given;
        given.reserve(c.arguments.size());
        auto const before = found.error_count();
        auto const plain = c.arguments.size() - (c.expand_last && !c.arguments.empty() ? 1 : 0);
        for (std::size_t i = 0; i < plain; ++i) given.push_back({run(*c.arguments[i], found), c.arguments[i]});
        if (plain < c.arguments.size())
            if (auto result = expand_last(*called, c, given, found)) return *std::move(result);
        if (!check_count(*called, c, given, found)) return value::unknown();
        std::vector<value> values;
        values.reserve(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) {
            auto const& desired = *called->parameter_at(i);
            auto converted = convert(given[i].of, desired.of);
            if (!converted) {
                refuse_argument(found, *called, c, i, converted.error().message(), *given[i].place);
                continue;
            }
            values.push_back(*std::move(converted));
        }
        if (found.error_count() > before) return value::unknown();
        auto result = language::call(*called, values, scope_.context());
        if (result) return *std::move(result);
        auto const& why = result.error();
        auto const reason = detail::failure_text(why, values);
        if (why.argument() && *why.argument() < given.size())
            refuse_argument(found, *called, c, *why.argument(), reason, *given[*why.argument()].place);
        else
            fail_call(found, *called, c,
                error(messages::function_failed, {c.name, reason}, at(syntax::start_range(c)), at(c)), c);
        return value::unknown();
    }

    void refuse_argument(diagnostics& found, function const& called, syntax::call const& c, std::size_t index,
        std::string const& why, node const& place)
    {
        auto const name = called.parameter_at(index)->name;
        auto const start = at(syntax::start_range(place));
        fail_call(found, called, c, error(messages::invalid_function_argument, {name, why}, start, at(c)), place);
    }

    /// `templatestring` accepts only references; a template could be written directly otherwise.
    [[nodiscard]] auto fits_template_string(function const& called, syntax::call const& c, diagnostics& found) -> bool
    {
        if (c.arguments.empty()) return true;
        auto const& first = *c.arguments[0];
        auto const* const why = detail::template_string_problem(first);
        if (!why) return true;
        fail_call(found, called, c, error(*why, at(syntax::start_range(first)), at(c)), first);
        return false;
    }

    [[nodiscard]] auto check_count(function const& called, syntax::call const& c,
        std::vector<given_argument> const& given, diagnostics& found) -> bool
    {
        auto const desired = called.parameters.size();
        if (given.size() < desired) {
            auto const name = called.parameters[given.size()].name;
            fail_call(
                found, called, c, error(messages::missing_function_argument, {c.name, name}, at(c.close), at(c)), c);
            return false;
        }
        if (!called.variadic && given.size() > desired) {
            auto const place = at(syntax::start_range(*given[desired].place));
            auto const count = std::to_string(desired);
            fail_call(found, called, c, error(messages::too_many_function_arguments, {c.name, count}, place, at(c)), c);
            return false;
        }
        return true;
    }

    /// The second argument of `convert` is a type, like that of a variable.
    [[nodiscard]] auto call_convert(function const& called, syntax::call const& c, diagnostics& found) -> value
    {
        std::vector<given_argument> given;
        for (auto const* const argument : c.arguments) given.push_back({value(), argument});
        if (!check_count(called, c, given, found)) return value::unknown();
        auto const before = found.error_count();
        value one = run(*c.arguments[0], found);
        auto const desired = parse_type({c.arguments[1], file_}, found);
        if (found.error_count() > before) return value::unknown();
        if (desired.defaults && !one.is_null()) one = with_defaults(one, *desired.defaults);
        if (auto converted = convert(one, desired.of)) return *std::move(converted);
        else refuse_argument(found, called, c, 0, converted.error().text(), *c.arguments[0]);
        return value::unknown();
    }

    [[nodiscard]] auto call_try(syntax::call const& c, diagnostics& found) -> value
    {
        std::string why;
        for (auto const* const argument : c.arguments) {
            diagnostics own;
            auto made = run(*argument, own);
            if (!own.has_errors()) {
                // A result that may still fail must not be chosen.
                if (!made.wholly_known()) return value::unknown().with_marks(made.deep_marks());
                return made;
            }
            why += detail::attempt_text(own);
        }
        auto const place = at(syntax::start_range(c));
        auto made = c.arguments.empty() ? error(messages::try_without_expressions, place, at(c))
                                        : error(messages::try_failed, {why}, place, at(c));
        made.source.notes = notes(c, {});
        made.source.notes.insert(made.source.notes.begin(), "while calling try(expressions...)");
        found.add(std::move(made));
        return value::unknown();
    }

    [[nodiscard]] auto call_can(syntax::call const& c, diagnostics& found) -> value
    {
        static function const can{"can", {{"expression", type::dynamic()}}, std::nullopt, {}, {}};
        std::vector<given_argument> given;
        for (auto const* const argument : c.arguments) given.push_back({value(), argument});
        if (!check_count(can, c, given, found)) return value::unknown(type::boolean());
        diagnostics own;
        auto const made = run(*c.arguments[0], own);
        if (own.has_errors()) return value(false);
        return made.wholly_known() ? value(true) : value::unknown(type::boolean());
    }

    scope const& scope_;
    source_file const* file_;
    std::vector<binding> bindings_;
    bool describing_ = false;
};

}  // namespace

auto evaluate(expression const& e, scope const& in, diagnostics& found) -> value
{
    return evaluator(in, e.file()).run(e.node(), found);
}

auto value_notes(expression const& e, scope const& in, note_options options) -> std::vector<std::string>
{
    return evaluator(in, e.file()).notes(e.node(), options);
}

}  // namespace iacctl::language
