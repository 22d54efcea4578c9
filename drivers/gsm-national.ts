/**
 * The national language tables of 3GPP TS 23.038, annex A: locking shift tables take the place of the default alphabet, single shift tables
 * that of its extension. Keys: the national language identifiers of clause 6.2.1.2.4. A table is written as runs, each the code (two hexadecimal
 * digits) of its first character and the characters from there on, as code points and ranges of them.
 */

/** By code; what a table does not have is undefined. */
export type CodeTable = readonly (string | undefined)[]

/** Of the ten Indian languages: letters and signs that all of their tables have. */
const latin = '0a 000a, 0d 000d, 20 0020-0021, 28 0029 0028, 2c 002c, 2e 002e, 30 0030-003b, 3f 003f, 61 0061-007a'
const signs =
  '00 0040 00a3 0024 00a5 00bf 0022 00a4 0025-0027 000c 002a-002b 000d 002d 002f 003c-003e 00a1 005e 00a1 005f 0023 002a, ' +
  '28 007b 007d, 2f 005c, 3c 005b 007e 005d, 40 007c 0041-005a, 65 20ac'
/** The extension of the default alphabet (6.2.1.1), which the single shift tables of the European languages have whole. */
const extension = '0a 000c, 14 005e, 28 007b 007d, 2f 005c, 3c 005b 007e 005d, 40 007c, 65 20ac'

interface Language {
  /** What it has in place of the default alphabet; null where it has no table. */
  readonly locking: string | null
  readonly single: string
}

