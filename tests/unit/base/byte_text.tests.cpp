#include "core/base/byte_text.h"

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("bytes are said in a unit that fits", "[base][byte_text]") {
  CHECK(ByteText(0) == "0 bytes");
  CHECK(ByteText(1) == "1 byte");
  CHECK(ByteText(999) == "999 bytes");
  CHECK(ByteText(1000) == "1.0 kB");
  CHECK(ByteText(999'949) == "999.9 kB");
  CHECK(ByteText(999'950) == "1.0 MB");
  CHECK(ByteText(603'979'776) == "604.0 MB");
  CHECK(ByteText(38'654'705'664) == "38.7 GB");
  CHECK(ByteText(18'446'744'073'709'551'615U) == "18446744.1 TB");
}

TEST_CASE("what is needed never reads like what is free", "[base][byte_text]") {
  CHECK(RoomText(4'194'304, 20'480) == "4.2 MB, but 20.5 kB is free");
  CHECK(RoomText(4'096, 0) == "4.1 kB, but 0 bytes is free");
  CHECK(RoomText(20'483, 20'480) == "20483 bytes, but 20480 bytes is free");
}

}  // namespace headscope
