// Writing packed streams; see packing.hpp.
#include "files/failure.hpp"
#include "files/packing.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>
#include <zstd.h>

namespace sortile::files {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

} // namespace

class packer::codec {
 public:
  virtual ~codec() = default;
  virtual void put(std::string_view bytes, bool last, std::string& to) = 0;

 protected:
  std::array<char, piece_bytes> piece_;
};

class packer::gzip_codec final : public packer::codec {
 public:
  explicit gzip_codec(std::string name) : name_(std::move(name)) {
    constexpr int largest_window_of_gzip = 15 + 16;
    constexpr int usual_memory = 8;
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_of_gzip, usual_memory,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  gzip_codec(const gzip_codec&) = delete;
  gzip_codec& operator=(const gzip_codec&) = delete;
  ~gzip_codec() override { ::deflateEnd(&stream_); }

  void put(std::string_view bytes, bool last, std::string& to) override {
    constexpr std::size_t most = std::size_t{1} << 30; // zlib counts in 32 bits
    do {
      const std::string_view part = bytes.substr(0, most);
      bytes.remove_prefix(part.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data())); // which zlib only reads
      stream_.avail_in = static_cast<uInt>(part.size());
      drain(last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH, to);
    } while (!bytes.empty());
  }

 private:
  void drain(int flush, std::string& to) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      if (::deflate(&stream_, flush) == Z_STREAM_ERROR)
        fail(name_, "cannot pack: zlib is in no state to");
      to.append(piece_.data(), piece_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  std::string name_;
  z_stream stream_{};
};

class packer::zstd_codec final : public packer::codec {
 public:
  explicit zstd_codec(std::string name) : name_(std::move(name)), stream_(::ZSTD_createCCtx()) {
    if (stream_ == nullptr)
      throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  zstd_codec(const zstd_codec&) = delete;
  zstd_codec& operator=(const zstd_codec&) = delete;
  ~zstd_codec() override { ::ZSTD_freeCCtx(stream_); }

  void put(std::string_view bytes, bool last, std::string& to) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
      left = ::ZSTD_compressStream2(stream_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (::ZSTD_isError(left) != 0)
        fail(name_, "cannot pack: {}", ::ZSTD_getErrorName(left));
      to.append(piece_.data(), out.pos);
      if (!last)
        left = in.size - in.pos;
    }
  }

 private:
  std::string name_;
  ZSTD_CCtx* stream_;
};

packer::packer(packing how, std::string name) {
  if (how == packing::gzip)
    codec_ = std::make_unique<gzip_codec>(std::move(name));
  else
    codec_ = std::make_unique<zstd_codec>(std::move(name));
}

packer::packer(packer&&) noexcept = default;
packer& packer::operator=(packer&&) noexcept = default;
packer::~packer() = default;

void packer::put(std::string_view bytes, std::string& to) {
  if (!bytes.empty())
    codec_->put(bytes, false, to);
}

void packer::finish(std::string& to) {
  codec_->put({}, true, to);
}

} // namespace sortile::files
