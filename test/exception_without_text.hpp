// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <exception>

/// A program-defined exception without a text.
struct exception_without_text : std::exception {
  const char* what() const noexcept override {
    return nullptr;
  }
};