const languages: Readonly<Record<number, Language>> = {
  // Turkish: as the default alphabet but for these.
  1: {
    locking: '04 20ac, 07 0131, 0b 011e-011f, 1c 015e-015f, 40 0130, 60 00e7',
    single: `${extension}, 47 011e, 49 0130, 53 015e, 63 00e7, 67 011f, 69 0131, 73 015f`,
  },
  // Spanish
  2: { locking: null, single: `${extension}, 09 00e7, 41 00c1, 49 00cd, 4f 00d3, 55 00da, 61 00e1, 69 00ed, 6f 00f3, 75 00fa` },
  // Portuguese: as the default alphabet but for these.
  3: {
    locking:
      '04 00ea, 06 00fa 00ed 00f3 00e7, 0b 00d4 00f4, 0e 00c1 00e1, 12 00aa 00c7 00c0 221e 005e 005c 20ac 00d3 007c, 1c 00c2 00e2 00ca, ' +
      '24 00ba, 40 00cd, 5b 00c3 00d5 00da, 60 007e, 7b 00e3 00f5 0060',
    single:
      `${extension}, 05 00ea, 09 00e7, 0b 00d4 00f4, 0e 00c1 00e1, 12 03a6 0393, 15 03a9 03a0 03a8 03a3 0398, 1f 00ca, 41 00c0, 49 00cd, ` +
      '4f 00d3, 55 00da, 5b 00c3 00d5, 61 00c2, 69 00ed, 6f 00f3, 75 00fa, 7b 00e3 00f5, 7f 00e2',
  },
  // Bengali
  4: {
    locking:
      '00 0981-0983 0985-098b, 0b 098c, 0f 098f-0990, 13 0993-099a, 1c 099b-099e, 22 099f-09a4, 2a 09a5-09a6, 2d 09a7, 2f 09a8, 3d 09aa-09ab, 40 09ac-09b0, 46 09b2, 4a 09b6-09b9 09bc-09c4, 59 09c7-09c8, 5d 09cb-09ce, 7b 09d7 09dc-09dd 09f0-09f1',
    single: '19 09e6-09e7, 1c 09e8-09ef 09df-09e2, 2a 09e3 09f2-09f5, 30 09f6-09fa',
  },
  // Gujarati
  5: {
    locking:
      '00 0a81-0a83 0a85-0a8b, 0b 0a8c-0a8d, 0f 0a8f-0a91, 13 0a93-0a9a, 1c 0a9b-0a9e, 22 0a9f-0aa4, 2a 0aa5-0aa6, 2d 0aa7, 2f 0aa8, 3d 0aaa-0aab, 40 0aac-0ab0, 46 0ab2-0ab3, 49 0ab5-0ab9 0abc-0ac5, 59 0ac7-0ac9, 5d 0acb-0acd 0ad0, 7b 0ae0-0ae3 0af1',
    single: '19 0964-0965, 1c 0ae6-0aef',
  },
  // Hindi
  6: {
    locking:
      '00 0901-0903 0905-090b, 0b 090c-090d, 0e 090e-091a, 1c 091b-091e, 22 091f-0924, 2a 0925-0926, 2d 0927, 2f 0928, 3c 0929-092b, 40 092c-0939 093c-094d 0950, 7b 0972 097b-097c 097e-097f',
    single: '19 0964-0965, 1c 0966-096f 0951-0952, 2a 0953-0954 0958-095a, 30 095b-0963 0970-0971',
  },
  // Kannada
  7: {
    locking:
      '01 0c82-0c83 0c85-0c8b, 0b 0c8c, 0e 0c8e-0c90, 12 0c92-0c9a, 1c 0c9b-0c9e, 22 0c9f-0ca4, 2a 0ca5-0ca6, 2d 0ca7, 2f 0ca8, 3d 0caa-0cab, 40 0cac-0cb3, 49 0cb5-0cb9 0cbc-0cc4, 58 0cc6-0cc8, 5c 0cca-0ccd 0cd5, 7b 0cd6 0ce0-0ce3',
    single: '19 0964-0965, 1c 0ce6-0cef 0cde 0cf1, 2a 0cf2',
  },
  // Malayalam
  8: {
    locking:
      '01 0d02-0d03 0d05-0d0b, 0b 0d0c, 0e 0d0e-0d10, 12 0d12-0d1a, 1c 0d1b-0d1e, 22 0d1f-0d24, 2a 0d25-0d26, 2d 0d27, 2f 0d28, 3d 0d2a-0d2b, 40 0d2c-0d39, 4f 0d3d-0d44, 58 0d46-0d48, 5c 0d4a-0d4d 0d57, 7b 0d60-0d63 0d79',
    single: '19 0964-0965, 1c 0d66-0d71, 2a 0d72-0d75 0d7a, 30 0d7b-0d7f',
  },
  // Oriya
  9: {
    locking:
      '00 0b01-0b03 0b05-0b0b, 0b 0b0c, 0f 0b0f-0b10, 13 0b13-0b1a, 1c 0b1b-0b1e, 22 0b1f-0b24, 2a 0b25-0b26, 2d 0b27, 2f 0b28, 3d 0b2a-0b2b, 40 0b2c-0b30, 46 0b32-0b33, 49 0b35-0b39 0b3c-0b44, 59 0b47-0b48, 5d 0b4b-0b4d 0b56, 7b 0b57 0b60-0b63',
    single: '19 0964-0965, 1c 0b66-0b6f 0b5c-0b5d, 2a 0b5f 0b70-0b71',
  },
  // Punjabi
  10: {
    locking:
      '00 0a01-0a03 0a05-0a0a, 0f 0a0f-0a10, 13 0a13-0a1a, 1c 0a1b-0a1e, 22 0a1f-0a24, 2a 0a25-0a26, 2d 0a27, 2f 0a28, 3d 0a2a-0a2b, 40 0a2c-0a30, 46 0a32-0a33, 49 0a35-0a36, 4c 0a38-0a39 0a3c, 50 0a3e-0a42, 59 0a47-0a48, 5d 0a4b-0a4d 0a51, 7b 0a70-0a74',
    single: '19 0964-0965, 1c 0a66-0a6f 0a59-0a5a, 2a 0a5b-0a5c 0a5e 0a75',
  },
  // Tamil
  11: {
    locking:
      '01 0b82-0b83 0b85-0b8a, 0e 0b8e-0b90, 12 0b92-0b95, 19 0b99-0b9a, 1d 0b9c, 1f 0b9e, 22 0b9f, 26 0ba3-0ba4, 2f 0ba8, 3c 0ba9-0baa, 42 0bae-0bb9, 50 0bbe-0bc2, 58 0bc6-0bc8, 5c 0bca-0bcd 0bd0, 7b 0bd7 0bf0-0bf2 0bf9',
    single: '19 0964-0965, 1c 0be6-0bef 0bf3-0bf4, 2a 0bf5-0bf8 0bfa',
  },
  // Telugu
  12: {
    locking:
      '00 0c01-0c03 0c05-0c0b, 0b 0c0c, 0e 0c0e-0c10, 12 0c12-0c1a, 1c 0c1b-0c1e, 22 0c1f-0c24, 2a 0c25-0c26, 2d 0c27, 2f 0c28, 3d 0c2a-0c2b, 40 0c2c-0c33, 49 0c35-0c39, 4f 0c3d-0c44, 58 0c46-0c48, 5c 0c4a-0c4d 0c55, 7b 0c56 0c60-0c63',
    single: '1c 0c66-0c6f 0c58-0c59, 2a 0c78-0c7c, 30 0c7d-0c7f',
  },
  // Urdu
  13: {
    locking:
      '00 0627 0622 0628 067b 0680 067e 06a6 062a 06c2 067f, 0b 0679 067d, 0e 067a 067c 062b-062c 0681 0684 0683 0685-0687 062d-062f, 1c 068c 0688-068a, 22 068f 068d 0630-0631 0691 0693, 2a 0699 0632, 2d 0696, 2f 0698, 3c 069a 0633-0634, 40 0635-0639 0641-0642 06a9-06ab 06af 06b3 06b1 0644-0646 06ba-06bc 0648 06c4 06d5 06c1 06be 0621 06cc 06d0 06d2 064d 0650 064f 0657 0654, 7b 0655 0651 0653 0656 0670',
    single: '19 0600-0601, 1c 06f0-06f9 060c-060d, 2a 060e-0612, 30 0613-0614 061b 061f 0640 0652 0658 066b-066c 0672-0673 06cd, 3f 06d4',
  },
}

