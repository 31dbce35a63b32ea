// Work on many sentences in parallel. Results never depend on the number of threads.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spindle {

// Calls task(i) for every i below `count`, from `threads` threads. The first exception is thrown again here.
template <class Task>
void parallel_for(std::size_t count, int threads, Task&& task) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t item = 0; item < count; ++item) task(item);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        for (std::size_t item; (item = next.fetch_add(1)) < count;) {
            try {
                task(item);
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
                next.store(count);
            }
        }
    };
    std::vector<std::thread> workers;
    for (int worker = 1; worker < threads; ++worker) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace spindle
