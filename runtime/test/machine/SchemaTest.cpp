//===- SchemaTest.cpp - The JSON Schema and the reader agree --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/machine/Machine.h"
#include "turnip/support/Json.h"
#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

using namespace turnip;
using json::Value;

namespace {
/// Validates by the part of JSON Schema that the description's schema uses; a
/// keyword that it does not know is a failure.
class Validator {
public:
  explicit Validator(const Value &root) : root(root) {}

  /// What is wrong with \p value; empty if nothing is.
  std::string check(const Value &value, const Value &schema) const {
    for (const auto &[keyword, rule] : schema.members) {
      std::string error = checkKeyword(value, keyword, rule, schema);
      if (!error.empty())
        return error;
    }
    return "";
  }

private:
  std::string checkKeyword(const Value &value, const std::string &keyword,
                           const Value &rule, const Value &schema) const;
  static bool isOfType(const Value &value, const std::string &type);
  const Value &resolve(const std::string &reference) const {
    return *root.find("$defs")->find(reference.substr(8));
  }

  const Value &root;
};
} // namespace

bool Validator::isOfType(const Value &value, const std::string &type) {
  switch (value.kind) {
  case Value::Kind::Object:
    return type == "object";
  case Value::Kind::Array:
    return type == "array";
  case Value::Kind::String:
    return type == "string";
  case Value::Kind::Bool:
    return type == "boolean";
  case Value::Kind::Number:
    return type == "number" ||
           (type == "integer" && value.number == std::floor(value.number));
  case Value::Kind::Null:
    return false;
  }
  return false;
}

std::string Validator::checkKeyword(const Value &value,
                                    const std::string &keyword,
                                    const Value &rule,
                                    const Value &schema) const {
  const bool isNumber = value.kind == Value::Kind::Number;
  const bool isString = value.kind == Value::Kind::String;
  if (keyword == "$ref")
    return check(value, resolve(rule.string));
  if (keyword == "type") {
    bool matches = isOfType(value, rule.string);
    for (const Value &type : rule.elements)
      matches |= isOfType(value, type.string);
    return matches ? "" : "type";
  }
  if (keyword == "enum") {
    for (const Value &choice : rule.elements)
      if (isString && choice.string == value.string)
        return "";
    return "enum";
  }
  if (keyword == "minimum")
    return isNumber && value.number < rule.number ? "minimum" : "";
  if (keyword == "maximum")
    return isNumber && value.number > rule.number ? "maximum" : "";
  if (keyword == "minLength")
    return isString && value.string.size() < rule.number ? "minLength" : "";
  if (keyword == "pattern")
    return isString && !std::regex_search(value.string, std::regex(rule.string))
               ? "pattern"
               : "";
  if (keyword == "items") {
    for (const Value &element : value.elements)
      if (std::string error = check(element, rule); !error.empty())
        return error;
    return "";
  }
  if (keyword == "required") {
    for (const Value &name : rule.elements)
      if (!value.find(name.string))
        return "required " + name.string;
    return "";
  }
  if (keyword == "properties") {
    for (const auto &[name, property] : rule.members)
      if (const Value *found = value.find(name))
        if (std::string error = check(*found, property); !error.empty())
          return error.insert(0, name + ": ");
    return "";
  }
  if (keyword == "additionalProperties") {
    for (const auto &[name, member] : value.members)
      if (!schema.find("properties")->find(name))
        return "additional " + name;
    return "";
  }
  const bool isComment = keyword == "title" || keyword == "description" ||
                         keyword == "$schema" || keyword == "$defs";
  return isComment ? "" : "the test does not know keyword " + keyword;
}

static Value readJson(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  Expected<Value> value = json::parse(text.str());
  EXPECT_TRUE(value) << path << ": " << value.status().message();
  return value ? *value : Value();
}

static Value schema() {
  return readJson(std::string(TURNIP_MACHINES) + "/machine.schema.json");
}

TEST(MachineSchema, AcceptsWhatIsShipped) {
  const Value root = schema();
  for (const machine::ShippedMachine &shipped : machine::shippedMachines()) {
    Expected<Value> value = json::parse(std::string(shipped.json));
    ASSERT_TRUE(value);
    EXPECT_EQ(Validator(root).check(*value, root), "") << shipped.name;
  }
}

TEST(MachineSchema, AcceptsWhatIsWritten) {
  const Value root = schema();
  Expected<machine::Machine> machine = machine::Machine::find("8xv100");
  ASSERT_TRUE(machine);
  machine->kernels.push_back({"k", 42, 1e-3});
  Expected<Value> value = json::parse(machine->toJson());
  ASSERT_TRUE(value);
  EXPECT_EQ(Validator(root).check(*value, root), "");
}

/// Puts \p replacement in the place of \p target, which is part of \p value.
static bool damage(Value &value, const Value *target,
                   const Value &replacement) {
  if (&value == target) {
    value = replacement;
    return true;
  }
  for (Value &element : value.elements)
    if (damage(element, target, replacement))
      return true;
  for (auto &[name, member] : value.members)
    if (damage(member, target, replacement))
      return true;
  return false;
}

static void collect(const Value &value, std::vector<const Value *> &all) {
  all.push_back(&value);
  for (const Value &element : value.elements)
    collect(element, all);
  for (const auto &[name, member] : value.members)
    collect(member, all);
}

static void write(json::Writer &writer, const Value &value) {
  switch (value.kind) {
  case Value::Kind::Object:
    writer.beginObject();
    for (const auto &[name, member] : value.members)
      write(writer.name(name), member);
    writer.endObject();
    return;
  case Value::Kind::Array:
    writer.beginArray();
    for (const Value &element : value.elements)
      write(writer, element);
    writer.endArray();
    return;
  case Value::Kind::String:
    writer.value(value.string);
    return;
  case Value::Kind::Bool:
    writer.value(value.boolean);
    return;
  case Value::Kind::Number:
    writer.value(value.number);
    return;
  case Value::Kind::Null:
    writer.raw("null");
    return;
  }
}

/// The reader refuses whatever the schema refuses.
TEST(MachineSchema, TheReaderIsAsStrict) {
  const Value root = schema();
  const Value intact = readJson(std::string(TURNIP_MACHINES) + "/h100.json");
  std::vector<Value> replacements(5);
  replacements[1].kind = Value::Kind::Number;
  replacements[1].number = -1;
  replacements[2].kind = Value::Kind::Number;
  replacements[2].number = 1e300;
  replacements[3].kind = Value::Kind::Bool;
  replacements[4].kind = Value::Kind::Object;
  replacements[4].members.emplace_back("surprise", replacements[1]);
  size_t size = 0;
  {
    std::vector<const Value *> all;
    collect(intact, all);
    size = all.size();
  }
  size_t refused = 0;
  for (size_t i = 1; i < size; ++i)
    for (const Value &replacement : replacements) {
      Value damaged = intact;
      std::vector<const Value *> all;
      collect(damaged, all);
      ASSERT_TRUE(damage(damaged, all[i], replacement));
      if (Validator(root).check(damaged, root).empty())
        continue;
      json::Writer writer;
      write(writer, damaged);
      ++refused;
      EXPECT_FALSE(machine::Machine::parse(writer.text())) << writer.text();
    }
  EXPECT_GT(refused, 4 * (size - 1));
}
