// SPDX-License-Identifier: BSL-1.0
// The engine in another domain: pages of a manual are published, changed and withdrawn, in an order that follows their links.
#include <strider/infra/engine.hpp>
#include <strider/infra/program/execution.hpp>

#include <boost/asio/io_context.hpp>

#include <iostream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace infra = strider::infra;

namespace {

// The value of a page. Its number is assigned at its publication, so the content of a page that links to a new page is
// unknown until then.
struct page {
    std::string text;
    int number = 0;
    bool known = true;

    auto wholly_known() const -> bool { return known; }
    friend bool operator==(page const&, page const&) = default;
};

struct page_declaration {
    std::string name, text;
    std::vector<std::string> links;
};

// The desired pages.
struct manual {
    using value_type = page;
    using declaration_type = page_declaration;

    std::vector<page_declaration> pages;

    auto declarations() const -> std::vector<page_declaration> const& { return pages; }
    auto name_of(page_declaration const& d) const -> std::string { return d.name; }
    auto address_of(page_declaration const& d) const -> infra::address { return {"page", d.name}; }
    auto provider_of(page_declaration const&) const -> std::string { return "printer"; }
    auto references(page_declaration const& d) const -> std::vector<infra::reference>
    {
        std::vector<infra::reference> all;
        for (std::string const& link : d.links) all.push_back({link, {}, {}, false});
        return all;
    }
    auto evaluate(page_declaration const& d, infra::address const&, infra::evaluation_scope<page> const& scope) const
        -> strider::result<page, infra::failure>
    {
        page result{d.text};
        for (std::string const& link : d.links) {
            page const* const other = scope.value(link);
            result.known = result.known && other != nullptr && other->known;
            if (result.known) result.text += " (see " + std::to_string(other->number) + ")";
        }
        return result;
    }
    auto encode(infra::address const&, std::string const&, page const& p) const -> infra::object
    {
        infra::object o;
        o.attributes = infra::document(std::to_string(p.number) + ":" + p.text);
        return o;
    }
    auto decode(infra::address const&, infra::object const& o) const -> strider::result<page, infra::failure>
    {
        std::string const& text = o.attributes.text();
        return page{text.substr(text.find(':') + 1), std::stoi(text)};
    }
};

// The pages that exist.
struct printer {
    std::map<int, std::string> published;

    auto read(infra::read_request<page> r) -> infra::task<strider::result<infra::read_result<page>, infra::failure>>
    {
        auto const found = published.find(r.prior.number);
        if (found == published.end()) co_return infra::read_result<page>();
        co_return infra::read_result<page>(page{found->second, r.prior.number});
    }
    auto plan(infra::plan_request<page> r) -> infra::task<strider::result<infra::planned<page>, infra::failure>>
    {
        page after = r.config;
        if (r.prior) after.number = r.prior->number;
        else after.known = false;
        co_return infra::planned<page>(after);
    }
    auto apply(infra::apply_request<page> r) -> infra::task<infra::applied<page>>
    {
        int const number = r.prior ? r.prior->number : published.empty() ? 1 : published.rbegin()->first + 1;
        std::cout << "  " << to_string(r.operation.kind) << ' ' << r.operation.target.name() << ", page " << number
                  << '\n';
        if (!r.planned) {
            published.erase(number);
            co_return infra::applied<page>();
        }
        published[number] = r.config.text;
        co_return infra::applied<page>(page{r.config.text, number});
    }
};

// Stores state in memory, until the end of the program.
struct memory {
    infra::snapshot state;

    auto read() -> infra::task<strider::result<infra::snapshot, infra::failure>> { co_return state; }
    auto append(std::span<infra::journal_entry const>, infra::snapshot const& after) -> infra::task<strider::error_code>
    {
        state = after;
        co_return strider::error_code();
    }
};

void publish(manual const& desired, printer& pages, memory& store)
{
    asio::io_context context;
    infra::basic_engine engine(desired, pages, store, infra::asio_execution(context.get_executor()));
    auto const run = [&]() -> infra::task<void> {
        auto planning = engine.plan(infra::plan_options());
        auto const plan = co_await std::move(planning);
        auto applying = engine.apply(plan.value(), "run " + std::to_string(store.state.serial));
        auto const report = co_await std::move(applying);
        std::cout << "  " << report.added << " added, " << report.changed << " changed, " << report.destroyed
                  << " withdrawn\n";
    };
    asio::co_spawn(context, run(), asio::detached);
    context.run();
    for (auto const& [number, text] : pages.published) std::cout << "  " << number << ". " << text << '\n';
}

}  // namespace

int main()
{
    printer pages;
    memory store;
    manual desired{{{"contents", "Contents", {"setup", "use"}}, {"setup", "Setup", {}}, {"use", "Use", {"setup"}}}};
    std::cout << "three pages\n";
    publish(desired, pages, store);
    std::cout << "another title\n";
    desired.pages[1].text = "Installation";
    publish(desired, pages, store);
    std::cout << "without the page about use\n";
    desired.pages = {{"contents", "Contents", {"setup"}}, {"setup", "Installation", {}}};
    publish(desired, pages, store);
}
