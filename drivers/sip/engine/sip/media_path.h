// The way of a call's RTP and RTCP: a PJMEDIA transport of ours between PJSIP's UDP sockets and SRTP. It drops what does not
// come from the call's far end (media/source_rule.h) before anything above it moves, and sends nothing to an address that has
// not proved itself. PJSIP's own search for a far end that has moved is switched off.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "../media/rtp_ports.h"
#include "../media/source_rule.h"
#include "legs.h"
#include "pj.h"

namespace pbx {

// What one line of a call's description knows of its far end.
struct MediaLine {
  SourceRule rtp, rtcp;
  // The description names the discard port: there is no audio.
  std::atomic<bool> unused{false};
};

// Shared by a call's leg and the transports of its lines, of which there may be several until one is agreed on: a source
// that may be learnt, or that has proved itself, counts for all of them.
class MediaPath {
 public:
  // The far end has shown that it is at the address its description names: by the ACK or PRACK to an answer it must have
  // seen, by digest, by a connection, or by answering our call.
  void prove() { proved_ = true; }
  void answered();
  // Addresses that may be learnt; the signalling's source comes and goes with its messages.
  void trust(const std::vector<IpRange>& known);
  void signalledFrom(const std::string& ip);
  std::vector<IpRange> trusted() const;

  bool proved() const { return proved_; }
  void add(MediaLine& line);
  void remove(MediaLine& line);

  const std::shared_ptr<ForeignPackets> foreign = std::make_shared<ForeignPackets>();
  std::atomic<uint32_t> kept{0};     // RTP packets that were not sent
  std::atomic<uint32_t> further{0};  // of the foreign ones: of a further source (SSRC) at the far end's own address
  bool reported = false;             // foreign packets were reported; sweep thread

 private:
  void share();
  std::atomic<bool> proved_{false};
  mutable std::mutex mutex_;
  std::vector<MediaLine*> lines_;
  std::vector<IpRange> known_;
  IpRange signalling_;
  bool signalled_ = false;
};

// Which way is whose: a leg's, from the moment its first sockets are made.
class MediaPaths {
 public:
  explicit MediaPaths(Legs& legs) : legs_(legs) { only_ = this; }
  // pjsua's on_create_media_transport; by scripts/pjsip's patch it is asked before SRTP is put on top.
  static pjmedia_transport* guard(pjsua_call_id call, unsigned media, pjmedia_transport* sockets, unsigned flags);
  // pjsua's on_rtp_port; T.38 takes its ports from them, too.
  static uint16_t nextPort(uint16_t failed);
  // What PJSIP had is closed: a socket of datagrams at that port.
  static void socketClosed(uint16_t port);
  const std::shared_ptr<RtpPorts> ports = std::make_shared<RtpPorts>();
  // PJSIP hands an INVITE up on this thread, whose leg is to come.
  static void callArrives();
  // Made for that INVITE; null where it offers nothing.
  static std::shared_ptr<MediaPath> ofThisRequest();
  // Null before its media.
  std::shared_ptr<MediaPath> of(const CallLeg& leg) const;

 private:
  static MediaPaths* only_;
  Legs& legs_;
};

}  // namespace pbx
