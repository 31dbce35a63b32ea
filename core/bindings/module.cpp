#include "bindings/module.hpp"

NB_MODULE(_core, module) {
    // A script whose variables still hold a parser when it ends is not at fault: no warnings at exit.
    nanobind::set_leak_warnings(false);
    module.doc() = "Spindle's compiled core: arrays in, arrays out.";
    spindle::bind_interrupt(module);
    spindle::bind_file_bytes(module);
    spindle::bind_tree(module);
    spindle::bind_dtree(module);
    spindle::bind_boundaries(module);
    spindle::bind_brackets(module);
    spindle::bind_bracket_balance(module);
    spindle::bind_isomorphism(module);
    spindle::bind_repairs(module);
    spindle::bind_tree_scorer(module);
    spindle::bind_tree_index(module);
    spindle::bind_tree_searcher(module);
    spindle::bind_decoders(module);
    spindle::bind_sequence(module);
    spindle::bind_sentence(module);
    spindle::bind_sequence_model(module);
    spindle::bind_arc_parser(module);
    spindle::bind_arc_trainer(module);
    spindle::bind_labeler(module);
    spindle::bind_node_classifier(module);
    spindle::bind_reranker(module);
    spindle::bind_tree_context(module);
}
