#!/bin/sh
# Interesting (exit 1) while a reshape is left, as mlir-reduce has it.
if grep -q 'ein.reshape' "$1"; then
  exit 1
fi
exit 0