const firstIndian = 4

function tableOf(runs: string): (string | undefined)[] {
  const table: (string | undefined)[] = []
  for (const run of runs.split(', ')) {
    const [start = '', ...points] = run.split(' ')
    let code = Number.parseInt(start, 16)
    for (const point of points) {
      const [first = 0, last = first] = point.split('-').map((text) => Number.parseInt(text, 16))
      for (let character = first; character <= last; character++) table[code++] = String.fromCharCode(character)
    }
  }
  return table
}

const made = new Map<string, CodeTable>()

function once(key: string, make: () => CodeTable): CodeTable {
  const table = made.get(key) ?? make()
  made.set(key, table)
  return table
}

/** Undefined for a language that is not known. @param basic the default alphabet, by code */
export function lockingTable(language: number, basic: CodeTable): CodeTable | undefined {
  const runs = languages[language]?.locking
  if (runs == null) return languages[language] === undefined ? undefined : basic
  return once(`locking ${language}`, () => {
    if (language >= firstIndian) return tableOf(`${latin}, ${runs}`)
    const table = [...basic]
    tableOf(runs).forEach((character, code) => (table[code] = character))
    return table
  })
}

/** Undefined for a language that is not known. */
export function singleTable(language: number): CodeTable | undefined {
  const runs = language === 0 ? extension : languages[language]?.single
  if (runs === undefined) return undefined
  return once(`single ${language}`, () => tableOf(language >= firstIndian ? `${signs}, ${runs}` : runs))
}
