// A pseudo terminal that writes down what passes between a computer and its modem, or plays the modem as it was written down.
//   wire record LINK DEVICE FILE    passes everything on between LINK and DEVICE
//   wire replay LINK FILE           what the computer says must be what it said then
// FILE: a line for each piece, "MS > HEX" from the computer, "MS < HEX" from the modem; MS since the first. In a replay ">" must come as
// it is, but for "MS * NUMBER": any data up to DLE and ETX , ; or a full stop. What the modem says comes at once, and after 300 ms where it came of itself
// ("MS ! HEX"). Says "ready" when LINK is there, and in a replay "over" or what went wrong. Ends with its standard input.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::string hex(const std::string& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string unhex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

void rawMode(int terminal) {
  termios raw;
  tcgetattr(terminal, &raw);
  cfmakeraw(&raw);
  tcsetattr(terminal, TCSANOW, &raw);
}

int terminalAt(const char* link) {
  int master, slave;
  char name[128];
  if (openpty(&master, &slave, name, nullptr, nullptr) != 0) std::exit(2);
  rawMode(slave);
  unlink(link);
  if (symlink(name, link) != 0) std::exit(2);
  std::puts("ready");
  std::fflush(stdout);
  return master;
}

std::string take(int from) {
  char bytes[4096];
  const auto size = read(from, bytes, sizeof bytes);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : std::string();
}

void give(int to, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const auto size = write(to, bytes.data() + done, bytes.size() - done);
    if (size > 0) done += static_cast<size_t>(size);
    else std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int record(const char* link, const char* device, const char* file) {
  const int modem = open(device, O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (modem < 0) return 2;
  rawMode(modem);
  const int computer = terminalAt(link);
  std::ofstream out(file);
  const auto began = Clock::now();
  const auto note = [&](char way, const std::string& bytes) {
    if (!bytes.empty()) out << std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count() << ' ' << way << ' ' << hex(bytes) << std::endl;
  };
  for (;;) {
    pollfd watched[] = {{0, POLLIN, 0}, {computer, POLLIN, 0}, {modem, POLLIN, 0}};
    poll(watched, 3, -1);
    if (watched[0].revents != 0) return 0;
    if (watched[1].revents & POLLIN) {
      const std::string bytes = take(computer);
      note('>', bytes);
      give(modem, bytes);
    }
    if (watched[2].revents & POLLIN) {
      const std::string bytes = take(modem);
      note('<', bytes);
      give(computer, bytes);
    }
  }
}

// Behind the end of the data, or 0; DLE DLE is one byte of it.
size_t endOf(const std::string& data) {
  for (size_t at = data.find('\x10'); at + 1 < data.size() && at != std::string::npos; at = data.find('\x10', at + 2))
    if (std::string("\x03,;.").find(data[at + 1]) != std::string::npos) return at + 2;
  return 0;
}

struct Piece {
  char way;
  std::string bytes;
};

int replay(const char* link, const char* file) {
  std::vector<Piece> pieces;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string ms, way, bytes;
    words >> ms >> way >> bytes;
    pieces.push_back({way[0], way[0] == '*' ? bytes : unhex(bytes)});
  }
  const int computer = terminalAt(link);
  std::string heard;
  for (const Piece& piece : pieces) {
    if (piece.way == '!') std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (piece.way == '<' || piece.way == '!') {
      give(computer, piece.bytes);
      continue;
    }
    for (;;) {
      if (piece.way == '*') {
        if (const size_t end = endOf(heard); end > 0) {
          heard.erase(0, end);
          break;
        }
      } else if (heard.size() >= piece.bytes.size()) {
        if (heard.compare(0, piece.bytes.size(), piece.bytes) != 0) {
          std::printf("it said %s and not %s\n", hex(heard.substr(0, 60)).c_str(), hex(piece.bytes).c_str());
          return 1;
        }
        heard.erase(0, piece.bytes.size());
        break;
      }
      pollfd watched[] = {{0, POLLIN, 0}, {computer, POLLIN, 0}};
      poll(watched, 2, -1);
      if (watched[0].revents != 0) {
        std::printf("it never said %s\n", hex(piece.bytes).c_str());
        return 1;
      }
      heard += take(computer);
    }
  }
  std::puts("over");
  std::fflush(stdout);
  take(0);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "record" && count == 5) return record(words[2], words[3], words[4]);
  if (what == "replay" && count == 4) return replay(words[2], words[3]);
  return 2;
}
