//===- DriverTest.cpp - Devices, memory, streams and events played --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#if defined(__SANITIZE_THREAD__)
#define TURNIP_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TURNIP_THREAD_SANITIZER
#endif
#endif
#ifdef TURNIP_THREAD_SANITIZER
constexpr bool threadSanitizer = true;
#else
constexpr bool threadSanitizer = false;
#endif

namespace {
using DriverApi = Machine;
using DriverApiDeathTest = Machine;

/// Keeps a stream from going on until it is opened.
class Gate {
public:
  explicit Gate(Handle stream) {
    EXPECT_EQ(cuLaunchHostFunc(
                  stream,
                  [](void *data) {
                    while (!static_cast<Gate *>(data)->isOpen.load())
                      std::this_thread::yield();
                  },
                  this),
              CUDA_SUCCESS);
  }
  void open() { isOpen = true; }

private:
  std::atomic<bool> isOpen{false};
};

void sleepMs(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}
} // namespace

TEST_F(DriverApi, ConfigurationIsChecked) {
  auto problem = [](const char *text) {
    const char *found = turnipStandInConfigure(text);
    return std::string(found ? found : "");
  };
  EXPECT_EQ(problem("devices=2,memory=1MiB,chip=sm_80,driver=12080,delay-us=5,"
                    "seed=3,link-gbps=2.5,peers=0,poison=0,log=0,report="),
            "");
  EXPECT_EQ(problem("devices=17"),
            "devices: expected a number from 0 to 16, but got '17'");
  EXPECT_EQ(problem("poison=yes"), "poison: expected 0 or 1, but got 'yes'");
  EXPECT_EQ(problem("chip=90"), "chip: expected a chip such as sm_90, but got "
                                "'90'");
  EXPECT_EQ(problem("link-gbps=-1"),
            "link-gbps: expected a number from 0 to 1000000, but got '-1'");
  EXPECT_EQ(problem("colour=red"), "unknown key 'colour'");
  EXPECT_NE(problem("memory=lots").find("memory: "), std::string::npos);
  EXPECT_NE(problem("fail=cuInit:0").find("fail: expected a number from 1"),
            std::string::npos);
  start("");
  EXPECT_EQ(problem(""), "something is alive still");
}

TEST_F(DriverApi, NothingWorksBeforeItIsInitialised) {
  ASSERT_EQ(turnipStandInConfigure("devices=0"), nullptr);
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
  ASSERT_EQ(turnipStandInConfigure("driver=12080"), nullptr);
  EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  int version = 0;
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 12080);
  EXPECT_EQ(cublasLtGetVersion(), 120000U);
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(message(), "no context is current to this thread");
}

