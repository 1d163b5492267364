// SPDX-License-Identifier: BSL-1.0
#include "nested_blocks.hpp"

#include "language/evaluation/body_reader.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/values/convert.hpp"
#include "messages/validation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace iacctl::language::detail {

namespace {

body_shape const dynamic_plain{{{"for_each", true}, {"iterator"}}, {{"content", {}}}};
body_shape const dynamic_labelled{{{"for_each", true}, {"iterator"}, {"labels", true}}, {{"content", {}}}};

[[nodiscard]] auto shape_of(schema const& desired) -> body_shape
{
    body_shape shape;
    for (auto const& one : desired.blocks) {
        body_shape::nested made{one.name, {}};
        if (one.how == nesting::map) made.labels.emplace_back("key");
        shape.blocks.push_back(std::move(made));
    }
    body_shape::nested expanding{"dynamic", {"type"}};
    expanding.content = &dynamic_labelled;
    shape.blocks.push_back(std::move(expanding));
    return shape;
}

/// The type of the blocks that a `dynamic` block generates; nothing for another block.
[[nodiscard]] auto expanded_type(block const& b) noexcept -> std::string_view
{
    return b.type == "dynamic" && b.labels.size() == 1 ? std::string_view(b.labels[0].text) : std::string_view();
}

[[nodiscard]] auto content_of(block const& expanding) noexcept -> block const*
{
    auto const found = std::ranges::find(expanding.content.blocks, "content", &block::type);
    return found == expanding.content.blocks.end() ? nullptr : &*found;
}

/// The name of the iterator in the content of a `dynamic` block.
[[nodiscard]] auto iterator_name(block const& expanding) -> std::string_view
{
    auto const* const given = expanding.content.find("iterator");
    if (!given) return expanding.labels[0].text;
    if (auto const name = as_keyword(given->of); !name.empty()) return name;
    auto const* const written = given->json ? given->json->of->constant : nullptr;
    bool const text = written && written->has_data() && written->is(type_kind::string);
    return text ? std::string_view(written->as_string()) : std::string_view(expanding.labels[0].text);
}

void check_dynamic(block const& b, schema_block const& desired, diagnostics& found)
{
    check_body(b.content, desired.how == nesting::map ? dynamic_labelled : dynamic_plain, found);
    if (auto const* const iterator = b.content.find("iterator")) {
        auto const* const name = as_traversal(iterator->of);
        if (!name && !b.json) found.add(error(messages::dynamic_iterator_expression, iterator->of.range()));
        else if (name && !name->steps.empty()) found.add(error(messages::dynamic_iterator_path, iterator->of.range()));
    }
    auto const* const labels = desired.how == nesting::map ? b.content.find("labels") : nullptr;
    if (labels) {
        auto const given = static_list(labels->of, found);
        bool const list = labels->of.node().kind == syntax::node_kind::tuple;
        if (list && given.size() > 1)
            found.add(error(messages::dynamic_labels_surplus, {desired.name}, given[1].range()));
        else if (list && given.empty())
            found.add(error(messages::dynamic_labels_missing, {desired.name}, labels->of.range()));
    }
    auto const is_content = [](block const& input) { return input.type == "content"; };
    auto const count = std::ranges::count_if(b.content.blocks, is_content);
    if (count == 0) found.add(error(messages::missing_dynamic_content, b.content.missing_item_range()));
    bool first = true;
    for (auto const& one : b.content.blocks) {
        if (!is_content(one)) continue;
        if (!std::exchange(first, false)) {
            found.add(error(messages::dynamic_content_repeated, one.header_range()));
            break;
        }
        check_body(one.content, *desired.content, found);
    }
}

/// Reports too few and too many blocks. \param more  `dynamic` blocks may generate further blocks
void check_count(
    body const& b, schema_block const& desired, std::vector<block const*> const& given, bool more, diagnostics& found)
{
    bool const one = desired.how == nesting::single || desired.how == nesting::group;
    if (one && given.size() > 1) {
        found.add(error(messages::duplicate_single_block, {desired.name, given[0]->header_range().text()},
            given[1]->header_range()));
        return;
    }
    if (!more && given.size() < desired.min_items) {
        auto const place = b.missing_item_range();
        if (one) found.add(error(messages::missing_nested_block, {desired.name}, place));
        else
            found.add(
                error(messages::insufficient_nested_blocks, {desired.name, std::to_string(desired.min_items)}, place));
    } else if (!one && desired.max_items > 0 && given.size() > desired.max_items) {
        found.add(error(messages::too_many_nested_blocks, {desired.name, std::to_string(desired.max_items)},
            given[desired.max_items]->header_range()));
    }
}

/// The scope of the content of a `dynamic` block for one element: the iterator, and the scope around it.
class iteration_scope final : public inner_scope {
public:
    iteration_scope(scope const& outer, std::string_view name, value key, value v)
        : inner_scope(outer),
          name_(name),
          iterator_(value::object({{"key", std::move(key)}, {"value", std::move(v)}}))
    {}

