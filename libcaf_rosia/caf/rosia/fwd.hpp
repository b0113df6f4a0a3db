// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia {

class action_base;
class application;
class composite;
class delay;
class input_port_base;
class mode;
class node;
class node_actor;
class output_port_base;
class parameter_base;
class ports_base;
class process_actor;
class reaction;
class reaction_base;
class shutdown;
class startup;
class state_base;
class task;

struct graph_description;
struct logical_time;
struct options;
struct application_report;

template <class>
class action;

template <class>
class bank_ref;

template <class>
class composite_ref;

template <class>
class input_port;

template <class>
class input_ports;

template <class>
class node_ref;

template <class>
class output_port;

template <class>
class output_ports;

template <class>
class parameter;

template <class>
class physical_action;

template <class>
class port_ref;

template <class>
class shared_value;

template <class>
class state;

template <class>
struct stateless;

namespace engine {

class body;
class node;

} // namespace engine

namespace detail {

class composite_scope;
class drill;
class inbox;
class membership;
class observation;
class relay;
class runtime;
class session;

struct application_access;
struct composite_access;
struct member_access;
struct port_sequence;
struct task_access;

} // namespace detail

} // namespace caf::rosia
