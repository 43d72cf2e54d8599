//===- RunToolTest.cpp - turnip-run, from its command line ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../GgufWriter.h"
#include "../artifact/Sample.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/machine/Machine.h"
#include "turnip/parameters/Tensor.h"
#include "turnip/support/Json.h"
#include "turnip/tooling/RunTool.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace turnip;
namespace fs = std::filesystem;

namespace {
struct ToolResult {
  int code;
  std::string out;
  std::string err;
};

class RunTool : public testing::Test {
protected:
  void SetUp() override {
    folder =
        fs::path(testing::TempDir()) / ("run-tool." + std::to_string(getpid()));
    fs::create_directories(folder);
    writeArtifact({});
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Writes the sample with real code; its kernels need \p features.
  void writeArtifact(const std::vector<std::string> &features) {
    std::ifstream file(TURNIP_SAMPLE_KERNELS, std::ios::binary);
    std::stringstream code;
    code << file.rdbuf();
    artifact::Module module = artifact::makeSample();
    for (artifact::Kernel &kernel : module.kernels)
      kernel.objects = {{"x86_64-unknown-linux-gnu", features, "elf-so",
                         kernel.name, code.str()}};
    Status saved = artifact::saveFile(module, path("sample.memgraph"));
    ASSERT_TRUE(saved) << saved.message();
  }

  std::string path(const std::string &name) const {
    return (folder / name).string();
  }

  static ToolResult runRaw(const std::vector<std::string> &arguments) {
    std::ostringstream out;
    std::ostringstream err;
    int code = tooling::runTool(arguments, out, err);
    return {code, out.str(), err.str()};
  }

  /// Runs the sample's main with parameters and input.
  ToolResult run(std::vector<std::string> extra) const {
    std::vector<std::string> arguments = {
        path("sample.memgraph"), "--entry=main", "--parameters=random:3",
        "--input=tokens=4xi32=7,99,0,42"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return runRaw(arguments);
  }

  std::string contents(const std::string &name) const {
    std::ifstream file(path(name));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder;
};
} // namespace

TEST_F(RunTool, PrintsResults) {
  ToolResult result = run({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 14), "sum: 4x8xf32=[");
  EXPECT_EQ(result.err, "");
}

TEST_F(RunTool, SaysWhenOutputIsLost) {
  for (const char *flag : {"--help", "--version"}) {
    std::ostringstream out, err;
    out.setstate(std::ios::badbit);
    EXPECT_EQ(tooling::runTool({flag}, out, err), 5);
    EXPECT_EQ(err.str(), "turnip-run: error: cannot write to stdout\n");
  }
}

TEST_F(RunTool, CalibratesThisMachine) {
  ToolResult bare = runRaw({"--calibrate", "--lanes=2"});
  ASSERT_EQ(bare.code, 0) << bare.err;
  Expected<machine::Machine> machine = machine::Machine::parse(bare.out);
  ASSERT_TRUE(machine) << machine.status().message();
  EXPECT_EQ(machine->devices[machine->findDevice("dev0")].lanes, 2U);
  EXPECT_TRUE(machine->kernels.empty());
  for (const machine::Link &link : machine->links)
    EXPECT_GT(link.bandwidth, 1e7);

  std::string file = path("machine.json");
  ToolResult whole = run({"--calibrate=" + file, "--lanes=2"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.out, "");
  machine = machine::Machine::read(file);
  ASSERT_TRUE(machine) << machine.status().message();
  EXPECT_EQ(machine->devices.size(), 1 + machine->accelerators().size());
  // What was timed is what the simulator looks for.
  ASSERT_FALSE(machine->kernels.empty());
  ToolResult fast = run({"--device=sim:" + file, "--json=-"});
  EXPECT_EQ(fast.code, 0) << fast.err;
  for (machine::KernelTime &kernel : machine->kernels)
    kernel.seconds = 5;
  std::ofstream(file) << machine->toJson();
  ToolResult slow = run({"--device=sim:" + file, "--benchmark"});
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_GT(std::stod(slow.out.substr(slow.out.find("smallest") + 9)), 5000);
}

TEST_F(RunTool, WillNotWorkForFilesThatItCannotWrite) {
  for (const char *flag : {"--calibrate=", "--json=", "--trace="}) {
    ToolResult result = runRaw({flag + path("none/x.json"), path("nothing")});
    EXPECT_EQ(result.err, "turnip-run: error: cannot write '" +
                              path("none/x.json") +
                              "': No such file or directory\n");
    EXPECT_EQ(result.out, "");
    // Not even the artifact is looked for.
    EXPECT_EQ(result.code, 5);
  }
  EXPECT_EQ(runRaw({"--calibrate=" + path("")}).err,
            "turnip-run: error: cannot write '" + path("") +
                "': Is a directory\n");
}

TEST_F(RunTool, RefusesInputsThatMemoryCannotHold) {
  // A file of a size that no machine has; it takes no blocks.
  const std::string huge = path("huge.npy");
  std::ofstream(huge).close();
  fs::resize_file(huge, uint64_t(1) << 42);
  ToolResult result =
      runRaw({path("sample.memgraph"), "--entry=main", "--parameters=random:3",
              "--input=tokens=@" + huge});
  EXPECT_EQ(result.err.rfind("turnip-run: error: input 'tokens' takes "
                             "4398046511104 bytes of host memory beside the "
                             "program's, but ",
                             0),
            0U)
      << result.err;
  EXPECT_EQ(result.code, 3);
}

TEST_F(RunTool, CalibrationHasNoUseForSomeFlags) {
  auto refuse = [&](const std::string &flag) {
    ToolResult result = runRaw({"--calibrate", flag});
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  for (const char *flag : {"--device=null", "--guard"})
    EXPECT_EQ(refuse(flag), "turnip-run: error: usage: --calibrate measures "
                            "the host or GPUs, without a guard\n");
  for (const char *flag : {"--runs=2", "--tokens=1"})
    EXPECT_EQ(refuse(flag),
              "turnip-run: error: usage: --calibrate runs the program itself, "
              "so a prompt and --runs cannot be given as well\n");
  // What the program lacks is missed as in any run.
  ToolResult result = runRaw({path("sample.memgraph"), "--entry=main",
                              "--calibrate=" + path("m.json")});
  EXPECT_EQ(result.code, 2);
  EXPECT_FALSE(fs::exists(path("m.json")));
}

TEST_F(RunTool, SimulatesMachinesByName) {
  ToolResult result = run({"--device=sim:h100", "--benchmark"});
  EXPECT_EQ(result.code, 0) << result.err;
  ToolResult slower =
      run({"--device=sim:h100", "--benchmark", "--link-latency-us=100000"});
  EXPECT_NE(result.out, slower.out);
  for (const char *flag : {"--kernel-jitter=0.5", "--link-jitter=0.5"}) {
    ToolResult first =
        run({"--device=sim:h100", "--benchmark", flag, "--seed=1"});
    ToolResult again =
        run({"--device=sim:h100", "--benchmark", flag, "--seed=1"});
    ToolResult other =
        run({"--device=sim:h100", "--benchmark", flag, "--seed=2"});
    EXPECT_EQ(first.out, again.out);
    EXPECT_NE(first.out, other.out);
    EXPECT_NE(first.out, result.out);
  }
  ToolResult unknown = run({"--device=sim:h1000"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err.substr(0, 39),
            "turnip-run: error: no machine 'h1000': ");
}

TEST_F(RunTool, WritesAndComparesOutputs) {
  ToolResult wrote = run({"--output=sum=@" + path("sum.npy")});
  EXPECT_EQ(wrote.code, 0) << wrote.err;
  EXPECT_EQ(wrote.out, "");
  ToolResult same = run({"--expected-output=sum=@" + path("sum.npy"),
                         "--tolerance=0", "--schedule=fixed"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, "result 'sum' is as expected\n");

  Expected<parameters::Tensor> tensor = parameters::readNpy(path("sum.npy"));
  ASSERT_TRUE(tensor);
  double right = tensor->valueAsDouble(11);
  tensor->setFromDouble(11, 1000);
  ASSERT_TRUE(parameters::writeNpy(path("wrong.npy"), *tensor));
  ToolResult differs = run({"--expected-output=sum=@" + path("wrong.npy")});
  EXPECT_EQ(differs.code, 1);
  std::ostringstream expected;
  expected.precision(9);
  expected << "turnip-run: error: result 'sum': element [1, 3]: expected "
              "1000, but got "
           << right << " (1 of 32 elements differ)\n";
  EXPECT_EQ(differs.err, expected.str());
}

TEST_F(RunTool, ComparesShapes) {
  ToolResult result = run({"--expected-output=sum=8x4xf32=1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "turnip-run: error: result 'sum': expected 8x4xf32, "
                        "but got 4x8xf32\n");
}

TEST_F(RunTool, ResultsAreEqualBitsOnManySchedules) {
  ToolResult many = run({"--runs=50", "--hash-results"});
  EXPECT_EQ(many.code, 0) << many.err;
  EXPECT_EQ(many.out.substr(0, 8), "50 runs,");
  EXPECT_NE(many.out.find("equal results\nsum: 4x8xf32 hash "),
            std::string::npos);
  std::string hash = many.out.substr(many.out.find("sum:"));
  EXPECT_EQ(run({"--hash-results", "--guard"}).out, hash);
  EXPECT_EQ(run({"--hash-results", "--lanes=1", "--link-gbps=5"}).out, hash);
}

TEST_F(RunTool, RecordsAndReplays) {
  ASSERT_EQ(run({"--schedule=random:4", "--record=" + path("order")}).code, 0);
  ToolResult replayed =
      run({"--schedule=replay:" + path("order"), "--record=" + path("again")});
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_EQ(contents("order"), contents("again"));
}

TEST_F(RunTool, ReportsAsJsonAndTrace) {
  ToolResult result = run({"--json=-", "--trace=" + path("trace.json"),
                           "--repeat=3", "--hash-results"});
  EXPECT_EQ(result.code, 0) << result.err;
  Expected<json::Value> report =
      json::parse(result.out.substr(result.out.find('{')));
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(report->find("run")->find("peak_device_bytes")->number, 740);
  EXPECT_EQ(report->find("times_seconds")->elements.size(), 3U);
  EXPECT_EQ(report->find("results")->elements[0].find("type")->string,
            "4x8xf32");
  Expected<json::Value> trace = json::parse(contents("trace.json"));
  ASSERT_TRUE(trace) << trace.status().message();
  EXPECT_GT(trace->find("traceEvents")->elements.size(), 9U);
}

TEST_F(RunTool, SummaryAndBenchmark) {
  ToolResult result = run({"--summary", "--benchmark", "--repeat=2"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("2 runs: smallest "), std::string::npos);
  EXPECT_NE(result.out.find("compute gpu: busy "), std::string::npos);
  EXPECT_NE(result.out.find("peak: 740 bytes on devices"), std::string::npos);
}

TEST_F(RunTool, RunsWithoutData) {
  std::ofstream(path("machine.json"))
      << R"({"devices": {"default": {"flops": 1e9}}})";
  for (const std::string &device :
       {std::string("null"), "sim:" + path("machine.json")}) {
    ToolResult result = runRaw({path("sample.memgraph"), "--entry=main",
                                "--device=" + device, "--summary"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("for 9 operations"), std::string::npos);
  }
}

TEST_F(RunTool, ContinuesTokens) {
  auto generate = [&](const std::string &tokens, const std::string &count) {
    return runRaw({path("sample.memgraph"), "--entry=main",
                   "--parameters=random:3", "--tokens=" + tokens,
                   "--generate=" + count});
  };
  ToolResult all = generate("7,3", "3");
  ASSERT_EQ(all.code, 0) << all.err;
  // Each token is the one that the tokens before it give.
  std::string ids = all.out.substr(0, all.out.size() - 1);
  ASSERT_EQ(std::count(ids.begin(), ids.end(), ','), 2);
  EXPECT_EQ(generate("7,3", "1").out, ids.substr(0, 1) + "\n");
  EXPECT_EQ(generate("7,3," + ids.substr(0, 1), "1").out,
            ids.substr(2, 1) + "\n");
  // The program takes 4 tokens, so a fifth is the last to come.
  EXPECT_EQ(all.err, "");
  ToolResult full = generate("7,3", "100");
  EXPECT_EQ(full.code, 0);
  EXPECT_EQ(full.out, all.out);
  EXPECT_EQ(full.err, "turnip-run: note: generation stopped after 3 of 100 "
                      "tokens: the program takes at most 4\n");

  EXPECT_EQ(generate("7,3,1,1,1", "1").err,
            "turnip-run: error: the prompt has 5 tokens, but the program takes "
            "at most 4\n");
  EXPECT_EQ(generate("7,8", "1").err,
            "turnip-run: error: token id 8 is not one of the vocabulary's 8\n");
  EXPECT_EQ(generate("7;8", "1").err,
            "turnip-run: error: expected token ids separated by commas, but "
            "got '7;8'\n");
  EXPECT_EQ(run({"--prompt=hello"}).err.substr(0, 60),
            "turnip-run: error: the vocabulary of --prompt comes from the");
  EXPECT_EQ(run({"--prompt=a", "--tokens=1"}).err,
            "turnip-run: error: usage: --prompt and --tokens cannot both be "
            "given\n");
  EXPECT_EQ(run({"--tokens=1", "--runs=2"}).code, 2);
  EXPECT_EQ(run({"--tokens=1", "--device=null"}).code, 2);
}

TEST_F(RunTool, ContinuesText) {
  test::GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  writer.text("tokenizer.ggml.pre", "gpt-2");
  writer.texts("tokenizer.ggml.tokens",
               {"a", "b", "c", "d", "e", "f", "g", "h"});
  writer.texts("tokenizer.ggml.merges", {});
  ASSERT_TRUE(parameters::writeFileAtomically(path("v.gguf"), writer.bytes()));
  const std::string vocabulary = "--tokenizer=" + path("v.gguf");
  ToolResult ids = run({"--tokens=1,2", "--generate=2"});
  ToolResult text = run({"--prompt=bc", "--generate=2", vocabulary});
  EXPECT_EQ(text.code, 0) << text.err;
  std::string expected = "bc";
  for (char c : ids.out)
    if (c >= '0' && c <= '7')
      expected += static_cast<char>(c - '0' + 'a');
  EXPECT_EQ(text.out, expected + "\n");
  EXPECT_EQ(expected.size(), 4U);
  EXPECT_NE(
      run({"--prompt=bc", "--chat", vocabulary}).err.find("no chat template"),
      std::string::npos);
  EXPECT_NE(run({"--prompt=bc"})
                .err.find("of --tokenizer or --parameters: "
                          "cannot open 'random:3'"),
            std::string::npos);
}

TEST_F(RunTool, LogitsThatAreNoNumbersAreAnError) {
  ToolResult result =
      runRaw({path("sample.memgraph"), "--entry=main", "--parameters=splat:nan",
              "--tokens=1,2", "--generate=1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "turnip-run: error: the logit of token 0 at position "
                        "1 is not a number\n");
}

TEST_F(RunTool, HelpAndVersion) {
  EXPECT_NE(runRaw({"--help"}).out.find("--schedule=POLICY"),
            std::string::npos);
  EXPECT_EQ(runRaw({"--help"}).out.find("inject"), std::string::npos);
  EXPECT_EQ(runRaw({"--version"}).out.substr(0, 11), "turnip-run ");
}

TEST_F(RunTool, ValuesMayFollowAfterASpace) {
  ToolResult joined = run({"--schedule=random:3", "--hash-results"});
  ToolResult apart = run({"--schedule", "random:3", "--hash-results"});
  EXPECT_EQ(apart.code, 0) << apart.err;
  EXPECT_EQ(apart.out, joined.out);
}

TEST_F(RunTool, UsageErrors) {
  auto refuse = [](const std::vector<std::string> &arguments) {
    ToolResult result = runRaw(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err.substr(std::string("turnip-run: error: usage: ").size());
  };
  EXPECT_EQ(refuse({}), "expected one artifact, but got 0\n");
  EXPECT_EQ(refuse({"a", "--shedule=fixed"}),
            "unknown flag '--shedule'; did you mean '--schedule'?\n");
  EXPECT_EQ(refuse({"a", "--frobnicate"}), "unknown flag '--frobnicate'\n");
  EXPECT_EQ(refuse({"a", "-summary"}),
            "unknown flag '-summary'; did you mean '--summary'?\n");
  EXPECT_EQ(refuse({"a", "--lanes=0"}),
            "flag '--lanes': expected a number from 1 to 1024, but got '0'\n");
  EXPECT_EQ(refuse({"a", "--lanes"}),
            "flag '--lanes' needs a value: --lanes=N\n");
  EXPECT_EQ(refuse({"--calibrate", "a", "b"}),
            "expected one artifact, but got 2\n");
  EXPECT_EQ(refuse({"a", "--lanes", "--guard"}),
            "flag '--lanes' needs a value: --lanes=N\n");
  EXPECT_EQ(refuse({"a", "--lanes", "none"}),
            "flag '--lanes': expected a number from 1 to 1024, but got "
            "'none'\n");
  EXPECT_EQ(refuse({"a", "--guard=1"}), "flag '--guard' takes no value\n");
  EXPECT_EQ(refuse({"a", "--link-jitter=2"}),
            "flag '--link-jitter': expected a number from 0 to 1, but got "
            "'2'\n");
  EXPECT_EQ(refuse({"a", "--link-gbps=1e-30"}),
            "flag '--link-gbps': expected 0 or at least 1e-06\n");
  EXPECT_EQ(refuse({"a", "--entry="}),
            "flag '--entry': expected a value after '='\n");
  EXPECT_EQ(refuse({"a", "--input=x"}),
            "flag '--input': expected NAME=VALUE, but got 'x'\n");
  EXPECT_EQ(refuse({"a", "--output=y=y.npy"}),
            "flag '--output': expected NAME=@FILE.npy, but got 'y=y.npy'\n");
  EXPECT_EQ(refuse({"a", "--argument=p=x"}),
            "flag '--argument': expected a whole number, but got 'x'\n");
  EXPECT_EQ(refuse({"a", "--runs=2", "--schedule=fixed"}),
            "--runs chooses the schedules itself, so --schedule cannot be "
            "given as well\n");
}

TEST_F(RunTool, SaysWhyThereIsNoCuda) {
  ::setenv("TURNIP_CUDA_LIBRARY", "/nowhere/libcuda.so", 1);
  ToolResult missing = run({"--device=cuda:0"});
  EXPECT_EQ(missing.code, 4);
  EXPECT_EQ(missing.err,
            "turnip-run: error: no CUDA: cannot load NVIDIA's driver "
            "(/nowhere/libcuda.so: cannot open shared object file: No such "
            "file or directory): install it, or use --device=host\n");
  ToolResult list = runRaw({"--list-devices"});
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(list.out.rfind("host: ", 0), 0U) << list.out;
  EXPECT_NE(list.out.find("\nno CUDA: cannot load NVIDIA's driver"),
            std::string::npos)
      << list.out;
  EXPECT_NE(list.out.find("\nsim:h100: simulated\n"), std::string::npos);
  ::setenv("TURNIP_CUDA_LIBRARY", "libm.so.6", 1);
  EXPECT_EQ(run({"--device=cuda:0"}).err,
            "turnip-run: error: no CUDA: 'libm.so.6' lacks cuGetErrorString: a "
            "newer driver is needed\n");
  ::unsetenv("TURNIP_CUDA_LIBRARY");
}

TEST_F(RunTool, BadInputLeavesNothingBehind) {
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char *part;
  };
  const Case cases[] = {
      {{"--device=gpu"}, 2, "unknown device 'gpu'"},
      {{"--device=cuda:0,cuda"}, 2, "expected cuda:NUMBER in"},
      {{"--device=cuda:0x"}, 2, "but got 'cuda:0x'"},
      {{"--pinned-memory=1MiB"}, 2, "--pinned-memory is for --device=cuda:N"},
      {{"--device=cuda:0", "--pinned-memory=x"}, 2, "'x'"},
      {{"--entry=nope"}, 2, "no entry 'nope'"},
      {{"--input=token=4xi32=1"}, 2, "no input 'token'"},
      {{"--input=4xi32=1"}, 2, "no input '4xi32'; there are: tokens"},
      {{"--input=tokens=4xf32=1"}, 2, "expected 4xi32, but got 4xf32"},
      {{"--parameters=/nowhere.gguf"}, 5, "/nowhere.gguf"},
      {{"--output=nope=@" + path("a.npy")}, 2, "no result 'nope'"},
      {{"--output=sum=@/nowhere/a.npy"}, 5, "/nowhere/a.npy"},
      {{"--trace=/nowhere/t.json"}, 5, "/nowhere/t.json"},
      {{"--schedule=replay:/nowhere/o"}, 5, "/nowhere/o"},
      {{"--device=sim:/nowhere/m"}, 5, "/nowhere/m"},
      {{"--device=sim:/dev/null"}, 1, "expected a value"},
      {{"--argument=position=-1"}, 2, "expected 0 to 1000, but got -1"},
      {{"--inject-failure=2", "--output=sum=@" + path("a.npy"),
        "--trace=" + path("t.json")},
       4,
       "injected failure"},
  };
  for (const Case &c : cases) {
    ToolResult result = run(c.arguments);
    EXPECT_EQ(result.code, c.code) << result.err;
    EXPECT_NE(result.err.find(c.part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }
  std::ofstream(path("bad.memgraph")) << "not an artifact";
  EXPECT_EQ(runRaw({path("bad.memgraph")}).code, 1);
  EXPECT_EQ(runRaw({"/nowhere.memgraph"}).code, 5);
  ToolResult unbound = runRaw({path("sample.memgraph"), "--entry=main"});
  EXPECT_EQ(unbound.code, 2);
  EXPECT_EQ(unbound.err, "turnip-run: error: the program has 2 parameters: "
                         "give them with --parameters=\n");
  size_t files = 0;
  for ([[maybe_unused]] const auto &file : fs::directory_iterator(folder))
    ++files;
  EXPECT_EQ(files, 2U);
}

TEST_F(RunTool, ProcessorsWithoutTheFeaturesAreRefused) {
  writeArtifact({"made-up-feature"});
  ToolResult result = run({});
  EXPECT_EQ(result.code, 4);
  EXPECT_NE(result.err.find("made-up-feature"), std::string::npos);
}

TEST_F(RunTool, ExampleRuns) {
  std::string command = std::string(TURNIP_EXAMPLE) + " " +
                        path("sample.memgraph") + " random:3 7 > " +
                        path("example.txt");
  // The command is the test's own.
  // NOLINTNEXTLINE(bugprone-command-processor)
  ASSERT_EQ(std::system(command.c_str()), 0);
  ToolResult result =
      runRaw({path("sample.memgraph"), "--entry=main", "--parameters=random:3",
              "--input=tokens=4xi32=7"});
  EXPECT_EQ(contents("example.txt").substr(0, 24), result.out.substr(0, 24));
}

// Planning, for one, takes no notice of a flag; here it is the pipe that nobody
// writes to.
TEST_F(RunTool, InterruptEndsPreparations) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  auto interrupted = [&] {
    alarm(20);
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      kill(getpid(), SIGINT);
    }).detach();
    std::ostringstream out, err;
    std::exit(tooling::runTool(
        {path("sample.memgraph"), "--device=sim:" + pipe}, out, err));
  };
  EXPECT_EXIT(interrupted(), testing::KilledBySignal(SIGINT), "");
}

TEST_F(RunTool, InterruptEndsWith130) {
  std::thread interrupter([] {
    // Not before the tool handles it.
    struct sigaction action = {};
    while (action.sa_handler == SIG_DFL) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      sigaction(SIGINT, nullptr, &action);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::raise(SIGINT);
  });
  // Copies of 0.1 s: far too many to end by themselves.
  ToolResult result = run({"--repeat=1000", "--link-latency-us=100000"});
  interrupter.join();
  EXPECT_EQ(result.code, 130);
  EXPECT_NE(result.err.find("operations done"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Planning again
//===----------------------------------------------------------------------===//

TEST_F(RunTool, PlansAgain) {
  std::string hash = run({"--hash-results"}).out;
  ASSERT_NE(hash, "");
  std::vector<std::string> flags = {"--hash-results",
                                    "--plan-cache=" + path("plans")};
  for (const char *more :
       {"--device-memory=640", "--device-memory=1KiB", "--device-memory=1MiB",
        "--device-memory=auto", "--host-memory=64KiB", "--policy=no-prefetch",
        "--plan-effort=3", "--plan-seed=9", "--rematerialize=false"}) {
    flags.resize(2);
    flags.emplace_back(more);
    ToolResult result = run(flags);
    EXPECT_EQ(result.code, 0) << more << result.err;
    EXPECT_EQ(result.out, hash) << more;
    flags.emplace_back("--no-plan-cache");
    EXPECT_EQ(run(flags).out, hash) << more;
  }
  EXPECT_EQ(run({"--device-memory=640", "--guard", "--hash-results",
                 "--no-plan-cache"})
                .out,
            hash);
}

TEST_F(RunTool, SaysHowItPlanned) {
  std::vector<std::string> flags = {"--device-memory=640", "--summary",
                                    "--hash-results",
                                    "--plan-cache=" + path("plans")};
  const std::string made = "planned again for 640 bytes in ";
  ToolResult first = run(flags);
  EXPECT_NE(first.out.find(made), std::string::npos) << first.out;
  EXPECT_EQ(first.out.find("from the cache"), std::string::npos);
  EXPECT_NE(run(flags).out.find(", from the cache\n"), std::string::npos);
  flags.emplace_back("--no-plan-cache");
  EXPECT_EQ(run(flags).out.find("from the cache"), std::string::npos);
  flags.emplace_back("--json=-");
  ToolResult report = run(flags);
  size_t json = report.out.find("{\"artifact\"");
  ASSERT_NE(json, std::string::npos) << report.out;
  Expected<json::Value> value = json::parse(report.out.substr(json));
  ASSERT_TRUE(value) << value.status().message();
  const json::Value *replan = value->find("replan");
  ASSERT_TRUE(replan);
  EXPECT_EQ(replan->find("device_memory")->number, 640);
}

TEST_F(RunTool, AutomaticMemory) {
  // All tiles of the sample and its workspace: nothing larger is of use.
  const std::string most = "planned again for 1152 bytes (1.12 KiB) (all tiles "
                           "at once) in ";
  ToolResult host = run({"--device-memory=auto", "--no-plan-cache"});
  EXPECT_EQ(host.code, 0);
  EXPECT_EQ(host.err.substr(0, most.size()), most);
  ToolResult null =
      run({"--device-memory=auto", "--no-plan-cache", "--device=null"});
  EXPECT_EQ(null.err.find("planned again for 1024 bytes (1.00 KiB) (what the "
                          "artifact was placed for) in "),
            0U)
      << null.err;
  ToolResult large =
      run({"--device-memory=auto", "--no-plan-cache", "--device=sim:h100"});
  EXPECT_EQ(large.err.substr(0, most.size()), most);
}

TEST_F(RunTool, RefusesWhatDoesNotFit) {
  ToolResult small = run({"--device-memory=639", "--no-plan-cache"});
  EXPECT_EQ(small.code, 3);
  EXPECT_EQ(small.err,
            "turnip-run: error: task 2 (\"left\") needs 640 bytes of memory "
            "\"dev0\", which has 639 bytes; the smallest capacity for these "
            "tasks is 640 bytes\n");
  EXPECT_EQ(run({"--host-memory=3KiB", "--no-plan-cache"}).code, 3);
}

TEST_F(RunTool, RefusesBadPlanFlags) {
  auto refuse = [&](const std::string &flag, const std::string &message) {
    ToolResult result = run({flag});
    EXPECT_EQ(result.code, 2) << flag;
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  };
  refuse("--device-memory=much",
         "expected a size such as 64MiB, 1.5GiB or 1048576, but got 'much'");
  refuse("--policy=best", "best");
  refuse("--machine=no-such-machine", "no-such-machine");
  refuse("--plan-effort=1001",
         "expected a whole number from 0 to 1000, but got '1001'");
  refuse("--plan-effort=2x",
         "expected a whole number from 0 to 1000, but got '2x'");
  refuse("--rematerialize=no", "expected true or false, but got 'no'");
  refuse("--plan-seed=-1", "expected a whole number from 0 to "
                           "18446744073709551615, but got '-1'");
}

TEST_F(RunTool, NeedsATaskGraphToPlanAgain) {
  Expected<artifact::Module> module =
      artifact::loadFile(path("sample.memgraph"));
  ASSERT_TRUE(module);
  module->entries[0].taskGraph.reset();
  ASSERT_TRUE(artifact::saveFile(*module, path("sample.memgraph")));
  ToolResult result = run({"--device-memory=auto"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("keeps no task graph"), std::string::npos);
}
