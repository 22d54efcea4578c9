// Which hosts that somebody names can be reached from here.
#include "../sip/address.h"

#include <string>

#include "check.h"

TEST("a host that cannot be meant for us, by the address of who names it") {
  struct Row {
    const char *host, *source;
    bool nobody;
  };
  for (const Row& row : {
           Row{"0.0.0.0", "192.0.2.1", true},       Row{"::", "2001:db8::1", true},           Row{"10.1.2.3", "198.51.100.7", true},
           Row{"172.31.0.9", "198.51.100.7", true}, Row{"192.168.1.5", "198.51.100.7", true}, Row{"100.64.0.1", "198.51.100.7", true},
           Row{"169.254.3.3", "198.51.100.7", true}, Row{"fd00::1", "2001:db8::1", true},     Row{"127.0.0.1", "198.51.100.7", true},
           Row{"127.0.0.1", "192.168.1.5", true},   Row{"df7jal23ls0d.invalid", "198.51.100.7", true},
           Row{"10.1.2.3", "10.9.9.9", false},      Row{"10.1.2.3", "192.168.1.5", false},    Row{"127.0.0.9", "127.0.0.1", false},
           Row{"198.51.100.8", "198.51.100.7", false}, Row{"198.51.100.8", "10.9.9.9", false}, Row{"172.32.0.9", "198.51.100.7", false},
           Row{"sbc.carrier.example", "198.51.100.7", false}, Row{".invalid", "198.51.100.7", false}, Row{"2001:db8::2", "2001:db8::1", false},
       }) {
    CHECK_SAME(std::string(row.host) + (pbx::isNobody(row.host, row.source) ? " nobody" : ""), std::string(row.host) + (row.nobody ? " nobody" : ""));
  }
}
