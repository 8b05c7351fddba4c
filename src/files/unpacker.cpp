// Reading packed streams; see packing.hpp.
#include "files/failure.hpp"
#include "files/packing.hpp"

#include <algorithm>
#include <new>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace sortile::files {

class unpacker::codec {
 public:
  explicit codec(std::string name) : name_(std::move(name)) {}
  virtual ~codec() = default;
  virtual step run(std::string_view packed, char* to, std::size_t room) = 0;
  virtual void finish() const = 0;

 protected:
  [[noreturn]] void fail_damaged(const char* format, const char* what) const {
    fail(name_, "damaged {} data at offset {}: {}", format, offset_, what);
  }
  [[noreturn]] void fail_cut(const char* format) const {
    fail(name_, "the {} data is cut off at offset {}", format, offset_);
  }
  std::uint64_t offset_ = 0; // packed bytes that were used

 private:
  std::string name_;
};

class unpacker::gzip_codec final : public unpacker::codec {
 public:
  explicit gzip_codec(std::string name) : codec(std::move(name)) {
    constexpr int largest_window_of_gzip = 15 + 16;
    if (::inflateInit2(&stream_, largest_window_of_gzip) != Z_OK)
      throw std::bad_alloc();
  }
  gzip_codec(const gzip_codec&) = delete;
  gzip_codec& operator=(const gzip_codec&) = delete;
  ~gzip_codec() override { ::inflateEnd(&stream_); }

  step run(std::string_view packed, char* to, std::size_t room) override {
    if (between_members_) {
      if (packed.empty())
        return {};
      if (packed.front() == '\0') { // padding of tapes and blocks
        const std::size_t zeros = std::min(packed.find_first_not_of('\0'), packed.size());
        offset_ += zeros;
        return {zeros, 0};
      }
      ::inflateReset(&stream_);
      between_members_ = false;
    }
    constexpr std::size_t most = std::size_t{1} << 30; // zlib counts in 32 bits
    const std::size_t given = std::min(packed.size(), most);
    const std::size_t offered = std::min(room, most);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())); // which zlib only reads
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(offered);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    const step done{given - stream_.avail_in, offered - stream_.avail_out};
    offset_ += done.taken;
    if (status == Z_MEM_ERROR)
      throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail_damaged("gzip", stream_.msg != nullptr ? stream_.msg : "it is not understood");
    between_members_ = status == Z_STREAM_END;
    return done;
  }

  void finish() const override {
    if (!between_members_)
      fail_cut("gzip");
  }

 private:
  z_stream stream_{};
  bool between_members_ = false;
};

class unpacker::zstd_codec final : public unpacker::codec {
 public:
  explicit zstd_codec(std::string name) : codec(std::move(name)), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr)
      throw std::bad_alloc();
    // Whatever `zstd --long` may have written: by itself the library takes windows of 128 MiB.
    ::ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, ::ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  }
  zstd_codec(const zstd_codec&) = delete;
  zstd_codec& operator=(const zstd_codec&) = delete;
  ~zstd_codec() override { ::ZSTD_freeDStream(stream_); }

  step run(std::string_view packed, char* to, std::size_t room) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{to, room, 0};
    if (packed.empty() && whole_)
      return {};
    const std::size_t status = ::ZSTD_decompressStream(stream_, &out, &in);
    offset_ += in.pos;
    if (::ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation)
      throw std::bad_alloc();
    if (::ZSTD_isError(status) != 0)
      fail_damaged("zstd", ::ZSTD_getErrorName(status));
    whole_ = status == 0;
    return {in.pos, out.pos};
  }

  void finish() const override {
    if (!whole_)
      fail_cut("zstd");
  }

 private:
  ZSTD_DStream* stream_;
  bool whole_ = false;
};

unpacker::unpacker(packing how, std::string name) {
  if (how == packing::gzip)
    codec_ = std::make_unique<gzip_codec>(std::move(name));
  else
    codec_ = std::make_unique<zstd_codec>(std::move(name));
}

unpacker::unpacker(unpacker&&) noexcept = default;
unpacker& unpacker::operator=(unpacker&&) noexcept = default;
unpacker::~unpacker() = default;

unpacker::step unpacker::run(std::string_view packed, char* to, std::size_t room) {
  return codec_->run(packed, to, room);
}

void unpacker::finish() const {
  codec_->finish();
}

} // namespace sortile::files