    [[nodiscard]] auto variable(std::string_view name) const -> value const* override
    {
        return name == name_ ? &iterator_ : inner_scope::variable(name);
    }

private:
    std::string_view name_;
    value iterator_;
};

/// An unknown object in which attributes that are not set are known.
[[nodiscard]] auto unknown_body(body const& b, schema const& desired) -> value
{
    std::vector<value_entry> made;
    for (auto const& one : desired.attributes)
        made.push_back({one.name, b.find(one.name) ? value::unknown(one.of) : value::null(one.of)});
    for (auto const& one : desired.blocks) made.push_back({one.name, value::unknown(one.attribute_type())});
    return value::object(std::move(made));
}

/// Collects the objects of all blocks of one type, including those that `dynamic` blocks generate.
class block_evaluator {
public:
    block_evaluator(schema_block const& desired, diagnostics& found) : desired_(desired), found_(found) {}

    [[nodiscard]] auto run(body const& b, scope const& in) -> value
    {
        bool expanded = false;
        for (auto const& one : b.blocks) {
            if (expanded_type(one) == desired_.name) {
                expanded = true;
                expand(one, in);
            } else if (one.type == desired_.name) {
                add(one, one.content, one.labels.empty() ? std::string() : one.labels[0].text, in);
            }
        }
        // Blocks without expansion were counted before.
        if (expanded && !unknown_) check_count(b, desired_, given_, false, found_);
        return result().with_marks(marks_);
    }

private:
    void add(block const& b, body const& content, std::string label, scope const& in)
    {
        given_.push_back(&b);
        if (desired_.how == nesting::map && std::ranges::find(made_, label, &value_entry::key) != made_.end()) {
            found_.add(error(messages::duplicate_block_label, {desired_.name, label}, b.header_range()));
            return;
        }
        made_.push_back({std::move(label), evaluate_body(content, *desired_.content, in, found_)});
    }

    /// \param wrong  the diagnostic about that place
    void fail(diagnostic wrong, expression const& place, scope const& in)
    {
        wrong.source.notes = value_notes(place, in);
        found_.add(std::move(wrong));
        unknown_ = true;
    }

    void expand(block const& b, scope const& in)
    {
        auto const* const given = b.content.find("for_each");
        auto const* const content = content_of(b);
        if (!given || !content) return;  // reported already
        auto const before = found_.error_count();
        auto const all = evaluate(given->of, in, found_);
        if (found_.error_count() > before) {
            unknown_ = true;
            return;
        }
        marks_ |= all.marks();
        if (!all.is(type_kind::dynamic) && all.get_type().is_primitive())
            return fail(
                error(messages::dynamic_for_each_not_collection, {all.get_type().friendly_name()}, given->of.range()),
                given->of, in);
        if (all.is_null()) return fail(error(messages::dynamic_for_each_null, given->of.range()), given->of, in);
        auto const name = iterator_name(b);
        if (all.is_unknown()) {
            unknown_ = true;
            if (made_.empty()) made_.push_back({{}, unknown_body(content->content, *desired_.content)});
            return;
        }
        std::size_t position = 0;
        for (auto const& element : all.elements()) {
            value const key = all.is(type_kind::set) ? element : value(number(position));
            ++position;
            add_made(b, *content, iteration_scope(in, name, key, element));
        }
        for (auto const& [key, element] : all.entries())
            add_made(b, *content, iteration_scope(in, name, value(key), element));
    }

