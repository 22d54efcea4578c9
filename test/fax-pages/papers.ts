/** Papers whose content readers of PDFs are apt to leave out: fonts that are not in the file, odd codings, forms and notes without a drawing of their own. */
import { deflateSync } from 'node:zlib'
import { createBitmap, type Bitmap } from '../../daemon/fax/pages/bitmap.ts'
import { encodeT6 } from '../../daemon/fax/pages/t6-encode.ts'
import { onePage, streamOf, type Piece } from './hostile.ts'

/** Registries of Adobe's character collections, with a font that readers are to have, an encoding of Unicode and a text of three lines. */
const collections = {
  GB1: { font: 'STSong-Light', encoding: 'UniGB-UCS2-H', lines: ['患者姓名：王小明', '过敏：青霉素', '诊断：高血压'] },
  CNS1: { font: 'MSung-Light', encoding: 'UniCNS-UCS2-H', lines: ['患者姓名：陳大文', '過敏：盤尼西林', '診斷：高血壓'] },
  Japan1: { font: 'HeiseiMin-W3', encoding: 'UniJIS-UCS2-H', lines: ['患者名：山田太郎', 'アレルギー：ペニシリン', '診断：高血圧'] },
  Korea1: { font: 'HYSMyeongJo-Medium', encoding: 'UniKS-UCS2-H', lines: ['환자 이름: 김민수', '알레르기: 페니실린', '진단: 고혈압'] },
} as const

export type Collection = keyof typeof collections
export const allCollections = Object.keys(collections) as Collection[]

const utf16 = (text: string): string => Buffer.from(text, 'utf16le').swap16().toString('hex')

function textPage(encoding: string, font: string, systemInfo: string, lines: readonly string[], descriptor = ''): Buffer {
  const content = lines.map((line, index) => `BT /F 18 Tf 72 ${700 - index * 30} Td <${line}> Tj ET`).join('\n')
  return onePage(content, {
    resources: '/Font << /F 5 0 R >>',
    more: [
      [`<< /Type /Font /Subtype /Type0 /BaseFont /${font} /Encoding /${encoding} /DescendantFonts [6 0 R] >>`],
      [`<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${font} /CIDSystemInfo ${systemInfo} /FontDescriptor 7 0 R /DW 1000 >>`],
      [
        `<< /Type /FontDescriptor /FontName /${font} /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 ` +
          `/CapHeight 880 /StemV 80 ${descriptor} >>`,
      ],
    ],
  })
}

/** Three lines from 700 points down, 30 apart, in a font that is not in the file. */
export function eastAsian(collection: Collection): Buffer {
  const { font, encoding, lines } = collections[collection]
  const info = `<< /Registry (Adobe) /Ordering (${collection}) /Supplement 2 >>`
  return textPage(encoding, font, info, lines.map(utf16))
}

/** Text by glyph numbers of a font that is not in the file: nobody can know what it says. */
export function unknowable(): Buffer {
  return textPage('Identity-H', 'NobodyHasIt', '<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>', [
    '004100420043',
    '00440045',
    '0046',
  ])
}

/** Bars of 40 rows on a page of 1,000 x 800 dots, black from 200 to 800 across: dots of a scanned page. */
export function bars(): Bitmap {
  const bitmap = createBitmap(1000, 800)
  for (let row = 0; row < 800; row++) if (row % 80 < 40) bitmap.data.fill(0xff, row * bitmap.stride + 25, row * bitmap.stride + 100)
  return bitmap
}

const number32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]

/** A segment of JBIG2 (T.88, 7.2): number, type, no other segments, page 1. */
const segment = (number: number, type: number, data: readonly number[]): number[] => [
  ...number32(number),
  type,
  0,
  1,
  ...number32(data.length),
  ...data,
]

/** A scan as one generic region in MMR (T.88, 6.2.6), the picture from 60 points up; `operator` is how regions are combined (0: OR). */
export function jbig2Mmr(bitmap = bars(), strips = 1): Buffer {
  const { width, rows, stride } = bitmap
  const regions = Array.from({ length: strips }, (_, strip) => {
    const from = Math.floor((rows * strip) / strips)
    const to = Math.floor((rows * (strip + 1)) / strips)
    const part = { width, rows: to - from, stride, data: bitmap.data.subarray(from * stride, to * stride) }
    const place = [width, to - from, 0, from].flatMap(number32)
    return segment(strip + 1, 38, [...place, 0, 1, ...encodeT6(part)])
  })
  const page = segment(0, 48, [...[width, rows, 0, 0].flatMap(number32), 0, 0, 0])
  const picture = Uint8Array.from([...page, ...regions.flat()])
  return onePage('q 500 0 0 400 56 300 cm /I Do Q', {
    resources: '/XObject << /I 5 0 R >>',
    more: [
      streamOf(
        `/Type /XObject /Subtype /Image /Width ${width} /Height ${rows} /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode`,
        picture,
      ),
    ],
  })
}

