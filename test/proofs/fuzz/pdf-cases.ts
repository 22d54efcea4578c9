/** PDFs as strangers make them, whole ones at first and then damaged: in their bytes, in their objects and inside of their streams. */
import { deflateSync, inflateSync } from 'node:zlib'
import { degrees, PDFDocument, StandardFonts } from 'pdf-lib'
import { form, letter, photoShades, png, shades } from '../../fax-pages/documents.ts'
import { encrypted, manyPages, onePage, streamOf } from '../../fax-pages/hostile.ts'
import type { Random } from '../../../scripts/cli/selftest/corpus.ts'

/** A picture whose data are for a decoder of their own. */
const picture = (filter: string, data: Uint8Array, parameters = ''): Buffer =>
  onePage('q 400 0 0 400 72 200 cm /I Do Q', {
    resources: '/XObject << /I 5 0 R >>',
    more: [
      streamOf(
        `/Type /XObject /Subtype /Image /Width 64 /Height 64 /BitsPerComponent ${filter === '/DCTDecode' ? 8 : 1} /ColorSpace /DeviceGray ` +
          `/Filter ${filter} ${parameters}`,
        data,
      ),
    ],
  })

/** Pictures within the content, one for each filter of ours and each end that they may have. */
const inline = (filters: string, data: string): Buffer =>
  onePage(
    `q 0.5 g 72 72 200 200 re f Q q 90 0 0 90 72 400 cm BI /W 4 /H 4 /BPC 8 /CS /G ${filters} ID ${data}EI Q BI /W 4 /H 4 /BPC 8 /CS /G ${filters} ID ${data} EI`,
  )
const inlines = (): Buffer[] => [
  inline('', '0123456789abcdef'),
  inline('/F /AHx', `${'4f'.repeat(16)}>`),
  inline('/F [/A85]', '0JP==1c70M3&s#p4?Ycm~>'),
  inline('/F /RL', '\x0f0123456789abcdef\x80'),
  inline('/F /LZW', '\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01'),
  inline('/F [/AHx /Fl]', `${deflateSync(Buffer.alloc(16, 0x5a)).toString('hex')}>`),
  inline('/F /CCF /DP << /K -1 /Columns 4 /Rows 4 >>', '\xa5\x5a\x00\x10\x01\x00\x10\x01'),
]

/** The beginnings that their decoders look for. */
const jpeg = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffdb004300' +
    '10'.repeat(64) +
    'ffc0000b080040004001011100ffc4001f0000010501010101010100000000000000000102030405060708090a0bffda0008010100003f00' +
    '5a'.repeat(80) +
    'ffd9',
  'hex',
)
const jpeg2000 = Buffer.from(
  '0000000c6a5020200d0a870a00000014667479706a703220000000006a7032200000002d6a703268000000166968647200000040000000400001080700000000000f636f6c7201000000000011000000006a703263ff4fff51002900000000004000000040000000000000000000000040000000400000000000000000000107' +
    '0101ff52000c00000001000104040001ff5c00044040ff90000a0000000000000001ff93' +
    'c7'.repeat(60) +
    'ffd9',
  'hex',
)
const jbig2 = Buffer.from('00000000300001000000130000004000000040000000000000000001000000000001' + '26'.repeat(40), 'hex')

