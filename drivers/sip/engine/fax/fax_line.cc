#include "fax_line.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>

namespace pbx {

namespace {

constexpr unsigned leadFrames = 3;
constexpr unsigned lingerFrames = 25;     // the last words are on the wire before the end is reported
constexpr uint64_t longest = 60ull * 60 * 50;  // ticks: 60 minutes
constexpr int priority = 5;               // below the media clock, above everything without a deadline

bool silent(std::span<const int16_t> samples) {
  return std::all_of(samples.begin(), samples.end(), [](int16_t sample) { return sample == 0; });
}

}  // namespace

FrameRing::Frame* FrameRing::next() {
  const uint32_t head = head_.load(std::memory_order_relaxed);
  return head - tail_.load(std::memory_order_acquire) >= capacity ? nullptr : &frames_[head % capacity];
}

const FrameRing::Frame* FrameRing::front() const {
  const uint32_t tail = tail_.load(std::memory_order_relaxed);
  return head_.load(std::memory_order_acquire) == tail ? nullptr : &frames_[tail % capacity];
}

FaxLine::FaxLine(FaxOrder order, std::unique_ptr<FaxEvents> events) : order_(std::move(order)), events_(std::move(events)) {
  for (unsigned i = 0; i < leadFrames; i++) {
    said_.next()->samples.fill(0);
    said_.publish();
  }
}

FaxLine::~FaxLine() {
  drop();
  if (thread_.joinable()) thread_.join();
}

bool FaxLine::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    finished_ = true;
    return false;
  }
  pthread_setname_np(thread_.native_handle(), "fax");
  // A modem has a deadline too, if a softer one than the clock's. Where that is not granted it goes without.
  sched_param wanted{};
  wanted.sched_priority = priority;
  pthread_setschedparam(thread_.native_handle(), SCHED_RR, &wanted);
  return true;
}

void FaxLine::exchange(std::span<const int16_t> heard, bool lost, std::span<int16_t> said) {
  // A full ring means a thread that has stood still for seconds: what it misses now is the least of its troubles.
  if (FrameRing::Frame* frame = heard_.next()) {
    std::copy(heard.begin(), heard.end(), frame->samples.begin());
    frame->lost = lost;
    heard_.publish();
  }
  wake_.release();
  if (const FrameRing::Frame* frame = said_.front()) {
    std::copy(frame->samples.begin(), frame->samples.end(), said.begin());
    said_.drop();
  } else {
    std::fill(said.begin(), said.end(), int16_t{0});
  }
}

void FaxLine::order(std::atomic<bool>& flag) {
  flag = true;
  wake_.release();
}

void FaxLine::drop(const std::string& why) {
  {
    std::lock_guard lock(mutex_);
    if (dropText_.empty()) dropText_ = why;
  }
  order(dropWanted_);
}

void FaxLine::run() {
  try {
    FaxEvents& events = *this;
    fax_ = std::make_unique<AudioFax>(order_, events);
  } catch (const std::bad_alloc&) {
    FaxEnd end;
    end.code = 47;
    end.text = "No memory for another fax call";
    events_->ended(end);
    finished_ = true;
    return;
  }
  unsigned linger = lingerFrames;
  while (!dropWanted_ && linger > 0) {
    wake_.acquire();
    if (changeWanted_) change();
    if (stopWanted_) fax_->stop("Stopped by this side");
    while (linger > 0 && heard_.front() != nullptr) {
      turn();
      if (fax_->over()) linger--;
    }
  }
  {
    std::lock_guard lock(mutex_);
    fax_->session().dropped(dropText_);
  }
  packets_ = nullptr;
  fax_.reset();  // the file is closed
  events_->ended(end_);
  finished_ = true;
}

void FaxLine::changeToT38(std::shared_ptr<UdptlSocket> socket, const T38Terms& terms) {
  {
    std::lock_guard lock(mutex_);
    if (socket_) return;
    socket_ = std::move(socket);
    terms_ = terms;
  }
  t38_ = true;
  order(changeWanted_);
}

void FaxLine::change() {
  changeWanted_ = false;
  if (fax_->over()) return;
  // The session over audio vanishes; its file is closed before the next one opens it.
  fax_->session().abandon();
  fax_.reset();
  std::lock_guard lock(mutex_);
  FaxEvents& events = *this;
  auto packets = std::make_unique<T38Fax>(order_, events, terms_, [this](std::span<const uint8_t> datagram) { socket_->send(datagram); });
  packets_ = packets.get();
  fax_ = std::move(packets);
}

void FaxLine::progress(FaxPhase phase, const FaxState& state) {
  if (phase == FaxPhase::page) trained_ = true;
  events_->progress(phase, state);
}

// One frame in, one frame out.
void FaxLine::turn() {
  const FrameRing::Frame* frame = heard_.front();
  if (packets_ != nullptr) socket_->receive([this](std::span<const uint8_t> datagram) { packets_->receive(datagram); });
  fax_->hear(frame->lost ? std::span<const int16_t>() : std::span<const int16_t>(frame->samples));
  heard_.drop();
  FrameRing::Frame* out = said_.next();
  std::array<int16_t, 160> spare;
  std::span<int16_t> samples = out != nullptr ? std::span<int16_t>(out->samples) : std::span<int16_t>(spare);
  fax_->say(samples);
  // After a stall the ring holds more than the lead: the surplus goes where nothing is said.
  if (out != nullptr && !(said_.size() > leadFrames && silent(samples))) said_.publish();
  if (++ticks_ == longest) fax_->stop("A fax call of more than 60 minutes was ended");
}

}  // namespace pbx
