/** The national language tables of 3GPP TS 23.038, annex A, by words whose codes are known, and as the standard says that all of them are. */
import t from 'tap'
import { alphabetNotKnown, decodeGsm } from '../../drivers/gsm-alphabet.ts'
import { lockingTable, singleTable } from '../../drivers/gsm-national.ts'
import { readText } from '../../drivers/smpp/inbound.ts'
import { decode, encode } from '../../drivers/smpp/codec.ts'

const indian = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
const languages = [1, 2, 3, ...indian]
const basic = Array.from({ length: 128 }, (_, code) => decodeGsm(Buffer.from([code])))

t.test('words', async (t) => {
  const table: readonly (readonly [words: string, locking: number, single: number, hex: string])[] = [
    ['ağrı var, şurup', 1, 0, '610c7207207661722c201d75727570'],
    ['ağrı, İĞŞç', 0, 1, '611b67721b692c201b491b471b531b63'],
    ['niñez, ¡Ánimo! í', 0, 2, '6e697d657a2c20401b416e696d6f21201b69'],
    ['amanhã, não', 3, 0, '616d616e687b2c206e7b6f'],
    ['São Ímã Ê', 0, 3, '531b7b6f201b496d1b7b201b1f'],
    ['বাংলা', 4, 0, '4050014650'],
    ['નમસ્તે', 5, 0, '2f424c5f2759'],
    ['नमस्ते १२', 6, 6, '2f424c5f2759201b1d1b1e'],
    ['ಕನ್ನಡ', 7, 0, '152f5f2f24'],
    ['മലയാളം', 8, 0, '424643504701'],
    ['ଓଡ଼', 9, 0, '13244e'],
    ['ਪੰਜਾਬੀ', 10, 0, '3d7b1d504052'],
    ['வணக்கம்', 11, 0, '4926155f15425f'],
    ['తెలుగు', 12, 0, '275846531753'],
    ['سلام ۱', 13, 13, '3d4d004e201b1d'],
  ]
  for (const [words, locking, single, hex] of table) {
    t.equal(decodeGsm(Buffer.from(hex, 'hex'), { locking, single }), words, words)
    const elements = [...(single === 0 ? [] : [0x24, 1, single]), ...(locking === 0 ? [] : [0x25, 1, locking])]
    const content = Buffer.concat([Buffer.from([elements.length, ...elements]), Buffer.from(hex, 'hex')])
    const pdu = decode(encode('deliver_sm', 1, { source_addr: '1', esm_class: 0x40, data_coding: 0, short_message: content }))
    t.equal(readText(pdu, '', 'gsm').body, words, 'by SMPP')
  }
})

t.test('all tables', async (t) => {
  for (const language of indian) {
    const locking = lockingTable(language, basic)!
    const single = singleTable(language)!
    for (const character of '0123456789abcdefghijklmnopqrstuvwxyz !,.:;?()\n\r')
      t.ok(locking.includes(character), `${language} ${character}`)
    for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ@£$¥"%&\'*+-/<=>^_#{}[]~|\\€')
      t.ok(single.includes(character), `${language} ${character}`)
  }
  for (const language of languages) {
    for (const table of [lockingTable(language, basic)!, singleTable(language)!]) {
      t.ok(table.length <= 128)
      t.notOk(table[0x1b] !== undefined && table[0x1b] !== basic[0x1b] && table[0x1b] !== '\x1b', 'the escape is no letter')
    }
  }
})

t.test('languages that nobody knows', async (t) => {
  for (const language of [14, 127, 255]) {
    t.equal(decodeGsm(Buffer.from('Hello'), { locking: language, single: 0 }), `${alphabetNotKnown} Hello`)
    t.equal(decodeGsm(Buffer.from('Hello'), { locking: 0, single: language }), 'Hello', 'no letter of it is in use')
    t.equal(decodeGsm(Buffer.from('H\x1be'), { locking: 0, single: language }), `${alphabetNotKnown} H€`)
  }
})