export async function corpus(): Promise<Buffer[]> {
  const plain = await PDFDocument.create()
  const fonts = [
    StandardFonts.Helvetica,
    StandardFonts.TimesRomanItalic,
    StandardFonts.Courier,
    StandardFonts.Symbol,
    StandardFonts.ZapfDingbats,
  ]
  for (const [turn, name] of fonts.entries()) {
    const page = plain.addPage([400, 300])
    page.setRotation(degrees(turn * 90))
    const text = name === StandardFonts.Symbol || name === StandardFonts.ZapfDingbats ? '' : 'Fax of a clinic'
    page.drawText(text, { x: 20, y: 200, size: 18, font: await plain.embedFont(name) })
    page.drawSvgPath('M 0,20 L 100,160 Q 130,200 150,120 C 190,-40 200,200 300,150 Z', { x: 20, y: 180 })
    page.drawImage(await plain.embedPng(png(80, 60, photoShades(80, 60))), { x: 200, y: 20, width: 120, height: 90 })
  }
  const functions = '/Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >>'
  const odd = onePage(
    'q /P gs 0.5 g BI /W 4 /H 4 /BPC 8 /CS /G ID 0123456789abcdef EI Q /Pattern cs /S scn 0 0 612 792 re f /Sh sh BT /T 40 Tf 72 500 Td (aaa) Tj ET /X Do',
    {
      resources:
        `/ExtGState << /P << /ca 0.5 /BM /Multiply /SMask << /S /Luminosity /G 7 0 R >> >> >> /Shading << /Sh << /ShadingType 3 /ColorSpace /DeviceGray /Coords [300 400 0 300 400 200] ${functions} >> >> ` +
        `/Pattern << /S << /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 612 792] ${functions} >> >> >> /Font << /T 5 0 R >> /XObject << /X 7 0 R >>`,
      more: [
        [
          '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 97 /LastChar 97 /Widths [10] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> >>',
        ],
        streamOf('', '10 0 0 0 10 10 d1 0 0 5 5 re f'),
        streamOf(
          '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceGray >> /Resources << /XObject << /X 7 0 R >> >>',
          '1 g 72 72 200 200 re f',
        ),
      ],
    },
  )
  return [
    Buffer.from(await letter(1)),
    Buffer.from(await (await PDFDocument.load(await letter(2))).save({ useObjectStreams: false })),
    Buffer.from(await form()),
    Buffer.from(await shades()),
    Buffer.from(await plain.save()),
    Buffer.from(await plain.save({ useObjectStreams: false })),
    encrypted(''),
    encrypted('secret'),
    manyPages(7),
    odd,
    ...inlines(),
    picture('/DCTDecode', jpeg),
    picture('/JPXDecode', jpeg2000),
    picture('/JBIG2Decode', jbig2),
    picture('/CCITTFaxDecode', Buffer.alloc(300, 0xa5), '/DecodeParms << /K -1 /Columns 64 /Rows 64 >>'),
    picture('/CCITTFaxDecode', Buffer.alloc(300, 0x35), '/DecodeParms << /K 4 /Columns 64 >>'),
    picture('[/ASCII85Decode /LZWDecode]', Buffer.from('J..)6T`?p&<!J9%_[umg"B7/Z7KNXbN\'S+,*Q/&"OLT\'F~>')),
    picture('[/ASCIIHexDecode /RunLengthDecode]', Buffer.from('fe41fd42807f'.repeat(30) + '>')),
  ]
}

const numbers = [
  '0',
  '-1',
  '1',
  '2',
  '255',
  '65535',
  '65536',
  '2147483647',
  '2147483648',
  '4294967296',
  '99999999999999999999',
  '-2147483648',
  '1e9',
  '0.0000001',
  '1000000',
]
const words = [
  '<<', '>>', '[', ']', '(', ')', '/', 'R', 'obj', 'endobj', 'stream\n', 'endstream', 'null', 'true', '%', '/Length', '/Kids', '/Count', '/Parent', '/Contents', '/Filter /FlateDecode',
  '/Filter [/FlateDecode /FlateDecode]', '/DecodeParms << /Predictor 15 /Columns 100000 /Colors 32 /BitsPerComponent 16 >>', '/Predictor 2', '/Rotate 45', '/UserUnit 1000', '/MediaBox [0 0 1e9 1e9]', '/MediaBox [0 0 0 0]',
  '/CropBox [-1e9 -1e9 1e9 1e9]', '/Width 65535', '/Height 65535', '/BitsPerComponent 16', '/ColorSpace [/Indexed /DeviceRGB 255 <00>]', '/ColorSpace [/ICCBased 4 0 R]', '/SMask 5 0 R', '/Encrypt 5 0 R', '/Type /ObjStm /N 99999 /First 5',
  '/Type /XRef /W [8 8 8] /Index [0 99999999]', '/Prev 0', '/Prev 9', '/XRefStm 9', '/Extends 5 0 R', '3 0 R', '5 0 R', '2 0 R', 'startxref\n0\n', 'startxref\n-5\n', '%%EOF', ' q q q q q q q q', ' Q Q Q', ' 0 0 m 1e30 -1e30 l S', ' /I Do', ' BT (', ' Tj', ' 1e-9 0 0 1e-9 0 0 cm', ' W n', ' sh',
] // prettier-ignore