/** Two radio buttons of which the second is on, and a check box that is; none has a drawing of its own. */
export function buttons(): Buffer {
  return onePage('', {
    catalog: '/AcroForm << /Fields [5 0 R 8 0 R] >>',
    page: '/Annots [6 0 R 7 0 R 8 0 R]',
    more: [
      ['<< /FT /Btn /Ff 49152 /T (allergic) /V /yes /Kids [6 0 R 7 0 R] >>'],
      ['<< /Type /Annot /Subtype /Widget /Parent 5 0 R /Rect [72 700 92 720] /F 4 /AS /Off /MK << /BC [0] >> >>'],
      ['<< /Type /Annot /Subtype /Widget /Parent 5 0 R /Rect [132 700 152 720] /F 4 /AS /yes /MK << /BC [0] >> >>'],
      ['<< /Type /Annot /Subtype /Widget /FT /Btn /T (urgent) /V /Yes /AS /Yes /Rect [192 700 212 720] /F 4 /MK << /BC [0] /CA (4) >> >>'],
    ],
  })
}

export const signature = 'Signed by Dr. Margaret Example, attending physician, after review of all results; call back before Friday: 王'

/** A text box whose text needs several lines, a stamp, a line and a triangle, all without a drawing of their own. */
export function notes(): Buffer {
  return onePage('', {
    page: '/Annots [5 0 R 6 0 R 7 0 R 8 0 R]',
    more: [
      ['<< /Type /Annot /Subtype /FreeText /Rect [72 600 220 720] /F 4 /DA (/Helv 12 Tf 0 g) ' + `/Contents <feff${utf16(signature)}> >>`],
      ['<< /Type /Annot /Subtype /Stamp /Name /NotApproved /Rect [300 640 500 700] /F 4 >>'],
      ['<< /Type /Annot /Subtype /Line /L [72 500 300 560] /Rect [70 498 302 562] /F 4 /C [1 0 0] >>'],
      ['<< /Type /Annot /Subtype /Polygon /Vertices [350 500 450 500 400 580] /Rect [348 498 452 582] /F 4 /C [0 0 1] >>'],
    ],
  })
}

/** A stamp that is a black box with these flags (ISO 32000-1, table 165): 4 Print, 32 NoView. */
export function stamp(flags: number): Buffer {
  return onePage('', {
    page: '/Annots [5 0 R]',
    more: [
      [`<< /Type /Annot /Subtype /Stamp /Rect [72 648 216 720] /F ${flags} /AP << /N 6 0 R >> >>`],
      streamOf('/Type /XObject /Subtype /Form /BBox [0 0 144 72]', '0 0 144 72 re f'),
    ],
  })
}

/** A black box on a layer (optional content) that is for print or for the screen alone. */
export function layer(shownIn: 'print' | 'screen'): Buffer {
  const [view, print] = shownIn === 'print' ? ['OFF', 'ON'] : ['ON', 'OFF']
  const event = (name: string): string => `<< /Event /${name} /OCGs [5 0 R] /Category [/${name}] >>`
  return onePage('/OC /L BDC 72 648 144 72 re f EMC', {
    catalog: `/OCProperties << /OCGs [5 0 R] /D << /OCGs [5 0 R] /ON [5 0 R] /AS [${event('View')} ${event('Print')}] >> >>`,
    resources: '/Properties << /L 5 0 R >>',
    more: [[`<< /Type /OCG /Name (layer) /Usage << /View << /ViewState /${view} >> /Print << /PrintState /${print} >> >> >>`]],
  })
}

/** A form of Adobe's own kind, whose only page is a notice in any language. */
export function xfaForm(): Buffer {
  return onePage('BT /F 12 Tf 72 700 Td (Bitte warten...) Tj ET', {
    catalog: '/NeedsRendering true /AcroForm << /Fields [] /XFA 5 0 R >>',
    resources: '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>',
    more: [streamOf('', '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"></xdp:xdp>')],
  })
}

/** A page with a file attached; as a portfolio the page is only a wrapper around it. */
export function withAttachment(portfolio: boolean): Buffer {
  return onePage('72 648 144 72 re f', {
    catalog: `${portfolio ? '/Collection << /View /D >>' : ''} /Names << /EmbeddedFiles << /Names [(record.pdf) 5 0 R] >> >>`,
    more: [
      ['<< /Type /Filespec /F (record.pdf) /UF (record.pdf) /EF << /F 6 0 R >> >>'],
      streamOf('/Type /EmbeddedFile', '%PDF-1.4 inside'),
    ],
  })
}

