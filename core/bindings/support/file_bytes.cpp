#include <nanobind/nanobind.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#ifdef _WIN32
#include <io.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "bindings/module.hpp"

namespace spindle {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

constexpr std::size_t kLargestRead = std::size_t{1} << 30;  // what every system reads in one call

// Asks for large pages: most of the time of a large read is spent on the first touch of every page.
void prefer_large_pages([[maybe_unused]] char* data, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t kPage = std::uintptr_t{1} << 16;  // a multiple of every page size in use
    constexpr std::size_t kWorthwhile = std::size_t{4} << 20;
    if (size < kWorthwhile) return;
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(data);
    const std::size_t skipped = static_cast<std::size_t>((kPage - start % kPage) % kPage);
    ::madvise(data + skipped, (size - skipped) / kPage * kPage, MADV_HUGEPAGE);  // a wish: it may fail
#endif
}

std::ptrdiff_t read_some(int file, char* data, std::size_t size) {
    const std::size_t count = std::min(size, kLargestRead);
#ifdef _WIN32
    return ::_read(file, data, static_cast<unsigned>(count));
#else
    return ::read(file, data, count);
#endif
}

// The next `size` bytes of a file, fewer at its end.
nb::object read_bytes(int file, std::size_t size) {
    PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
    if (bytes == nullptr) throw nb::python_error();
    nb::object owner = nb::steal(bytes);
    char* const data = PyBytes_AS_STRING(bytes);
    prefer_large_pages(data, size);
    std::size_t done = 0;
    while (done < size) {
        std::ptrdiff_t count = 0;
        {
            const nb::gil_scoped_release released;
            count = read_some(file, data + done, size - done);
        }
        if (count == 0) break;
        if (count < 0 && errno != EINTR) {
            PyErr_SetFromErrno(PyExc_OSError);
            throw nb::python_error();
        }
        if (count < 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    if (done == size) return owner;
    return nb::bytes(data, done);
}

}  // namespace

void bind_file_bytes(nb::module_& module) {
    module.def("read_bytes", &read_bytes, "file"_a, "size"_a,
               "Return the next bytes of an open file, given by its number; fewer at its end.");
}

}  // namespace spindle
