#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace spindle {

// The logarithm of the sum of exp(x) over all x in `logs`, without overflow; -inf if all of them are -inf.
template <class Number>
Number log_sum_exp(const std::vector<Number>& logs) {
    constexpr Number kLogZero = -std::numeric_limits<Number>::infinity();
    const Number top = *std::max_element(logs.begin(), logs.end());
    if (!(top > kLogZero)) return kLogZero;
    Number sum = 0;
    for (const Number log : logs) sum += std::exp(log - top);
    return top + std::log(sum);
}

}  // namespace spindle