TEST_F(DriverApi, DevicesAreWhatTheConfigurationSays) {
  start("devices=2,memory=8MiB,chip=sm_86");
  int count = 0, value = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  CUdevice device = -1;
  EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(message(), "there is no device 2");
  char name[64];
  EXPECT_EQ(cuDeviceGetName(name, sizeof(name), 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "Turnip CUDA stand-in");
  char bus[16];
  EXPECT_EQ(cuDeviceGetPCIBusId(bus, sizeof(bus), 1), CUDA_SUCCESS);
  EXPECT_STREQ(bus, "0000:02:00.0");
  unsigned char uuid[2][16];
  EXPECT_EQ(cuDeviceGetUuid_v2(uuid[0], 0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetUuid_v2(uuid[1], 1), CUDA_SUCCESS);
  EXPECT_NE(std::memcmp(uuid[0], uuid[1], 16), 0);
  size_t bytes = 0;
  EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 8U << 20);
  EXPECT_EQ(cuDeviceGetAttribute(
                &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 8);
  EXPECT_EQ(cuDeviceGetAttribute(
                &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 6);
  EXPECT_EQ(
      cuDeviceGetAttribute(&value, CUdevice_attribute(9999) /* NOLINT */, 0),
      CUDA_ERROR_INVALID_VALUE);
  unsigned flags = 1;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &value), CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(1, &flags, &value), CUDA_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_ERROR_INVALID_CONTEXT);
  size_t limit = 0;
  EXPECT_EQ(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetLimit(CUlimit(77) /* NOLINT */, 1),
            CUDA_ERROR_INVALID_VALUE);
  int least = 1, greatest = 1;
  EXPECT_EQ(cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
  EXPECT_GT(least, greatest);
}

TEST_F(DriverApi, ErrorsHaveNames) {
  const char *name = nullptr, *text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name), CUDA_SUCCESS);
  EXPECT_STREQ(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(CUresult(12345) /* NOLINT */, &name),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
}

TEST_F(DriverApi, ContextsAreAStackPerThread) {
  start("devices=2");
  Handle other = nullptr, top = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCurrent(&top), CUDA_SUCCESS);
  EXPECT_EQ(top, other);
  CUdevice device = -1;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuCtxPopCurrent_v2(&top), CUDA_SUCCESS);
  EXPECT_EQ(top, other);
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
  std::thread([&] {
    Handle none = this;
    EXPECT_EQ(cuCtxGetCurrent(&none), CUDA_SUCCESS);
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(cuCtxPopCurrent_v2(&none), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPushCurrent_v2(other), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverApi, AContextTakesWhatItOwnsWithIt) {
  start("");
  Handle other = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  allocate(100);
  pinned<char>(100);
  Handle kept = stream();
  event();
  EXPECT_EQ(statistics().deviceBytes, 100U);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(statistics().abandoned, 4U);
  EXPECT_EQ(cuStreamSynchronize(kept), CUDA_ERROR_INVALID_HANDLE);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(DriverApi, MemoryEndsWhereTheDeviceDoes) {
  start("memory=1MiB");
  CUdeviceptr first = allocate(1 << 19);
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(free, 1U << 19);
  EXPECT_EQ(total, 1U << 20);
  CUdeviceptr second = 0;
  EXPECT_EQ(cuMemAlloc_v2(&second, (1 << 19) + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(message(),
            "device 0: 524289 bytes were asked for, 524288 are free");
  EXPECT_EQ(cuMemAlloc_v2(&second, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(first + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(statistics().peakDeviceBytes, 1U << 19);
  // Addresses are not used again soon, but they do not run out.
  for (int i = 0; i < 100; ++i) {
    second = allocate(1 << 20);
    EXPECT_EQ(second % 4096, 0U);
    EXPECT_EQ(cuMemFree_v2(second), CUDA_SUCCESS);
  }
}

TEST_F(DriverApi, FreshMemoryIsNaN) {
  start("");
  CUdeviceptr address = allocate(5000);
  for (uint8_t byte : download<uint8_t>(address, 5000))
    ASSERT_EQ(byte, 0xFF);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApiDeathTest, TheHostCannotTouchDeviceMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto touch = [this] {
    start("");
    *reinterpret_cast<volatile int *>(allocate(4)) = 1; // NOLINT
  };
  EXPECT_DEATH(touch(), "");
}

TEST_F(DriverApi, CopiesGoThereAndBack) {
  start("");
  std::vector<int> values(1000);
  for (int i = 0; i < 1000; ++i)
    values[static_cast<size_t>(i)] = i;
  CUdeviceptr first = upload(values), second = allocate(4000);
  EXPECT_EQ(cuMemcpyDtoD_v2(second, first, 4000), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8_v2(second + 4, 0, 8), CUDA_SUCCESS);
  values[1] = values[2] = 0;
  EXPECT_EQ(download<int>(second, 1000), values);
  EXPECT_EQ(cuMemsetD32Async(second, 7, 2, nullptr), CUDA_SUCCESS);
  values[0] = values[1] = 7;
  EXPECT_EQ(download<int>(second, 1000), values);
  int *host = pinned<int>(1000);
  EXPECT_EQ(
      cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(host), second, 4000, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(std::vector<int>(host, host + 1000), values);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(second), CUDA_SUCCESS);
}

TEST_F(DriverApi, WrongAddressesAreRefused) {
  start("");
  CUdeviceptr address = allocate(100);
  char host[200] = {};
  char *locked = pinned<char>(64);
  auto refused = [](CUresult result) {
    return result == CUDA_ERROR_INVALID_VALUE;
  };
  EXPECT_TRUE(refused(cuMemcpyHtoD_v2(address, host, 101)));
  EXPECT_NE(message().find("is no device memory that is allocated"),
            std::string::npos);
  EXPECT_TRUE(refused(cuMemcpyHtoD_v2(address + 100, host, 1)));
  EXPECT_TRUE(refused(cuMemcpyDtoH_v2(host, address + 1, 100)));
  EXPECT_TRUE(refused(cuMemcpyDtoH_v2(nullptr, address, 10)));
  EXPECT_TRUE(refused(
      cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(host), host + 100, 10)));
  EXPECT_TRUE(refused(cuMemcpyHtoD_v2(
      address, reinterpret_cast<void *>(address), 10))); // NOLINT
  EXPECT_NE(message().find("is no host memory, or only partly pinned"),
            std::string::npos);
  EXPECT_TRUE(refused(cuMemcpyHtoD_v2(address, locked + 60, 8)));
  EXPECT_TRUE(refused(cuMemcpyDtoD_v2(address, address + 90, 20)));
  EXPECT_TRUE(refused(cuMemsetD8_v2(address + 90, 0, 20)));
  EXPECT_TRUE(refused(cuMemsetD32Async(address + 1, 0, 1, nullptr)));
  EXPECT_TRUE(refused(cuMemFreeHost(host)));
  EXPECT_EQ(cuMemcpyHtoD_v2(address, host, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
  EXPECT_TRUE(refused(cuMemcpyHtoD_v2(address, host, 4)));
  EXPECT_EQ(cuMemFreeHost(locked), CUDA_SUCCESS);
}

TEST_F(DriverApi, HostMemoryIsRegisteredOnce) {
  start("");
  std::vector<char> host(1000);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&pointer, host.data(), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister_v2(host.data(), 500, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister_v2(host.data() + 499, 10, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&pointer, host.data(), 0),
            CUDA_SUCCESS);
  unsigned type = 0;
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer),
      CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_HOST);
  EXPECT_EQ(statistics().hostBytes, 500U);
  EXPECT_EQ(cuMemHostUnregister(host.data() + 1),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cuMemHostUnregister(host.data()), CUDA_SUCCESS);
  EXPECT_EQ(statistics().peakHostBytes, 500U);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST_F(DriverApi, PinnedCopiesAreLateAndPageableOnesAreNot) {
  start("");
  Handle work = stream();
  CUdeviceptr address = allocate(4);
  int *locked = pinned<int>(2);
  locked[0] = 1;
  Gate gate(work);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(address, locked, 4, work), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(locked + 1, address, 4, work), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(work), CUDA_ERROR_NOT_READY);
  locked[0] = 2;
  gate.open();
  EXPECT_EQ(cuStreamSynchronize(work), CUDA_SUCCESS);
  EXPECT_EQ(locked[1], 2);
  EXPECT_EQ(statistics().pageableCopies, 0U);
  int pageable = 5;
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(address, &pageable, 4, work), CUDA_SUCCESS);
  pageable = 6;
  int result = 0;
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(&result, address, 4, work), CUDA_SUCCESS);
  EXPECT_EQ(result, 5);
  EXPECT_EQ(cuStreamQuery(work), CUDA_SUCCESS);
  EXPECT_EQ(statistics().pageableCopies, 2U);
  EXPECT_EQ(statistics().copies, 4U);
  EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(locked), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, EventsOrderStreams) {
  start("delay-us=300,seed=7");
  Handle streams[2] = {stream(), stream()};
  Handle done = event();
  EXPECT_EQ(cuEventQuery(done), CUDA_SUCCESS);
  const int count = 200;
  CUdeviceptr address = allocate(4);
  int *out = pinned<int>(count);
  int *in = pinned<int>(count);
  // Each stream in turn writes a number, then reads what is there.
  for (int i = 0; i < count; ++i) {
    in[i] = i;
    Handle work = streams[i % 2];
    ASSERT_EQ(cuStreamWaitEvent(work, done, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyHtoDAsync_v2(address, in + i, 4, work), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoHAsync_v2(out + i, address, 4, work), CUDA_SUCCESS);
    ASSERT_EQ(cuEventRecord(done, work), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuEventSynchronize(done), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(done), CUDA_SUCCESS);
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(out[i], i);
  for (Handle work : streams)
    EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(done), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(done), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(done), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemFreeHost(in), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(out), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, StreamsWithoutEventsAreNotInOrder) {
  if (threadSanitizer)
    GTEST_SKIP() << "ThreadSanitizer reports the race that this test is about";
  start("delay-us=2000,seed=3");
  Handle streams[2] = {stream(), stream()};
  const int count = 20;
  CUdeviceptr address = allocate(4);
  int *in = pinned<int>(count);
  int *out = pinned<int>(count);
  for (int i = 0; i < count; ++i) {
    in[i] = i;
    ASSERT_EQ(cuMemcpyHtoDAsync_v2(address, in + i, 4, streams[0]),
              CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoHAsync_v2(out + i, address, 4, streams[1]),
              CUDA_SUCCESS);
  }
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_NE(std::vector<int>(in, in + count),
            std::vector<int>(out, out + count));
  for (Handle work : streams)
    EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(in), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(out), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, EventsKeepTheirTimes) {
  start("");
  Handle work = stream(), begin = nullptr, end = nullptr, plain = event();
  ASSERT_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
  float time = 0;
  EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuEventRecord(begin, work), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(plain, work), CUDA_SUCCESS);
  Gate gate(work);
  ASSERT_EQ(cuEventRecord(end, work), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventSynchronize(begin), CUDA_SUCCESS);
  sleepMs(20);
  gate.open();
  EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_SUCCESS);
  EXPECT_GE(time, 20);
  EXPECT_EQ(cuEventElapsedTime(&time, plain, end), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchHostFunc(work, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  for (Handle one : {begin, end, plain})
    EXPECT_EQ(cuEventDestroy_v2(one), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
}

TEST_F(DriverApi, ValuesOrderStreamsAndHost) {
  start("");
  Handle streams[2] = {stream(), stream()};
  uint64_t *words = pinned<uint64_t>(2);
  words[0] = words[1] = 0;
  const auto first = reinterpret_cast<CUdeviceptr>(words);
  ASSERT_EQ(
      cuStreamWaitValue64_v2(streams[0], first, 5, CU_STREAM_WAIT_VALUE_GEQ),
      CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWriteValue32_v2(streams[0], first + 8, 9, 0), CUDA_SUCCESS);
  ASSERT_EQ(
      cuStreamWaitValue32_v2(streams[1], first + 8, 9, CU_STREAM_WAIT_VALUE_EQ),
      CUDA_SUCCESS);
  sleepMs(5);
  EXPECT_EQ(cuStreamQuery(streams[1]), CUDA_ERROR_NOT_READY);
  __atomic_store_n(&words[0], 6, __ATOMIC_RELEASE);
  EXPECT_EQ(cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(__atomic_load_n(&words[1], __ATOMIC_ACQUIRE), 9U);
  EXPECT_EQ(cuStreamWriteValue64_v2(streams[0], first + 4, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(streams[0], first, 1, 3),
            CUDA_ERROR_NOT_SUPPORTED);
  for (Handle work : streams)
    EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(words), CUDA_SUCCESS);
}

TEST_F(DriverApi, TheNullStreamWaitsForBlockingStreams) {
  start("delay-us=2000,seed=11");
  Handle blocking = nullptr;
  ASSERT_EQ(cuStreamCreate(&blocking, 0), CUDA_SUCCESS);
  unsigned flags = 7;
  EXPECT_EQ(cuStreamGetFlags(blocking, &flags), CUDA_SUCCESS);
  EXPECT_EQ(flags, 0U);
  CUdeviceptr address = allocate(4);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(cuMemsetD32Async(address, unsigned(i), 1, blocking),
              CUDA_SUCCESS);
    EXPECT_EQ(download<int>(address, 1)[0], i);
    ASSERT_EQ(cuMemsetD32Async(address, unsigned(-i), 1, nullptr),
              CUDA_SUCCESS);
    int *result = pinned<int>(1);
    ASSERT_EQ(cuMemcpyDtoHAsync_v2(result, address, 4, blocking), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(blocking), CUDA_SUCCESS);
    EXPECT_EQ(*result, -i);
    EXPECT_EQ(cuMemFreeHost(result), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuStreamDestroy_v2(blocking), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, QueuesFillUpAndEmpty) {
  start("");
  Handle work = stream();
  CUdeviceptr address = allocate(4);
  Gate gate(work);
  std::thread opener([&] {
    sleepMs(20);
    gate.open();
  });
  for (unsigned i = 0; i <= 5000; ++i)
    ASSERT_EQ(cuMemsetD32Async(address, i, 1, work), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(work), CUDA_SUCCESS);
  opener.join();
  EXPECT_EQ(download<unsigned>(address, 1)[0], 5000U);
  EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, ADestroyedStreamFinishesItsWork) {
  start("delay-us=20000,seed=5");
  Handle work = nullptr;
  ASSERT_EQ(cuStreamCreateWithPriority(&work, CU_STREAM_NON_BLOCKING, -9),
            CUDA_SUCCESS);
  int priority = 0;
  EXPECT_EQ(cuStreamGetPriority(work, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5);
  EXPECT_EQ(cuStreamCreate(&work, 2), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr address = allocate(4);
  ASSERT_EQ(cuMemsetD32Async(address, 3, 1, work), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamQuery(work), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(message(), "the stream was destroyed");
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(address, 1)[0], 3);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, LinksTakeTheirTime) {
  start("link-gbps=0.1");
  Handle work[2] = {stream(), stream()};
  CUdeviceptr address = allocate(2000000);
  char *host = pinned<char>(2000000);
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < 2; ++i)
    ASSERT_EQ(cuMemcpyHtoDAsync_v2(address + 1000000 * i, host + 1000000 * i,
                                   1000000, work[i]),
              CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  // 10 ms each, one after the other: they share the link.
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(20));
  for (Handle one : work)
    EXPECT_EQ(cuStreamDestroy_v2(one), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, PeersCopyToEachOther) {
  start("devices=2");
  Handle other = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
  int can = 0;
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(can, 1);
  CUdeviceptr here = upload(std::vector<int>{1, 2, 3});
  ASSERT_EQ(cuCtxPushCurrent_v2(other), CUDA_SUCCESS);
  CUdeviceptr there = allocate(12);
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyPeerAsync(there, context, here, context, 12, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyPeerAsync(there, other, here, context, 12, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(there, 3), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxEnablePeerAccess(other, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxEnablePeerAccess(other, 0),
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_EQ(cuCtxDisablePeerAccess(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDisablePeerAccess(other), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(cuMemFree_v2(here), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(there), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(DriverApi, CallsFailWhereTheyAreToldTo) {
  start("fail=cuMemAlloc_v2:2");
  CUdeviceptr address = allocate(4), second = 0;
  EXPECT_EQ(cuMemAlloc_v2(&second, 4), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(message(), "injected failure of call 2 of cuMemAlloc_v2");
  EXPECT_EQ(statistics().injected, 1U);
  EXPECT_EQ(turnipStandInCalls("cuMemAlloc_v2"), 2U);
  EXPECT_EQ(turnipStandInCalls("cuNoSuch"), 0U);
  bool listed = false;
  for (uint64_t i = 0; const char *name = turnipStandInFunction(i); ++i)
    listed |= std::string(name) == "cuMemAlloc_v2";
  EXPECT_TRUE(listed);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
}

TEST_F(DriverApi, CallsFailByNumberWithTheErrorAskedFor) {
  start("fail-at=4:999");
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
}

TEST_F(DriverApi, WhatReleasesDoesSoEvenIfItFails) {
  start("fail=cuMemFree_v2:1");
  CUdeviceptr address = allocate(4);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(statistics().deviceAllocations, 0U);
}

TEST_F(DriverApi, FailedWorkFailsEverythingAfterIt) {
  start("fail-work=2:214");
  Handle work = stream(), done = event();
  CUdeviceptr address = allocate(4);
  for (unsigned i = 1; i <= 3; ++i)
    (void)cuMemsetD32Async(address, i, 1, work);
  EXPECT_EQ(cuStreamSynchronize(work), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(message(), "injected failure of work 2");
  EXPECT_EQ(cuEventRecord(done, work), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(cuEventQuery(done), CUDA_ERROR_ECC_UNCORRECTABLE);
  size_t free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_ERROR_ECC_UNCORRECTABLE);
  // What there is can be released.
  EXPECT_EQ(cuMemFree_v2(address), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(cuEventDestroy_v2(done), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(cuStreamDestroy_v2(work), CUDA_ERROR_ECC_UNCORRECTABLE);
  // A new context is well again.
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
}

TEST_F(DriverApi, MemoryMustOutliveTheWorkOnIt) {
  start("");
  Handle work = stream();
  CUdeviceptr address = allocate(4);
  int *host = pinned<int>(1);
  Gate gate(work);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(host, address, 4, work), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
  // Perhaps at the same address.
  int *other = pinned<int>(1);
  gate.open();
  EXPECT_EQ(cuStreamSynchronize(work), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(message().find("went away before the work on them was done"),
            std::string::npos);
  (void)cuMemFreeHost(other);
  (void)cuMemFree_v2(address);
  (void)cuStreamDestroy_v2(work);
}
