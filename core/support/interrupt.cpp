#include "support/interrupt.hpp"

#include <chrono>

namespace spindle {

namespace {

using Clock = std::chrono::steady_clock;
// Short against the second within which a program should end, long against the time that a check takes.
constexpr std::chrono::milliseconds kBetweenChecks{50};

std::atomic<void (*)()> installed_check{nullptr};
thread_local const StopFlag* followed = nullptr;
thread_local bool skips_check = false;
thread_local Clock::time_point last_check{};

}  // namespace

FollowFlag::FollowFlag(const StopFlag* flag) : before_(followed) { followed = flag; }
FollowFlag::~FollowFlag() { followed = before_; }

const StopFlag* followed_flag() { return followed; }

void set_interrupt_check(void (*check)()) { installed_check.store(check); }

void skip_interrupt_checks() { skips_check = true; }

void detail::check_interrupt() {
    if (followed && followed->load(std::memory_order_relaxed)) throw Interrupted();
    if (skips_check) return;
    const Clock::time_point now = Clock::now();
    if (now - last_check < kBetweenChecks) return;
    last_check = now;
    if (void (*check)() = installed_check.load()) check();
}

}  // namespace spindle
