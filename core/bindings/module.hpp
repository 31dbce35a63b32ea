// One function for each part of the core; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace spindle {

void bind_arc_parser(nanobind::module_& module);
void bind_bracket(nanobind::module_& module);
void bind_decoders(nanobind::module_& module);
void bind_labeler(nanobind::module_& module);
void bind_node_classifier(nanobind::module_& module);
void bind_outline(nanobind::module_& module);
void bind_reduction(nanobind::module_& module);
void bind_scoring(nanobind::module_& module);
void bind_sentence(nanobind::module_& module);
void bind_tagger(nanobind::module_& module);
void bind_tree(nanobind::module_& module);
void bind_tree_context(nanobind::module_& module);

}  // namespace spindle
