/** The three dialects of class 2 as data: SP-2388-A (2), TIA-592 (2.0) and ITU-T T.32 (2.1). */
import type { FaxModem } from '../../fax.ts'

export type Class2 = '2' | '2.0' | '2.1'

export interface Dialect {
  readonly faxClass: Class2
  /** Of numbers in reports and parameters. */
  readonly radix: 10 | 16
  readonly identification: string
  /** What the modem may offer; its values are asked with `=?`. */
  readonly capabilities: string
  /** What is used in this session, set before the first page. */
  readonly session: string
  /** Quality of the page that was received: 1 good, 2 to be sent again. */
  readonly quality: string
  readonly abort: string
  /** Leaves page data that are being sent: in class 2 like their end, and no word follows about what comes next. */
  readonly cancel: string
  /** Tolerated when they are refused. */
  readonly setup: readonly string[]
  /** Flow control by the lines of the port, or by XON and XOFF. */
  readonly flow: readonly [lines: readonly string[], characters: readonly string[]]
  /** Whether the modem asks for page data by XON. */
  readonly xon: boolean
  /** How page data end: more pages follow, or none. '' where a command says so afterwards. */
  readonly endings: { readonly more: string; readonly last: string } | null
}

const TIA592: Omit<Dialect, 'faxClass'> = {
  radix: 16,
  identification: 'AT+FLI',
  capabilities: 'AT+FCC',
  session: 'AT+FIS',
  quality: 'AT+FPS',
  abort: 'AT+FKS',
  cancel: '\x18\x10\x18',
  setup: ['AT+FBO=0', 'AT+FNR=1,1,1,1', 'AT+FCT=1E', 'AT+FIE=0'],
  flow: [['AT+FLO=2'], ['AT+FLO=1']],
  xon: false,
  endings: { more: ',', last: '.' },
}

export const dialects: Readonly<Record<Class2, Dialect>> = {
  '2': {
    faxClass: '2',
    radix: 10,
    identification: 'AT+FLID',
    capabilities: 'AT+FDCC',
    session: 'AT+FDIS',
    quality: 'AT+FPTS',
    abort: 'AT+FK',
    cancel: '\x10\x03',
    setup: ['AT+FBOR=0', 'AT+FPHCTO=30'],
    flow: [[], []],
    xon: true,
    endings: null,
  },
  '2.0': { ...TIA592, faxClass: '2.0' },
  '2.1': { ...TIA592, faxClass: '2.1' },
}

/** Resolution, rate, width, length, coding, error correction, binary files, time of a row: VR, BR, WD, LN, DF, EC, BF, ST. */
export interface Terms {
  /** Bit 0: fine. */
  readonly vr: number
  /** 0 to 5: 2400 to 14,400 bit/s. */
  readonly br: number
  readonly ln: number
  /** 0 MH, 1 MR, 2 uncompressed, 3 MMR. */
  readonly df: number
  readonly ec: number
  readonly st: number
}

/** What a modem can do at most, and lists for each of the terms. */
export type Abilities = Pick<Terms, 'vr' | 'br' | 'ec'>

const mostRate = 5

export function readTerms(text: string, radix: 10 | 16): Terms | null {
  const values = text.split(',').map((value) => parseInt(value.trim(), radix))
  if (values.length < 5 || values.slice(0, 5).some(Number.isNaN)) return null
  const at = (index: number): number => (Number.isFinite(values[index]) ? (values[index] as number) : 0)
  return { vr: at(0), br: Math.min(at(1), mostRate), ln: at(3), df: at(4), ec: at(5), st: at(7) }
}

export function writeTerms({ vr, br, ln, df, ec, st }: Terms, radix: 10 | 16): string {
  return [vr, br, 0, ln, df, ec, 0, st].map((value) => value.toString(radix).toUpperCase()).join(',')
}

export const bitRateOf = (br: number): number => (br + 1) * 2400

/** Answer to `+FDCC=?`: `(0,1),(0-5),(0),...`; a modem that gives none is taken for one of 9600 bit/s. */
export function readAbilities(lines: readonly string[], radix: 10 | 16): Abilities {
  const text = lines.join(' ').replace(/^\+F(DCC|CC)\s*[:=]\s*/, '')
  const groups = [...text.matchAll(/\(([^()]*)\)/g)].map(([, values = '']) => most(values, radix))
  if (groups.length < 5) return { vr: 1, br: 3, ec: 0 }
  return { vr: (groups[0] ?? 0) & 1, br: Math.min(groups[1] ?? 3, mostRate), ec: groups[5] ?? 0 }
}

/** For a resolution as a set of bits the highest number stands for all: `(00-07)` has bit 0. */
function most(values: string, radix: 10 | 16): number {
  const all = (values.match(/[0-9A-Fa-f]+/g) ?? []).map((value) => parseInt(value, radix))
  return all.reduce((top, value) => Math.max(top, value), 0)
}

export function modemsOf(br: number): readonly FaxModem[] {
  return br >= 4 ? ['v17', 'v29', 'v27ter'] : br >= 2 ? ['v29', 'v27ter'] : ['v27ter']
}

/** The fastest that these allow. */
export function rateOf(modems: readonly FaxModem[]): number {
  return modems.includes('v17') ? 5 : modems.includes('v29') ? 3 : 1
}
