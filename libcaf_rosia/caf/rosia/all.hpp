// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/actor/node_actor.hpp"
#include "caf/rosia/actor_names.hpp"
#include "caf/rosia/application.hpp"
#include "caf/rosia/config.hpp"
#include "caf/rosia/diagram.hpp"
#include "caf/rosia/exec_main.hpp"
#include "caf/rosia/format.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/line_reader.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/port_ref.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/report.hpp"
#include "caf/rosia/shutdown.hpp"
#include "caf/rosia/signal_behavior.hpp"
#include "caf/rosia/task.hpp"
#include "caf/rosia/timer.hpp"
#include "caf/rosia/version.hpp"
