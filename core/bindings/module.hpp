// One function per part of the core; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace spindle {

void bind_arc_parser(nanobind::module_& module);
void bind_arc_trainer(nanobind::module_& module);
void bind_bracket_balance(nanobind::module_& module);
void bind_boundaries(nanobind::module_& module);
void bind_brackets(nanobind::module_& module);
void bind_decoders(nanobind::module_& module);
void bind_dtree(nanobind::module_& module);
void bind_file_bytes(nanobind::module_& module);
void bind_interrupt(nanobind::module_& module);
void bind_isomorphism(nanobind::module_& module);
void bind_labeler(nanobind::module_& module);
void bind_node_classifier(nanobind::module_& module);
void bind_reranker(nanobind::module_& module);
void bind_repairs(nanobind::module_& module);
void bind_sentence(nanobind::module_& module);
void bind_sequence(nanobind::module_& module);
void bind_sequence_model(nanobind::module_& module);
void bind_tree(nanobind::module_& module);
void bind_tree_context(nanobind::module_& module);
void bind_tree_index(nanobind::module_& module);
void bind_tree_scorer(nanobind::module_& module);
void bind_tree_searcher(nanobind::module_& module);

}  // namespace spindle
