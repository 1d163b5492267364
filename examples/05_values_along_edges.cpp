// SPDX-License-Identifier: BSL-1.0
// The price of products made of parts: each visit adds the prices of the parts that it receives. If the price of a part
// is unknown, the products made of it are skipped.
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visit_values.hpp>

#include <boost/asio/thread_pool.hpp>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct item {
    std::string name;
    int cents;  // to buy it, or to assemble its parts
    std::vector<std::string> parts;
};

struct quote {
    int cents;
    std::string text;
};

auto catalogue(std::vector<item> const& items) -> strider::result<strider::dag<item>>
{
    auto draft = strider::make_digraph(items, &item::name, &item::parts);
    if (!draft) return draft.error();
    return strider::freeze(*std::move(draft));
}

}  // namespace

auto main() -> int
{
    auto const items = catalogue({
        {"spoke", 25, {}},
        {"rim", 1900, {}},
        {"saddle", -1, {}},
        {"frame", 24000, {}},
        {"wheel", 800, {"rim", "spoke"}},
        {"chassis", 1500, {"frame", "wheel"}},
        {"bicycle", 2500, {"chassis", "saddle"}},
    });
    strider::asio::thread_pool pool(2);
    // By default, the values of vertices without dependents remain.
    strider::visit_values<quote> quotes(*items, [&](strider::vertex_id v) { return !(*items)[v].parts.empty(); });

    auto const price =
        [](strider::vertex_id, item const& of,
            strider::dependency_values<quote> parts) -> boost::system::result<quote, strider::error_code> {
        if (of.cents < 0) return make_error_code(boost::system::errc::no_message_available);
        quote total{of.cents, of.name};
        for (quote const& part : parts) {
            total.cents += part.cents;
            total.text += " + " + part.text;
        }
        return total;
    };
    auto const report = strider::walk(pool, *items, quotes.visitor(price));

    for (auto const v : items->vertices()) {
        if (!report[v].is_done()) std::cout << (*items)[v].name << ": " << to_string(report[v].status()) << '\n';
        else if (!(*items)[v].parts.empty())
            std::cout << (*items)[v].name << ": " << quotes[v].text << " = " << quotes[v].cents << " cents\n";
    }
}
