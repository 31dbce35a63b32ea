#include "bindings/module.hpp"

NB_MODULE(_core, module) {
    module.doc() = "Spindle's compiled core: arrays in, arrays out.";
    spindle::bind_arc_parser(module);
    spindle::bind_bracket(module);
    spindle::bind_decoders(module);
    spindle::bind_labeler(module);
    spindle::bind_node_classifier(module);
    spindle::bind_outline(module);
    spindle::bind_reduction(module);
    spindle::bind_scoring(module);
    spindle::bind_sentence(module);
    spindle::bind_tagger(module);
    spindle::bind_tree(module);
    spindle::bind_tree_context(module);
}
