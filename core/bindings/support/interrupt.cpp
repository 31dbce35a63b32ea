#include "support/interrupt.hpp"

#include <nanobind/nanobind.h>

#include <memory>

#include "bindings/module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::atomic<unsigned long> main_thread{0};

// Python runs the handlers of signals in its main thread only, and only when it is asked to.
void check_signals() {
    if (PyThread_get_thread_ident() != main_thread.load(std::memory_order_relaxed)) return;
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// A flag, and as a context manager the time in which this thread follows it.
struct Stop {
    StopFlag flag{false};
};

struct Following {
    Stop* stop;
    std::unique_ptr<FollowFlag> follow;
};

}  // namespace

void bind_interrupt(nb::module_& module) {
    main_thread =
        nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    // the thread that forks is the main thread of the new process
    nb::module_::import_("os").attr("register_at_fork")(
        "after_in_child"_a = nb::cpp_function([] { main_thread = PyThread_get_thread_ident(); }));
    set_interrupt_check(&check_signals);
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Interrupted& interrupted) {
            PyErr_SetString(PyExc_InterruptedError, interrupted.what());
        }
    });

    nb::class_<Stop>(module, "Stop", "A flag that stops the work of all threads that follow it.")
        .def(nb::init<>())
        .def(
            "set", [](Stop& self) { self.flag.store(true); }, "Stop the work; it raises InterruptedError.")
        .def(
            "following", [](Stop& self) { return new Following{&self, nullptr}; }, nb::keep_alive<0, 1>(),
            "A context in which this thread follows the flag.");
    nb::class_<Following>(module, "Following", "A context in which a thread follows a flag.")
        .def("__enter__",
             [](Following& self) { self.follow = std::make_unique<FollowFlag>(&self.stop->flag); })
        .def("__exit__", [](Following& self, const nb::args&) { self.follow.reset(); });
}

}  // namespace spindle
