/** Contents and pictures that are damaged, cut off or written carelessly: drawn whole, or refused with the number of the page. */
import { deflateSync, constants, deflateRawSync } from 'node:zlib'
import t from 'tap'
import { binarise } from '../../daemon/fax/pages/binarise.ts'
import { createBitmap } from '../../daemon/fax/pages/bitmap.ts'
import { lookOver, shadesOf } from '../../daemon/fax/pages/draw-pages.ts'
import { placePage } from '../../daemon/fax/pages/geometry.ts'
import { PageError } from '../../daemon/fax/pages/page-error.ts'
import { openPdf } from '../../daemon/fax/pages/pdfium.ts'
import { encodeT6, runCodes } from '../../daemon/fax/pages/t6-encode.ts'
import { blackness } from './fax-file.ts'
import { onePage, rawPdf, streamOf, type OnePage } from './hostile.ts'

const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
const line = (y: number): string => `BT /F 18 Tf 72 ${y} Td (warfarin 2.5 mg) Tj ET`
const page = (content: string | Buffer, more: OnePage = {}): Buffer =>
  onePage(Buffer.isBuffer(content) ? content.toString('latin1') : content, { ...more, resources: `${font} ${more.resources ?? ''}` })

async function look(pdf: Buffer): Promise<string> {
  try {
    return (await lookOver(pdf, 200)).warnings.join(' ')
  } catch (error) {
    if (!(error instanceof PageError)) throw error
    return `${error.code}: ${error.message}`
  }
}

/** Share of black where a line of text stands. */
async function inkAt(pdf: Buffer, y: number): Promise<number> {
  const drawn = (await openPdf(pdf)).page(0)
  const bitmap = binarise(shadesOf(drawn, 0, placePage(612, 792)[0]!), true)
  const row = (points: number): number => Math.round(((792 - points) / 792) * 2150)
  return blackness(bitmap, 203, row(y + 14), 560, row(y))
}

/** A square picture of 24 x 24 dots, black in its left half: dots, and the same coded. */
const bitmap = createBitmap(24, 24)
for (let row = 0; row < 24; row++) bitmap.data.set([0xff, 0xf0, 0], row * bitmap.stride)
const dots = Buffer.from(bitmap.data)
const hex = (data: Uint8Array): string => `${Buffer.from(data).toString('hex')}>`

function ascii85(data: Buffer): string {
  let text = ''
  for (let at = 0; at < data.length; at += 4) {
    const part = Buffer.alloc(4)
    const length = Math.min(4, data.length - at)
    data.copy(part, 0, at, at + length)
    let word = part.readUInt32BE()
    let five = ''
    for (let digit = 0; digit < 5; digit++, word = Math.floor(word / 85)) five = String.fromCharCode(33 + (word % 85)) + five
    text += word === 0 && five === '!!!!!' && length === 4 ? 'z' : five.slice(0, length + 1)
  }
  return `${text}~>`
}

/** Codes of so many bits each, highest bit first. */
function bits(codes: readonly (readonly [value: number, length: number])[]): Buffer {
  const text = codes.map(([value, length]) => value.toString(2).padStart(length, '0')).join('')
  return Buffer.from(text.match(/.{1,8}/g)!.map((byte) => parseInt(byte.padEnd(8, '0'), 2)))
}

/** Never longer codes than 9 bits. */
const lzw = (data: Buffer): Buffer =>
  bits([...[...data].flatMap((byte, at) => (at % 200 === 0 ? [[256, 9] as const, [byte, 9] as const] : [[byte, 9] as const])), [257, 9]])
const runLength = (data: Buffer): Buffer =>
  Buffer.concat([
    ...Array.from({ length: Math.ceil(data.length / 100) }, (_, at) => {
      const part = data.subarray(at * 100, at * 100 + 100)
      return Buffer.concat([Buffer.from([part.length - 1]), part])
    }),
    Buffer.from([128]),
  ])

/** T.4 in one dimension: 12 black dots, 12 white ones. */
function t4(rows: number, lineEnds: boolean): Buffer {
  const run = (colour: 0 | 1, length: number): [number, number] => {
    const code = runCodes[colour].find((one) => one.run === length)!
    return [code.bits, code.length]
  }
  const row: [number, number][] = [...(lineEnds ? [[1, 12] as [number, number]] : []), run(0, 0), run(1, 12), run(0, 12)]
  return bits(Array.from({ length: rows }, () => row).flat())
}

