# cmake -DOUTPUT=file -DSOURCES=a;b -P HashSources.cmake
# Writes a header with a digest of the sources: cached kernels are good for the
# generator that made them only.
set(digests "")
foreach(source IN LISTS SOURCES)
  file(SHA256 "${source}" digest)
  string(APPEND digests "${digest}")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE "${OUTPUT}" "static constexpr llvm::StringLiteral kGeneratorDigest = \"${digest}\";\n")
