//===- SupportTest.cpp - JSON and slices ----------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/runtime/Slices.h"

#include "turnip/support/Json.h"

#include <gtest/gtest.h>
#include <random>

using namespace turnip;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

TEST(Json, ReadsEveryKindOfValue) {
  Expected<json::Value> value = json::parse(
      " {\"a\": [1, -2.5e3, true, false, null], \"b\": {\"c\": \"x\"}} ");
  ASSERT_TRUE(value) << value.status().message();
  const json::Value *a = value->find("a");
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->elements.size(), 5U);
  EXPECT_EQ(a->elements[0].number, 1);
  EXPECT_EQ(a->elements[1].number, -2500);
  EXPECT_TRUE(a->elements[2].boolean);
  EXPECT_EQ(a->elements[3].kind, json::Value::Kind::Bool);
  EXPECT_FALSE(a->elements[3].boolean);
  EXPECT_EQ(a->elements[4].kind, json::Value::Kind::Null);
  EXPECT_EQ(value->find("b")->find("c")->string, "x");
  EXPECT_EQ(value->find("d"), nullptr);
}

TEST(Json, ReadsEscapes) {
  Expected<json::Value> value =
      json::parse("\"a\\n\\t\\\"\\\\\\/\\u0041\\u00e9\\u20ac\\ud83c\\udf31\"");
  ASSERT_TRUE(value) << value.status().message();
  EXPECT_EQ(value->string, "a\n\t\"\\/A\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\xb1");
}

TEST(Json, SaysWhereTextIsWrong) {
  auto refuse = [](const std::string &text) {
    return json::parse(text).status().message();
  };
  EXPECT_EQ(refuse(""), "line 1, column 1: expected a value");
  EXPECT_EQ(refuse("1 2"), "line 1, column 3: expected the end of the text");
  EXPECT_EQ(refuse("{\n1"), "line 2, column 1: expected a member name in "
                            "quotes");
  EXPECT_EQ(refuse("{\"a\" 1}"), "line 1, column 6: expected ':'");
  EXPECT_EQ(refuse("{\"a\": 1, \"a\": 2}"),
            "line 1, column 10: duplicate member 'a'");
  EXPECT_EQ(refuse("{\"a\": 1 "), "line 1, column 9: expected ',' or '}'");
  EXPECT_EQ(refuse("[1 2]"), "line 1, column 4: expected ',' or ']'");
  EXPECT_EQ(refuse("\"abc"), "line 1, column 5: string without an end");
  EXPECT_EQ(refuse("\"a\nb\""),
            "line 1, column 3: control character in a string");
  EXPECT_EQ(refuse("\"\\x\""), "line 1, column 4: unknown escape");
  EXPECT_EQ(refuse("\"\\u12\""),
            "line 1, column 4: expected four hexadecimal digits");
  EXPECT_EQ(refuse("\"\\ud83cx\""), "line 1, column 8: expected the second "
                                    "half of a surrogate pair");
  EXPECT_EQ(refuse("\"\\ud83c\\u0041\""), "line 1, column 14: expected the "
                                          "second half of a surrogate pair");
  EXPECT_EQ(refuse("1e999"), "line 1, column 1: expected a value");
  EXPECT_EQ(refuse(std::string(100, '[')),
            "line 1, column 66: nested deeper than 64 levels");
}

// Looking a name up among all members before it would take minutes.
TEST(Json, ReadsManyMembers) {
  constexpr size_t count = 300000;
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text.append(i == 0 ? "\"" : ",\"").append(std::to_string(i)).append("\":1");
  Expected<json::Value> value = json::parse(text + "}");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->members.size(), count);
  EXPECT_NE(json::parse(text + ",\"7\":1}")
                .status()
                .message()
                .find("duplicate member '7'"),
            std::string::npos);
}

TEST(Json, WritesWhatItReads) {
  json::Writer writer;
  writer.beginObject().member("n", 3).member("x", 0.1).member("on", true);
  writer.name("list").beginArray().value("a\"\n").newLine().value(-1);
  writer.value(1.0 / 0.0).endArray();
  writer.name("raw").raw("[1,2]").endObject();
  EXPECT_EQ(writer.text(), "{\"n\":3,\"x\":0.1,\"on\":true,"
                           "\"list\":[\"a\\\"\\u000a\",\n-1,null],"
                           "\"raw\":[1,2]}");
  EXPECT_TRUE(json::parse(writer.text()));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The elements of a slice in order, index by index.
static std::vector<int64_t> elementsOf(const std::vector<int64_t> &shape,
                                       const std::vector<int64_t> &offsets,
                                       const std::vector<int64_t> &sizes) {
  std::vector<int64_t> elements = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t element : elements)
      for (int64_t i = 0; i < sizes[d]; ++i)
        next.push_back(element * shape[d] + offsets[d] + i);
    elements = std::move(next);
  }
  return elements;
}

TEST(Slices, RunsCoverTheSliceInOrder) {
  std::mt19937_64 generator(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> shape;
    std::vector<int64_t> offsets;
    std::vector<int64_t> sizes;
    size_t rank = generator() % 6;
    for (size_t d = 0; d < rank; ++d) {
      shape.push_back(1 + static_cast<int64_t>(generator() % 4));
      offsets.push_back(
          static_cast<int64_t>(generator() % static_cast<uint64_t>(shape[d])));
      sizes.push_back(
          1 + static_cast<int64_t>(
                  generator() % static_cast<uint64_t>(shape[d] - offsets[d])));
    }
    std::vector<int64_t> expected = elementsOf(shape, offsets, sizes);
    std::vector<int64_t> covered;
    runtime::forEachRun(shape, offsets, sizes,
                        [&](int64_t whole, int64_t part, int64_t count) {
                          EXPECT_EQ(part, static_cast<int64_t>(covered.size()));
                          for (int64_t i = 0; i < count; ++i)
                            covered.push_back(whole + i);
                          return true;
                        });
    ASSERT_EQ(covered, expected);
  }
}

TEST(Slices, VisitsCanStop) {
  int visits = 0;
  EXPECT_FALSE(runtime::forEachRun(
      {4, 4}, {0, 0}, {4, 2},
      [&](int64_t, int64_t, int64_t) { return ++visits < 2; }));
  EXPECT_EQ(visits, 2);
}
