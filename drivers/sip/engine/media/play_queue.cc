#include "play_queue.h"

#include <algorithm>

namespace pbx {

namespace {

class ClipSource final : public PlaySource {
 public:
  ClipSource(Clip clip, unsigned offsetMs) : clip_(std::move(clip)) {
    position = std::min<size_t>(size_t{offsetMs} * 8, clip_->size());
  }
  size_t render(std::span<int16_t> out) override {
    const size_t count = std::min(out.size(), clip_->size() - position);
    std::copy_n(clip_->begin() + static_cast<ptrdiff_t>(position), count, out.begin());
    position += count;
    return count;
  }
  bool finished() const override { return position == clip_->size(); }

 private:
  Clip clip_;
};

class SilenceSource final : public PlaySource {
 public:
  explicit SilenceSource(unsigned ms) : length_(size_t{ms} * 8) {}
  size_t render(std::span<int16_t> out) override {
    const size_t count = std::min(out.size(), length_ - position);
    std::fill_n(out.begin(), count, int16_t{0});
    position += count;
    return count;
  }
  bool finished() const override { return position == length_; }

 private:
  size_t length_;
};

// 42 dB below full scale: a microphone in a quiet room.
bool silent(std::span<const int16_t> samples) {
  return std::ranges::all_of(samples, [](int16_t sample) { return sample > -256 && sample < 256; });
}

}  // namespace

void StreamSource::append(std::unique_ptr<PcmChunk>& chunk) {
  if (chunk->samples.empty() || ended_) return;
  queued_ += chunk->samples.size();
  chunks_.add(std::move(chunk));
}

size_t StreamSource::render(std::span<int16_t> out) {
  size_t done = 0;
  while (done < out.size() && !chunks_.empty()) {
    const std::vector<int16_t>& chunk = chunks_.first()->samples;
    const size_t count = std::min(out.size() - done, chunk.size() - used_);
    std::copy_n(chunk.begin() + static_cast<ptrdiff_t>(used_), count, out.begin() + static_cast<ptrdiff_t>(done));
    done += count;
    used_ += count;
    if (used_ == chunk.size()) {
      discards_.push(chunks_.takeFirst());
      used_ = 0;
    }
  }
  queued_ -= done;
  if (wide_ && done % 2 == 1) out[done++] = 0;
  position += wide_ ? done / 2 : done;
  return done;
}

std::unique_ptr<PlaySource> clipSource(Clip clip, unsigned offsetMs) {
  return std::make_unique<ClipSource>(std::move(clip), offsetMs);
}

std::unique_ptr<PlaySource> silenceSource(unsigned ms) {
  return std::make_unique<SilenceSource>(ms);
}

size_t PlayQueue::streamedMs() const {
  size_t queuedMs = 0;
  for (PlaySource* item = items_.first(); item != nullptr; item = items_.after(item)) {
    if (item->stream() == nullptr) return 0;
    queuedMs += item->stream()->queuedMs();
  }
  return queuedMs;
}

bool PlayQueue::live() const {
  const size_t queuedMs = streamedMs();
  return queuedMs > 0 && queuedMs <= 40;
}

bool PlayQueue::spare() {
  const size_t queuedMs = streamedMs();
  spareTicks_ = queuedMs >= 20 && queuedMs <= 40 ? spareTicks_ + 1 : 0;
  return spareTicks_ >= patience_;
}

StreamSource* PlayQueue::stream(uint32_t play) const {
  for (PlaySource* item = items_.first(); item != nullptr; item = items_.after(item)) {
    if (item->play == play && item->stream() != nullptr) return item->stream();
  }
  return nullptr;
}

void Loop::fill(std::span<int16_t> out) {
  if (clip_->empty()) std::fill(out.begin(), out.end(), int16_t{0});
  for (size_t done = 0; done < out.size() && !clip_->empty();) {
    const size_t count = std::min(out.size() - done, clip_->size() - position_);
    std::copy_n(clip_->begin() + static_cast<ptrdiff_t>(position_), count, out.begin() + static_cast<ptrdiff_t>(done));
    done += count;
    position_ = (position_ + count) % clip_->size();
  }
}

bool PlayQueue::fill(std::span<int16_t> out, std::span<int16_t, 320> wide, EventRing& events) {
  const bool allWide = next(out, wide, events);
  if (!spare() || !silent(out)) return allWide;
  spareTicks_ = 0;
  patience_ *= 2;
  return next(out, wide, events);
}

bool PlayQueue::next(std::span<int16_t> out, std::span<int16_t, 320> wide, EventRing& events) {
  size_t done = 0;
  bool allWide = true;
  const bool over = saysOver();
  while (!items_.empty() && items_.first()->over == over) {
    PlaySource& source = *items_.first();
    if (source.wide()) {
      const size_t count = source.render(wide.subspan(2 * done));
      down_.process(wide.subspan(2 * done, count), out.subspan(done, count / 2));
      done += count / 2;
    } else {
      const size_t count = source.render(out.subspan(done));
      allWide = allWide && count == 0;
      done += count;
    }
    if (!source.finished()) break;  // the frame is full, or a stream has run dry
    events.played(leg_, source.play, true, source.playedMs());
    discards_.push(items_.takeFirst());
  }
  std::fill(out.begin() + static_cast<ptrdiff_t>(done), out.end(), int16_t{0});
  std::fill(wide.begin() + static_cast<ptrdiff_t>(2 * done), wide.end(), int16_t{0});
  return allWide && done > 0;
}

void PlayQueue::clear(EventRing& events) {
  while (!items_.empty()) {
    events.played(leg_, items_.first()->play, false, items_.first()->playedMs());
    discards_.push(items_.takeFirst());
  }
}

}  // namespace pbx
