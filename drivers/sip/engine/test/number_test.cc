// The reader of numbers in addresses: what a number is, where it ends, and whose name stands next to it.
#include "../sip/number.h"

#include <vector>

#include "check.h"

using namespace pbx;

namespace {

struct Row {
  std::string written, number;
};

// Each as a URI, in a header with a name, and with what may stand behind it.
void everywhere(const std::vector<Row>& rows) {
  for (const auto& [uri, number] : rows) {
    CHECK_SAME(numberOfUri(uri) + " of " + uri, number + " of " + uri);
    for (const std::string& header : {"<" + uri + ">", "\"Ann <sip:+1900@x>, \\\"B\\\"\" <" + uri + ">;tag=x;privacy=off", "Ann Lee <" + uri + "> ;x"}) CHECK_SAME(numberIn(header) + " of " + header, number + " of " + header);
  }
}

}  // namespace

TEST("a number ends where its parameters begin, in every scheme and spelling") {
  std::vector<Row> rows;
  for (const std::string number : {"911", "102", "*72", "*7244123", "#21#", "+13105550142", "700", "3105550142"}) {
    for (const std::string parameters : {"", ";phone-context=example.com", ";npdi;rn=+12125559999", ";ext=5", ";isub=1", ";cpc=ordinary", ";oli=0", ";tgrp=a;trunk-context=example.com", ";PHONE-CONTEXT=Example.COM"}) {
      const std::string user = number + parameters;
      std::string escaped = user;
      for (size_t at = escaped.find_first_of("+#"); at != std::string::npos; at = escaped.find_first_of("+#", at + 1)) escaped.replace(at, 1, escaped[at] == '+' ? "%2b" : "%23");
      for (const std::string& one : {user, escaped}) {
        for (const std::string& uri : {"sip:" + one + "@box", "SIP:" + one + "@127.0.0.1:5060;user=phone", "sips:" + one + "@box?Subject=a", "sip:" + one + ":secret@[::1]:5060;user=phone", "tel:" + one, "TEL:" + one}) rows.push_back({uri, number});
      }
    }
  }
  everywhere(rows);
}

TEST("visual separators are no part of a number") {
  everywhere({{"tel:+1-310-555-0142", "+13105550142"},
              {"tel:+1(310)555.0142;ext=7", "+13105550142"},
              {"sip:9-1-1@box", "911"},
              {"sip:9%201%201@box", "911"},
              {"sip:(310)%20555-0142@box;user=phone", "3105550142"}});
}

TEST("a context makes a whole number of a local one, and of no code, extension or emergency number") {
  everywhere({{"tel:5550142;phone-context=+1310", "+13105550142"},
              {"sip:5550142;phone-context=+1-310@box;user=phone", "+13105550142"},
              {"sip:3105550142;phone-context=%2B1@box", "+13105550142"},
              {"sip:9911;phone-context=+1310555@box", "9911"},
              {"tel:20794601;phone-context=+4420", "+442020794601"},
              {"tel:+13105550142;phone-context=+44", "+13105550142"},
              {"tel:13105550142;phone-context=+1", "13105550142"},
              {"tel:911;phone-context=+1", "911"},
              {"tel:911;phone-context=+13105550", "911"},
              {"tel:102;phone-context=+1310", "102"},
              {"tel:10111;phone-context=+27", "10111"},
              {"sip:*72;phone-context=+1@box", "*72"},
              {"sip:*7244123;phone-context=+1310@box", "*7244123"},
              {"sip:911;phone-context=\"+1\"@box", "911"}});
}

TEST("another user keeps its semicolon, and what is no user is none") {
  everywhere({{"sip:alice;day=tuesday@atlanta.example", "alice;day=tuesday"},
              {"sip:alice:secret@box", "alice"},
              {"sip:clinic%2Dmain@box", "clinic-main"},
              {"sip:@box", ""},
              {"sip:;phone-context=+1@box", ""},
              {"sip:box", ""},
              {"sip:127.0.0.1", ""},
              {"sip:103", "103"},
              {"tel:", ""},
              {"mailto:911@example.com", ""},
              {"urn:service:sos", ""},
              {"911", ""},
              {"", ""}});
}

TEST("a header without brackets") {
  CHECK_SAME(numberIn("sip:+13105550142@box;tag=x"), std::string("+13105550142"));
  CHECK_SAME(numberIn("sip:+13105550142;npdi@box;tag=x"), std::string("+13105550142"));
  CHECK_SAME(numberIn("tel:911;phone-context=+1"), std::string("911"));
  CHECK_SAME(readAddress("sip:1@box;privacy=full").parameters, std::string(";privacy=full"));
}

TEST("a name is read as it was meant") {
  for (const auto& [header, name] : std::vector<Row>{{"\"Dr. \\\"Bob\\\" Lee\" <sip:1@x>", "Dr. \"Bob\" Lee"},
                                                     {"\"a\\\\b\" <tel:+1>", "a\\b"},
                                                     {"  Ann Lee <tel:+1-310-555-0142>", "Ann Lee"},
                                                     {"\"\" <sip:1@x>", ""},
                                                     {"\"<sip:2@y>\" <sip:1@x>", "<sip:2@y>"},
                                                     {"<sip:1@x>;name=\"no\"", ""},
                                                     {"sip:1@x", ""}})
    CHECK_SAME(readAddress(header).name, name);
}

TEST("entries of a header, and parameters of one") {
  std::string seen;
  eachAddress("\"A, \\\"B\" <sip:1@x;a=1,2>;p=1, <tel:+2>", [&](std::string_view one) { seen += numberIn(one) + "|"; });
  CHECK_SAME(seen, std::string("1|+2|"));
  CHECK_SAME(parameterOf(";Party=calling; PRIVACY = full ;x", "privacy"), std::string("full"));
  CHECK_SAME(parameterOf(";privacy", "privacy"), std::string());
  CHECK_SAME(parameterOf("privacy=full", "privacy"), std::string());
}

TEST("a call for help by RFC 5031") {
  for (const char* uri : {"urn:service:sos", "URN:Service:SOS", "urn:service:sos.ambulance", "urn:service:sos.fire", "urn:service:sos.unheard-of"}) CHECK(isSosUri(uri));
  for (const char* uri : {"urn:service:sosx", "urn:service:counseling", "urn:service", "sip:urn:service:sos@x", "urn:service:test.sos"}) CHECK(!isSosUri(uri));
}
