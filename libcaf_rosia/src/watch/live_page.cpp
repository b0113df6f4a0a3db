// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/live_page.hpp"

#include "caf/rosia/shutdown/shutdown.hpp"
#include "shutdown/shutdown_core.hpp"
#include "watch/page_board.hpp"
#include "watch/shutdown_source.hpp"

#include <spdlog/logger.h>

namespace caf::rosia {

struct live_page::impl {
  std::shared_ptr<detail::page_board> board;
  std::shared_ptr<detail::watch_source> source;
};

live_page::live_page(shutdown& x, const options& opts) {
  if (opts.watch.address.empty())
    return;
  auto board = detail::page_board::open(detail::page_config_of(opts));
  auto source = std::make_shared<detail::shutdown_source>(x.core_);
  board->add(source);
  x.core_->state.log().info("the live page is at {}", board->url());
  impl_ = std::make_unique<impl>(impl{std::move(board), std::move(source)});
}

live_page::~live_page() {
  if (impl_)
    impl_->board->remove({impl_->source});
}

std::string live_page::url() const {
  return impl_ ? impl_->board->url() : std::string{};
}

} // namespace caf::rosia
