// RUN: turnip-lsp-server -lit-test < %s | FileCheck -strict-whitespace %s
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":123,"rootPath":"mlir","capabilities":{},"trace":"off"}}
// -----
{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{
  "uri":"test:///bad.mlir",
  "languageId":"mlir",
  "version":1,
  "text":"func.func @f(%x: tensor<4xf32>) {\n  %0 = ein.reshape %x : tensor<4xf32> to tensor<5xf32>\n  return\n}"
}}}
// CHECK: "method": "textDocument/publishDiagnostics"
// CHECK: "message": "'ein.reshape' op expected result with 4 elements, but got 5"
// -----
{"jsonrpc":"2.0","id":3,"method":"shutdown"}
// -----
{"jsonrpc":"2.0","method":"exit"}
