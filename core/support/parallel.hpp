// Work on many sentences in parallel. Results never depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "support/interrupt.hpp"

namespace spindle {

// Calls task(i) for every i below `count`, from `threads` threads. The first exception is thrown again here;
// it also stops the other threads.
template <class Task>
void parallel_for(std::size_t count, int threads, Task&& task) {
    constexpr std::size_t kStepsOfTask = 10000;  // a guess; tasks that take long poll themselves
    if (threads <= 1 || count <= 1) {
        for (std::size_t item = 0; item < count; ++item) {
            poll_interrupt(kStepsOfTask);
            task(item);
        }
        return;
    }
    std::atomic<std::size_t> next{0};
    const StopFlag* const outer = followed_flag();
    StopFlag stop{false};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        const FollowFlag follow(&stop);
        for (std::size_t item; (item = next.fetch_add(1)) < count;) {
            try {
                poll_interrupt(kStepsOfTask);
                if (outer && outer->load(std::memory_order_relaxed)) throw Interrupted();
                task(item);
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
                next.store(count);
                stop.store(true);
            }
        }
    };
    const int most = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), count));
    std::vector<std::thread> workers;
    try {
        for (int worker = 1; worker < most; ++worker)
            workers.emplace_back([&] {
                skip_interrupt_checks();
                work();
            });
    } catch (const std::system_error&) {
        // the system has no more threads: those that there are do the work
    }
    work();
    for (std::thread& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace spindle