/** A portfolio of these files, by name: its page is a wrapper. Keys of the names are in the order given. */
export function portfolioOf(files: Readonly<Record<string, Uint8Array | string>>): Buffer {
  const names = Object.keys(files)
  const keys = names.map((_, index) => `(${String(index).padStart(4, '0')}) ${5 + index * 2} 0 R`).join(' ')
  return onePage('72 648 144 72 re f', {
    catalog: `/Collection << /View /D >> /Names << /EmbeddedFiles << /Names [${keys}] >> >>`,
    more: names.flatMap((name, index) => [
      [`<< /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${6 + index * 2} 0 R >> >>`],
      streamOf('/Type /EmbeddedFile /Filter /FlateDecode', deflateSync(files[name]!)),
    ]),
  })
}

/** Letter size in units of 1/36 inch: a box of 2 by 1 inch, 1 inch from the edges. */
export function largeUnits(): Buffer {
  return onePage('36 324 72 36 re f', { box: '0 0 306 396', page: '/UserUnit 2' })
}

/** 125 inches with a bar on every inch. */
export function banner(): Buffer {
  return onePage(Array.from({ length: 125 }, (_, inch) => `${inch * 72 + 10} 100 8 400 re f`).join('\n'), { box: '0 0 9000 612' })
}

/** White and grey text, text that is covered, clipped away or only there to be searched: nothing of it is missing. */
export function rightlyUnseen(): Buffer {
  return onePage(
    'BT /F 12 Tf 1 g 72 700 Td (white on white) Tj ET BT 3 Tr /F 12 Tf 72 650 Td (for searching only) Tj ET ' +
      'BT 0 Tr 0 g /F 12 Tf 72 600 Td (covered) Tj ET 1 g 60 590 200 40 re f 0 g ' +
      'q 400 400 10 10 re W n BT /F 12 Tf 72 550 Td (clipped away) Tj ET Q BT /F 12 Tf -500 500 Td (beside the page) Tj ET',
    { resources: '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>' },
  )
}

/** A picture in a coding whose data are noise. */
export function brokenPicture(filter: 'JPXDecode' | 'JBIG2Decode' | 'DCTDecode'): Buffer {
  const noise = Uint8Array.from({ length: 3000 }, (_, index) => (index * 167 + (index >> 3)) & 255)
  const head = `/Type /XObject /Subtype /Image /Width 800 /Height 600 /BitsPerComponent ${filter === 'JBIG2Decode' ? 1 : 8} /ColorSpace /DeviceGray`
  return onePage('q 500 0 0 400 56 300 cm /I Do Q', {
    resources: '/XObject << /I 5 0 R >>',
    more: [streamOf(`${head} /Filter /${filter}`, noise)],
  })
}

/** A line of letters that the font at hand has, and one of rare letters that it lacks. */
export function unknownLetter(): Buffer {
  const info = '<< /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >>'
  return textPage('UniJIS-UTF16-H', 'HeiseiMin-W3', info, [utf16('患者'), utf16('\u{20b9f}\u{2a6b2}')])
}

/** A field whose value is 12 wide letters and whose drawing one narrow one: at 600 points up, from 72 across. */
export function staleField(needAppearances: boolean): Buffer {
  return onePage('', {
    catalog: `/AcroForm << /NeedAppearances ${needAppearances} /Fields [6 0 R] /DR << /Font << /F1 5 0 R >> >> >>`,
    resources: '/Font << /F1 5 0 R >>',
    page: '/Annots [6 0 R]',
    more: [
      ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
      [
        '<< /Type /Annot /Subtype /Widget /FT /Tx /T (dose) /F 4 /V (WWWWWWWWWWWW) /DA (/F1 18 Tf 0 g) /Rect [72 600 400 640] /AP << /N 7 0 R >> >>',
      ],
      streamOf(
        '/Type /XObject /Subtype /Form /BBox [0 0 328 40] /Resources << /Font << /F1 5 0 R >> >>',
        '/Tx BMC BT /F1 18 Tf 4 12 Td (i) Tj ET EMC',
      ),
    ],
  })
}

/** Text fields with a value and a drawing that leaves nothing: 600, 560 and 520 points up. */
export function emptyFields(): Buffer {
  const field = (y: number, look: string): Piece[] => [
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (f${y}) /F 4 /V (Warfarin 2.5 mg) /DA (/F1 12 Tf 0 g) /Rect [72 ${y} 272 ${y + 30}] ${look} /P 3 0 R >>`,
  ]
  return onePage('', {
    catalog: '/AcroForm << /Fields [6 0 R 7 0 R 8 0 R] /DR << /Font << /F1 5 0 R >> >> >>',
    resources: '/Font << /F1 5 0 R >>',
    page: '/Annots [6 0 R 7 0 R 8 0 R]',
    more: [
      ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
      field(600, '/AP << >>'),
      field(560, '/AP << /N 9 0 R >>'),
      field(520, '/AP << /D 9 0 R >>'),
      streamOf('/Type /XObject /Subtype /Form /BBox [0 0 200 30]', '/Tx BMC EMC'),
    ],
  })
}
