# cmake -DOUTPUT=file -DSOURCES=a;b -DNAME=declaration -P HashSources.cmake
# Writes a header that initialises a string, declared as NAME says, with a digest of
# the sources: what a cache keeps is good for the sources that made it only.
set(digests "")
foreach(source IN LISTS SOURCES)
  file(SHA256 "${source}" digest)
  string(APPEND digests "${digest}")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE "${OUTPUT}" "static constexpr ${NAME} = \"${digest}\";\n")