const inline = (entries: string, data: Buffer | string, before: string): Buffer =>
  Buffer.concat([
    Buffer.from(`${line(740)}\nq 80 0 0 80 100 600 cm BI /W 24 /H 24 /BPC 1 /CS /G ${entries} ID `),
    Buffer.from(data as string, 'latin1'),
    Buffer.from(`${before}EI Q\n${line(500)}`),
  ])

t.test('a picture within the content hides nothing that follows it, whatever its coding and however its EI stands', async (t) => {
  const codings: Readonly<Record<string, [string, Buffer | string]>> = {
    plain: ['', dots],
    'CCITT, T.6': ['/F /CCF /DP << /K -1 /Columns 24 >>', Buffer.from(encodeT6(bitmap))],
    'CCITT with bytes left': ['/F /CCF /DP << /K -1 /Columns 24 >>', Buffer.concat([encodeT6(bitmap), Buffer.from('(@')])],
    'CCITT without its end': ['/F /CCF /DP << /K -1 /Columns 24 >>', Buffer.from(encodeT6(bitmap)).subarray(0, -3)],
    Flate: ['/F /Fl', deflateSync(dots)],
    LZW: ['/F /LZW', lzw(dots)],
    RunLength: ['/F /RL', runLength(dots)],
    ASCII85: ['/F /A85', ascii85(dots)],
    ASCIIHex: ['/F [/AHx]', hex(dots)],
    'plain, short of rows': ['', dots.subarray(0, 30)],
    'EI within the data': ['', Buffer.concat([dots.subarray(0, 40), Buffer.from(' EI \xff', 'latin1'), dots.subarray(45)])],
  }
  for (const [name, [entries, data]] of Object.entries(codings)) {
    for (const before of ['', ' ', '\n']) {
      const pdf = page(inline(entries, Buffer.from(data as string, 'latin1'), before))
      t.equal(await look(pdf), '', `${name}, before EI ${JSON.stringify(before)}`)
      t.ok((await inkAt(pdf, 740)) > 0.05 && (await inkAt(pdf, 500)) > 0.05, 'both lines are there')
    }
  }
})

t.test('the same in forms and in letters that are drawn by operators', async (t) => {
  const glued = inline('/F /CCF /DP << /K -1 /Columns 24 >>', Buffer.concat([encodeT6(bitmap), Buffer.from('@')]), '')
  const form = page('/X Do', {
    resources: '/XObject << /X 5 0 R >>',
    more: [streamOf(`/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${font} >>`, glued)],
  })
  t.equal(await look(form), '')
  t.ok((await inkAt(form, 500)) > 0.05, 'a form')
  const glyph = Buffer.concat([
    Buffer.from('1000 0 0 0 1000 1000 d1 q 1000 0 0 1000 0 0 cm BI /W 24 /H 24 /IM true /F /CCF /DP << /K -1 /Columns 24 >> ID '),
    Buffer.from(encodeT6(bitmap)),
    Buffer.from('@EI Q'),
  ])
  const type3 = page('BT /T 40 Tf 72 500 Td (aaaaa) Tj ET', {
    resources: '/Font << /T 5 0 R >>',
    more: [
      [
        '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a 6 0 R >> ' +
          '/Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [1000] >>',
      ],
      streamOf('', glyph),
    ],
  })
  t.equal(await look(type3.subarray()), '')
  t.ok((await inkAt(type3, 500)) > 0.2, 'letters')
})

const annotated = (content: string): Buffer =>
  page(line(740), {
    page: '/Annots [5 0 R]',
    more: [
      ['<< /Type /Annot /Subtype /Stamp /Rect [72 600 300 660] /F 4 /AP << /N 6 0 R >> >>'],
      streamOf('/Type /XObject /Subtype /Form /BBox [0 0 228 60]', content),
    ],
  })
const coded = (filter: string, data: Uint8Array): Buffer =>
  rawPdf([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    ['<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] /MediaBox [0 0 612 792] >>'],
    [`<< /Type /Page /Parent 2 0 R /Resources << ${font} >> >>`],
    [`<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << ${font} >> >>`],
    streamOf(`/Filter /${filter}`, data),
  ])
/** One content that lies in two streams. */
const inTwo = (first: string, second: string): Buffer =>
  rawPdf([
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    ['<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>'],
    [`<< /Type /Page /Parent 2 0 R /Contents [4 0 R 5 0 R] /Resources << ${font} >> >>`],
    streamOf('', first),
    streamOf('', second),
  ])
const content = Buffer.from([740, 700, 660, 620].map(line).join('\n'))
/** Nothing in it repeats, so that a byte lost is not in a run. */
const damaged = (): Buffer => {
  const data = deflateSync(content)
  data.fill(0xff, data.length >> 1, (data.length >> 1) + 8)
  return data
}

