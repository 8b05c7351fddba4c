// Keys of any type as text, and back: what a learner types, and what steps show.
#pragma once

#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sortile::classics {

/// How steps write a key. The bits of binary, hexadecimal and halves are those of the key in memory.
enum class notation { decimal, binary, hexadecimal, halves };

/// "dec", "bin", "hex", "halves". \throws invalid_argument listing them
notation notation_named(std::string_view name);
std::string_view name(notation shown);

/// The bits of a key of at most 8 bytes.
std::uint64_t bits_of(key_type type, const void* key);

/// A key as text: its value; or its lowest `bits` bits in base 2 or 16; or its upper and its lower half as two unsigned
/// numbers, "41/52000".
std::string key_as_text(key_type type, const void* key, notation shown, unsigned bits);

/// Writes the key that a text says: a number of the type (0x… and 0b… are taken for unsigned types), or two unsigned
/// numbers with a '/' between them, the halves of an unsigned key. \throws invalid_argument
void parse_key(key_type type, std::string_view text, void* key);

} // namespace sortile::classics