    void add_made(block const& b, block const& content, iteration_scope const& in)
    {
        std::string label;
        if (desired_.how == nesting::map) {
            auto const* const labels = b.content.find("labels");
            if (!labels) return;
            diagnostics reported;
            auto const all = static_list(labels->of, reported);
            if (all.size() != 1) return;
            auto const made = label_of(all[0], in);
            if (!made) return;
            label = *made;
        }
        add(b, content.content, std::move(label), in);
    }

    [[nodiscard]] auto label_of(expression const& e, scope const& in) -> std::optional<std::string>
    {
        auto const before = found_.error_count();
        auto const given = evaluate(e, in, found_);
        std::optional<std::string> none;
        if (found_.error_count() > before) {
            unknown_ = true;
            return none;
        }
        auto const text = convert(given, type::string());
        if (!text) fail(error(messages::dynamic_label_not_text, {text.error().text()}, e.range()), e, in);
        else if (text->is_null()) fail(error(messages::dynamic_label_null, e.range()), e, in);
        else if (text->is_unknown()) fail(error(messages::dynamic_label_unknown, e.range()), e, in);
        else if (text->marks() != mark::none) fail(error(messages::dynamic_label_sensitive, e.range()), e, in);
        else return text->as_string();
        return none;
    }

    [[nodiscard]] auto result() -> value
    {
        type const element = desired_.object_type().without_optional();
        if (desired_.how == nesting::single || desired_.how == nesting::group) {
            if (!made_.empty()) return made_.front().of;
            if (desired_.how == nesting::single || unknown_)
                return unknown_ ? value::unknown(element) : value::null(element);
            return evaluate_body({}, *desired_.content, constant_scope(), found_);
        }
        if (unknown_) return value::unknown(desired_.attribute_type());
        bool const any = element.has_dynamic();
        if (desired_.how == nesting::map) return any ? value::object(made_) : value::map(element, made_);
        std::vector<value> elements;
        for (auto& one : made_) elements.push_back(std::move(one.of));
        if (desired_.how == nesting::list)
            return any ? value::tuple(std::move(elements)) : value::list(element, std::move(elements));
        if (!any) return value::set(element, std::move(elements));
        auto const as_set = convert(value::tuple(std::move(elements)), type::set(type::dynamic()));
        return as_set ? *as_set : value::unknown(type::set(type::dynamic()));
    }

    schema_block const& desired_;
    diagnostics& found_;
    std::vector<block const*> given_;
    std::vector<value_entry> made_;
    bool unknown_ = false;
    mark marks_ = mark::none;
};

}  // namespace

auto with_blocks(body const& b, schema const& desired, body& holder, diagnostics& found) -> body const&
{
    if (!b.json || desired.blocks.empty()) return b;
    return holder = as_shaped(b, shape_of(desired), found);
}

void check_nested_blocks(body const& b, schema const& desired, diagnostics& found)
{
    for (auto const& known : desired.blocks) {
        std::vector<block const*> given;
        bool more = false;
        for (auto const& one : b.blocks) {
            if (one.type == known.name) {
                given.push_back(&one);
                check_body(one.content, *known.content, found);
            } else if (expanded_type(one) == known.name) {
                more = true;
                check_dynamic(one, known, found);
            }
        }
        check_count(b, known, given, more, found);
    }
    for (auto const& one : b.blocks) {
        if (one.type != "dynamic") continue;
        auto const made = expanded_type(one);
        if (made.empty()) static_cast<void>(check_labels(one, {"dynamic", {"type"}}, found));
        else if (!desired.find_block(made))
            found.add(error(messages::unsupported_dynamic_block, {made}, one.labels[0].range));
    }
}

auto evaluate_blocks(body const& b, schema_block const& desired, scope const& in, diagnostics& found) -> value
{
    return block_evaluator(desired, found).run(b, in);
}

}  // namespace iacctl::language::detail