t.test('a content of which a part is missing is refused, with the number of its page', async (t) => {
  const one: Readonly<Record<string, Buffer>> = {
    'a string': page(`${line(740)} BT /F 18 Tf 72 700 Td (warf`),
    'a string of hex': page(`${line(740)} BT /F 18 Tf 72 700 Td <7761`),
    'an array': page(`${line(740)} BT /F 18 Tf 72 700 Td [(warf) 20`),
    'text without ET': page(`${line(740)} BT /F 18 Tf 72 700 Td (warfarin) Tj`),
    'an operation without its operator': page(`q ${line(740)} 72 700`),
    'text without ET, a part of the page in each of two streams': inTwo(`${line(740)} q`, 'BT /F 18 Tf 72 700 Td (warfarin) Tj'),
    'a picture without EI': page(`${line(740)} BI /W 24 /H 24 /BPC 1 /CS /G ID \x00\x01\x02`),
    'a picture without ID': page(`${line(740)} BI /W 24 /H 24 ${line(500)}`),
    'rubbish in the midst': page(`${line(740)} \x01\x02\xff\xfe ${line(500)}`),
    'no content where one is named': rawPdf([
      ['<< /Type /Catalog /Pages 2 0 R >>'],
      ['<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>'],
      ['<< /Type /Page /Parent 2 0 R /Contents 9 0 R >>'],
    ]),
    'the drawing of a note': annotated('BT /F 18 Tf (abc'),
  }
  for (const [name, pdf] of Object.entries(one)) t.match(await look(pdf), /^pdf_unreadable: Page 1 of the PDF has content that/, name)
  const two: Readonly<Record<string, [string, Uint8Array]>> = {
    'Flate, cut': ['FlateDecode', deflateSync(content).subarray(0, -20)],
    'Flate, damaged': ['FlateDecode', damaged()],
    'LZW, cut': ['LZWDecode', lzw(content).subarray(0, -20)],
    'ASCII85, cut': ['ASCII85Decode', Buffer.from(ascii85(content)).subarray(0, -20)],
    'RunLength, cut': ['RunLengthDecode', runLength(content).subarray(0, -20)],
    'an unknown coding': ['OwnDecode', content],
  }
  for (const [name, [filter, data]] of Object.entries(two)) t.match(await look(coded(filter, data)), /^pdf_unreadable: Page 2 /, name)
})

t.test('careless writing that loses nothing is drawn', async (t) => {
  t.equal(await look(page(`Q ET ${line(740)} Q Q`)), '', 'more ends than beginnings')
  t.equal(await look(coded('FlateDecode', deflateSync(content).subarray(0, -4))), '', 'without its sum')
  const flushed = Buffer.concat([Buffer.from([0x78, 0x9c]), deflateRawSync(content, { finishFlush: constants.Z_SYNC_FLUSH })])
  t.equal(await look(coded('FlateDecode', flushed)), '', 'flushed and never ended, as some readers save it')
  for (const [filter, data] of [
    ['LZWDecode', lzw(content)],
    ['ASCII85Decode', Buffer.from(ascii85(content))],
    ['RunLengthDecode', runLength(content)],
    ['ASCIIHexDecode', Buffer.from(hex(content))],
  ] as const) {
    t.equal(await look(coded(filter, data)), '', filter)
  }
  t.match(await look(coded('FlateDecode', deflateSync(`q ${content.toString()}`))), /^Page 2: its content ends too early/, 'a warning')
  for (const [name, careless] of Object.entries({
    'q without Q': page(`q ${line(740)}`),
    'q without Q in two streams': inTwo(`q ${line(740)}`, line(700)),
    'BT alone': page(`q ${line(740)} BT Q`),
  }))
    t.match(await look(careless), /^Page 1: its content ends too early/, `${name} draws all that is there`)
})

