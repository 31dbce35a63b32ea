// A way out of long work: loops that may take long call `poll_interrupt`, which throws when the work is no
// longer wanted. Neither the core nor this file knows Python; the bindings install a check for signals.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace spindle {

// Thrown in the threads whose work is no longer wanted.
class Interrupted : public std::exception {
  public:
    const char* what() const noexcept override { return "interrupted"; }
};

// Set it to stop the work of every thread that follows it.
using StopFlag = std::atomic<bool>;

// Lets this thread follow a flag, and makes it follow the flag before that one at the end.
class FollowFlag {
  public:
    explicit FollowFlag(const StopFlag* flag);
    ~FollowFlag();
    FollowFlag(const FollowFlag&) = delete;
    FollowFlag& operator=(const FollowFlag&) = delete;

  private:
    const StopFlag* before_;
};

// The flag that this thread follows; null for none.
const StopFlag* followed_flag();

// Called now and then in threads that were not started by the core. It may throw.
void set_interrupt_check(void (*check)());

// For threads that the core has started: they follow a flag only.
void skip_interrupt_checks();

namespace detail {

inline constexpr std::size_t kStepsBetweenChecks = std::size_t{1} << 22;
inline thread_local std::size_t steps_done = 0;

void check_interrupt();

}  // namespace detail

// Tells that this thread has done about `steps` simple operations since its last call.
inline void poll_interrupt(std::size_t steps) {
    detail::steps_done += steps;
    if (detail::steps_done < detail::kStepsBetweenChecks) return;
    detail::steps_done = 0;
    detail::check_interrupt();
}

}  // namespace spindle
