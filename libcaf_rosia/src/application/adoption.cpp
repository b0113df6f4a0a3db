// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/application_access.hpp"
#include "base/text.hpp"
#include "caf/rosia/application.hpp"
#include "caf/rosia/report.hpp"
#include "caf/rosia/shutdown/shutdown.hpp"
#include "shutdown/shutdown_core.hpp"
#include "watch/shutdown_source.hpp"

namespace caf::rosia {

namespace {

using detail::application_access;

/// An application, which may be destroyed at any time.
class adopted_application final : public detail::adopted_program {
public:
  explicit adopted_application(application& x)
    : now_(&x), link_(application_access::link(x)) {
    // nop
  }

  // Called during the adoption.
  void on_start(std::function<void()> fun) override {
    application_access::on_start(*now_, std::move(fun));
  }

  // Called during the adoption.
  void on_over(std::function<void(const outcome&)> fun) override {
    application_access::on_over(
      *now_, [f = std::move(fun)](const detail::application_outcome& x) {
        f({x.status, x.error});
      });
  }

  bool request_end() override {
    auto has_started = true;
    link_->call([&](application& x) {
      has_started = application_access::request_end(x);
    });
    return has_started;
  }

  bool abort(int status) override {
    auto has_started = true;
    link_->call([&](application& x) {
      has_started = application_access::abort(x, status);
    });
    return has_started;
  }

  std::string blocker() override {
    std::string result;
    link_->call([&](application& x) {
      result = detail::first_blocker(x.status());
    });
    return result;
  }

private:
  application* now_; // only valid during `adopt`
  std::shared_ptr<detail::application_link> link_;
};

} // namespace

// Here, because programs that use only a shutdown do not link applications.
void shutdown::adopt(application& app, std::string name, part_options opts) {
  detail::require_name("participant", name);
  core_->adopt(std::make_shared<adopted_application>(app), std::move(name),
               std::move(opts));
  application_access::show(
    app, std::make_shared<detail::shutdown_source>(core_));
}

} // namespace caf::rosia
