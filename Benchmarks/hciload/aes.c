/* AES-128 (FIPS 197), for the LE Encrypt command. Hosts use it for resolvable addresses and for legacy pairing. */
#include "hciload.h"

#include <string.h>

static uint8_t substitution[256];

/* Goes through the multiplicative group with a generator (p) and its inverse (q). The S-box is q's affine image. */
static void build_substitution(void) {
  uint8_t p = 1, q = 1;
  do {
    p = p ^ (p << 1) ^ (p & 0x80 ? 0x1b : 0);
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    if (q & 0x80)
      q ^= 9;
    uint8_t x = q ^ (uint8_t)(q << 1 | q >> 7) ^ (uint8_t)(q << 2 | q >> 6) ^ (uint8_t)(q << 3 | q >> 5) ^
                (uint8_t)(q << 4 | q >> 4);
    substitution[p] = x ^ 0x63;
  } while (p != 1);
  substitution[0] = 0x63;
}

static uint8_t times_x(uint8_t a) {
  return a << 1 ^ (a & 0x80 ? 0x1b : 0);
}

static void expand_key(const uint8_t key[16], uint8_t round_keys[176]) {
  uint8_t constant = 1;
  memcpy(round_keys, key, 16);
  for (int i = 16; i < 176; i += 4) {
    uint8_t word[4];
    memcpy(word, round_keys + i - 4, 4);
    if (i % 16 == 0) {
      uint8_t first = word[0];
      word[0] = substitution[word[1]] ^ constant;
      word[1] = substitution[word[2]];
      word[2] = substitution[word[3]];
      word[3] = substitution[first];
      constant = times_x(constant);
    }
    for (int k = 0; k < 4; k++)
      round_keys[i + k] = round_keys[i - 16 + k] ^ word[k];
  }
}

static void mix_columns(const uint8_t in[16], uint8_t out[16]) {
  for (int i = 0; i < 16; i += 4) {
    uint8_t a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
    uint8_t all = a ^ b ^ c ^ d;
    out[i] = a ^ all ^ times_x(a ^ b);
    out[i + 1] = b ^ all ^ times_x(b ^ c);
    out[i + 2] = c ^ all ^ times_x(c ^ d);
    out[i + 3] = d ^ all ^ times_x(d ^ a);
  }
}

void aes_encrypt(const uint8_t key[16], const uint8_t in[16], uint8_t out[16]) {
  uint8_t round_keys[176], state[16], shifted[16];
  expand_key(key, round_keys);
  for (int i = 0; i < 16; i++)
    state[i] = in[i] ^ round_keys[i];
  for (int round = 1; round <= 10; round++) {
    for (int i = 0; i < 16; i++)
      shifted[i] = substitution[state[(i + 4 * (i % 4)) % 16]];
    if (round < 10)
      mix_columns(shifted, state);
    else
      memcpy(state, shifted, 16);
    for (int i = 0; i < 16; i++)
      state[i] ^= round_keys[16 * round + i];
  }
  memcpy(out, state, 16);
}

void aes_start(void) {
  uint8_t key[16], plain[16], cipher[16];
  build_substitution();
  for (int i = 0; i < 16; i++) {
    key[i] = i;
    plain[i] = i * 17;
  }
  aes_encrypt(key, plain, cipher);
  if (cipher[0] != 0x69 || cipher[15] != 0x5a)
    die("AES self test");
}
