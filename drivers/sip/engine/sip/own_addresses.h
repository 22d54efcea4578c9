// The addresses of this machine as others see them. A box in several networks is reached at a different address from each of
// them, and behind NAT at one that it does not have. A message to a far end carries the address at which that far end
// reaches us, by the kernel's routes and by `publicAddress`.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "settings.h"

namespace pbx {

class OwnAddresses {
 public:
  explicit OwnAddresses(const CurrentSettings& settings) : settings_(settings) {}

  // The only address that the listeners have; "": they listen at all.
  void listenAt(const std::string& address);
  // Ours, on the way to that IP address; "" where no way leads there. Asks the kernel, which sends nothing for that.
  std::string towards(const std::string& ip) const;
  // The address we give to a far end at `ip`, where `own` is our address on the way there: `own`, or `publicAddress` outside
  // of `localNetworks`. "" for "".
  std::string toldTo(const std::string& ip, const std::string& own) const;
  std::string toldTo(const std::string& ip) const { return toldTo(ip, towards(ip)); }
  // Whether it is, or was since the start, an address of this machine or its public one.
  bool isOurs(std::string_view host) const;
  // Whether this machine has it now.
  bool stands(const std::string& ip) const;
  // Reads the machine's addresses again and forgets the routes. True: the addresses have changed.
  bool refresh();

 private:
  const CurrentSettings& settings_;
  mutable std::mutex mutex_;
  std::string listens_;
  std::set<std::string, std::less<>> now_, ever_;
  mutable std::map<std::string, std::string> ways_;  // by destination, until the next refresh
};

// The far end this thread deals with, by IP address: PJSIP asks for "our" address without saying for whom.
class FarEnd {
 public:
  static const std::string& now();
  static void set(const std::string& ip);

  // While this lives.
  explicit FarEnd(const std::string& ip);
  ~FarEnd();
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;

 private:
  std::string before_;
};

}  // namespace pbx