t.test('a picture whose data end early is refused', async (t) => {
  const picture = (filter: string, data: Uint8Array, parameters = ''): Buffer =>
    page('q 200 0 0 200 100 300 cm /I Do Q', {
      resources: '/XObject << /I 5 0 R >>',
      more: [
        streamOf(
          `/Type /XObject /Subtype /Image /Width 24 /Height 24 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter ${filter} ${parameters}`,
          data,
        ),
      ],
    })
  const ccitt = (k: number): string => `/DecodeParms << /K ${k} /Columns 24 >>`
  const cases: Readonly<Record<string, [whole: Buffer, cut: Buffer]>> = {
    'CCITT, T.6': [
      picture('/CCITTFaxDecode', encodeT6(bitmap), ccitt(-1)),
      picture('/CCITTFaxDecode', encodeT6(bitmap).subarray(0, 3), ccitt(-1)),
    ],
    'CCITT, T.4': [picture('/CCITTFaxDecode', t4(24, false), ccitt(0)), picture('/CCITTFaxDecode', t4(12, false), ccitt(0))],
    'CCITT, T.4 with ends of lines': [
      picture('/CCITTFaxDecode', t4(24, true), ccitt(0)),
      picture('/CCITTFaxDecode', t4(12, true), ccitt(0)),
    ],
    Flate: [picture('/FlateDecode', deflateSync(dots)), picture('/FlateDecode', deflateSync(dots.subarray(0, 30)))],
    'Flate, cut': [picture('/FlateDecode', deflateSync(dots)), picture('/FlateDecode', deflateSync(dots, { level: 0 }).subarray(0, 40))],
    LZW: [picture('/LZWDecode', lzw(dots)), picture('/LZWDecode', lzw(dots).subarray(0, 40))],
    RunLength: [picture('/RunLengthDecode', runLength(dots)), picture('/RunLengthDecode', runLength(dots).subarray(0, 40))],
    ASCII85: [picture('/ASCII85Decode', Buffer.from(ascii85(dots))), picture('/ASCII85Decode', Buffer.from(ascii85(dots)).subarray(0, 30))],
    ASCIIHex: [picture('/ASCIIHexDecode', Buffer.from(hex(dots))), picture('/ASCIIHexDecode', Buffer.from(hex(dots)).subarray(0, 60))],
    'JPEG, by its end': [
      picture('/DCTDecode', Buffer.from([0xff, 0xd8, 0xff, 0xda, 1, 2, 3, 0xff, 0xd9])),
      picture('/DCTDecode', Buffer.from([0xff, 0xd8, 0xff, 0xda, 1, 2, 3])),
    ],
    'a mask': [
      picture('/FlateDecode', deflateSync(dots), '/SMask 5 0 R'),
      page('q 200 0 0 200 100 300 cm /I Do Q', {
        resources: '/XObject << /I 5 0 R >>',
        more: [
          streamOf('/Type /XObject /Subtype /Image /Width 24 /Height 24 /BitsPerComponent 1 /ColorSpace /DeviceGray /SMask 6 0 R', dots),
          streamOf('/Type /XObject /Subtype /Image /Width 24 /Height 24 /BitsPerComponent 8 /ColorSpace /DeviceGray', dots),
        ],
      }),
    ],
  }
  for (const [name, [whole, cut]] of Object.entries(cases)) {
    t.equal(await look(whole), '', `${name}, whole`)
    t.match(await look(cut), /^pdf_unreadable: Page 1 of the PDF has a picture \(/, `${name}, cut`)
  }
})

t.test('content in several streams is one, wherever its maker has cut it', async (t) => {
  const text = 'BT /F 18 Tf 72 600 Td (warfarin 2.5 mg) Tj ET'
  for (const [what, parts] of [
    ['between two operators', ['q 0 g Q', `q ${text} Q`]],
    ['between an operator and a number', ['q', `1 0 0 1 0 0 cm ${text} Q`]],
    ['between two numbers', ['q 1 0 0 1 0', `0 cm ${text} Q`]],
    ['in the midst of an array', ['BT /F 18 Tf 72 600 Td [(warfarin)', '( 2.5 mg)] TJ ET']],
    ['in the midst of a string', ['BT /F 18 Tf 72 600 Td (warfarin', '2.5 mg) Tj ET']],
    ['after a comment without its line end', ['q 1 0 0 1 0 0 cm % the head of the letter', `${text} Q`]],
    ['after a comment alone', ['%', '% and another', text]],
    ['after a per cent sign in a string', ['q BT /F 18 Tf 72 700 Td (20% of', `it) Tj ET ${text} Q`]],
    ['after a comment with it', ['q % the head\r', `${text} Q`]],
  ] as const) {
    const refs = parts.map((_, index) => `${5 + index} 0 R`).join(' ')
    for (const pieces of [
      parts.map((part) => streamOf('', part)),
      parts.map((part) => streamOf('/Filter /FlateDecode', deflateSync(part))),
    ]) {
      const pdf = page('', { page: `/Contents [${refs}]`, more: pieces })
      t.equal(await look(pdf), '', what)
      t.ok((await inkAt(pdf, 600)) > 0.03, what)
    }
  }
})
