#pragma once

namespace spindle {

// The parent of a constituent tree's root node, and the head of a dependency tree's root word.
inline constexpr int kRoot = -1;

}  // namespace spindle