function damageText(random: Random, text: string): string {
  const at = random.integer(text.length)
  switch (random.integer(9)) {
    case 0:
      return text.slice(0, at) + String.fromCharCode(random.integer(256)) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.integer(30))
    case 2:
      return text.slice(0, at) + random.pick(words) + text.slice(at)
    case 3:
    case 4: {
      const number = /\d+/.exec(text.slice(at))
      if (number === null) return text
      const from = at + number.index
      const near = String(Number(number[0].slice(0, 9)) + random.pick([-1, 1, 7, 256]))
      return text.slice(0, from) + (random.chance(0.5) ? near : random.pick(numbers)) + text.slice(from + number[0].length)
    }
    case 5: {
      const piece = text.slice(at, at + 1 + random.integer(200))
      const to = random.integer(text.length)
      return text.slice(0, to) + piece.repeat(1 + random.integer(random.chance(0.1) ? 300 : 3)) + text.slice(to)
    }
    case 6: {
      // One object in the place of another: what was a page becomes a font.
      const names = [...text.matchAll(/\b(\d+) 0 R/g)]
      if (names.length < 2) return text
      const found = random.pick(names)
      return text.slice(0, found.index) + random.pick(names)[0] + text.slice(found.index + found[0].length)
    }
    case 7: {
      const keys = [...text.matchAll(/\/[A-Z][A-Za-z]+/g)]
      if (keys.length < 2) return text
      const found = random.pick(keys)
      return text.slice(0, found.index) + random.pick(keys)[0] + text.slice(found.index + found[0].length)
    }
    default:
      return random.chance(0.3)
        ? text.slice(0, at)
        : text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << random.integer(8))) + text.slice(at + 1)
  }
}

/** Damage to what a compressed stream holds, packed again: what is broken on the outside is thrown away too soon. */
function damageStream(random: Random, text: string): string {
  const begins = [...text.matchAll(/\/Length (\d+)[^>]*>>\s*stream\r?\n/g)].filter((found) => found[0].length < 2000)
  if (begins.length === 0) return damageText(random, text)
  const found = random.pick(begins)
  const start = found.index + found[0].length
  const length = Number(found[1])
  const raw = Buffer.from(text.slice(start, start + length), 'latin1')
  let inner: string
  let packed = false
  try {
    inner = inflateSync(raw, { maxOutputLength: 4 << 20 }).toString('latin1')
    packed = true
  } catch {
    inner = raw.toString('latin1')
  }
  for (let times = 1 + random.integer(6); times > 0 && inner.length > 0; times--) inner = damageText(random, inner)
  const bytes = Buffer.from(inner.slice(0, 4 << 20), 'latin1')
  const data = (packed ? deflateSync(bytes, { level: 1 }) : bytes).toString('latin1')
  const head = found[0].replace(`/Length ${found[1]}`, `/Length ${data.length}`)
  return text.slice(0, found.index) + head + data + text.slice(start + length)
}

export function damagedPdf(random: Random, documents: readonly Buffer[]): Buffer {
  let text = random.pick(documents).toString('latin1')
  if (random.chance(0.05)) text += random.pick(documents).toString('latin1')
  for (let times = random.integer(5); times >= 0 && text.length > 20; times--)
    text = random.chance(0.6) ? damageStream(random, text) : damageText(random, text)
  // Most are to get past the first look.
  if (!text.slice(0, 1024).includes('%PDF-') && random.chance(0.8)) text = `%PDF-1.7\n${text}`
  if (!text.includes('%%EOF') && random.chance(0.8)) text += '\n%%EOF\n'
  return Buffer.from(text, 'latin1')
}
