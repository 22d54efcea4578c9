/**
 * A modem that lies, at the bytes of its port: it knows the dialogues of all fax classes well enough to be believed, and breaks
 * off from them anywhere.
 */
import type { Port } from '../../../drivers/serial/port.ts'
import type { Random } from '../../../scripts/cli/selftest/corpus.ts'

const results = [
  'OK',
  'ERROR',
  'CONNECT',
  'CONNECT 14400',
  'NO CARRIER',
  'BUSY',
  'NO ANSWER',
  'NO DIALTONE',
  'BLACKLISTED',
  'DELAYED 99:99:99',
  'VCON',
  'RING',
  'RING\r\nRING',
  '+FCERROR',
  '+CME ERROR: 999999999999999999999',
  '+FHNG:0',
  '+FHNG:-1',
  '+FHS:FFFFFFFF',
  '+FPTS:2',
  '+FPTS:99999999999999999999,1e9,NaN',
  '+FDCS:',
  '+FDCS:,,,,,,,',
  '+FDIS:1,5,2,2,1,1,0,0,0,0,0,0,0,0,0,0,0,0',
  '+FIS:FF,FF,FF,FF,FF,FF,FF,FF',
  '+FET:9',
  '+FCSI:"\u00ff\u00fe',
  'NMBR=' + '5'.repeat(600),
  'NAME = "',
  'DATE=',
  '0,1,2.0,99999999999999999999',
  '(0-4294967295)',
  '((((((((((',
  '(145-1),(0-146),(0-146)',
  '',
]

/** A frame of V.21 as a computer gets it: DIS, DCS, CFR, MCF, EOP, DCN. */
const frames = ['ff138000eef844', 'ff13820046f844', 'ff1384', 'ff138c', 'ff132f', 'ff13fb'].map((hex) => Buffer.from(hex, 'hex'))

export class LyingModem {
  /** Share of its words that are not true; 0: an honest modem. */
  lies: number
  /** 1, 2 or 2.0. */
  readonly faxClass: string
  readonly port: Port
  readonly #random: Random
  readonly #say: (bytes: Buffer) => void
  readonly #delayMs: number
  #line = ''
  /** Data are coming from the computer: until DLE and one of these. */
  #until: ((bytes: string) => boolean) | null = null
  #data = ''
  #pages = 0
  #givesPage = false
  #gone = false

  constructor(random: Random, faxClass: string, lies: number, say: (bytes: Buffer) => void) {
    this.#random = random
    this.faxClass = faxClass
    this.lies = lies
    this.#say = say
    this.#delayMs = random.pick([0, 0, 1, 5])
    this.port = {
      write: (bytes, written) => {
        if (!this.#gone) this.#take(Buffer.from(bytes))
        if (!random.chance(this.lies / 20)) setTimeout(() => written?.(), 1)
      },
      flush: () => Promise.resolve(),
      setDtr: () => {
        this.#until = null
        return Promise.resolve(true)
      },
      close: () => {
        this.#gone = true
        return Promise.resolve()
      },
    }
  }

  /** Says it without being asked. */
  tell(text: string): void {
    this.#give(Buffer.from(`\r\n${text}\r\n`, 'latin1'))
  }

  noise(): void {
    const random = this.#random
    if (random.chance(0.5)) this.tell(random.pick(results))
    else this.#give(random.bytes(random.integer(random.chance(0.1) ? 4096 : 40)))
  }

  /** In chunks, as a port hands them over. */
  #give(bytes: Buffer): void {
    const damaged = this.#random.chance(this.lies / 2) ? this.#damage(bytes) : bytes
    for (let at = 0; at < damaged.length;) {
      const length = this.#random.chance(0.3) ? 1 + this.#random.integer(8) : 4096
      const chunk = Buffer.from(damaged.subarray(at, at + length))
      at += length
      setTimeout(() => this.#gone || this.#say(chunk), this.#delayMs)
    }
  }

  #damage(bytes: Buffer): Buffer {
    const random = this.#random
    const copy = Buffer.from(bytes)
    if (copy.length === 0) return copy
    const at = random.integer(copy.length)
    switch (random.integer(5)) {
      case 0:
        copy[at] = random.integer(256)
        return copy
      case 1:
        return copy.subarray(0, at)
      case 2:
        return Buffer.concat([copy.subarray(0, at), random.bytes(random.integer(30)), copy.subarray(at)])
      case 3:
        return Buffer.concat([copy, copy.subarray(at)])
      default:
        return Buffer.concat([
          copy.subarray(0, at),
          Buffer.alloc(random.integer(6000), random.pick([0, 10, 13, 16, 65, 255])),
          copy.subarray(at),
        ])
    }
  }

  #answer(...lines: string[]): void {
    const random = this.#random
    const said = random.chance(this.lies) ? [random.pick(results)] : [...lines]
    if (random.chance(this.lies / 4)) said.push(random.pick(results))
    if (!random.chance(this.lies / 4)) this.#give(Buffer.from(said.map((line) => `\r\n${line}\r\n`).join(''), 'latin1'))
  }

  #take(bytes: Buffer): void {
    for (const byte of bytes) {
      const character = String.fromCharCode(byte)
      if (this.#until !== null) {
        this.#data = (this.#data + character).slice(-2)
        if (this.#until(this.#data)) this.#dataEnded(this.#data)
      } else if (byte !== 13) {
        this.#line = (this.#line + character).slice(-200)
      } else {
        const line = this.#line
        this.#line = ''
        this.#obey(line.slice(Math.max(0, line.lastIndexOf('AT'))))
      }
    }
  }

  #dataEnded(end: string): void {
    this.#until = null
    this.#data = ''
    if (this.#givesPage) {
      this.#givesPage = false
      this.#page(this.faxClass === '2.0')
    } else if (end[1] === '\x03' || this.faxClass !== '2.0') this.#answer('OK')
    else this.#answer(this.#random.chance(0.2) ? 'ERROR' : 'OK')
  }

  #obey(command: string): void {
    const random = this.#random
    const two = this.faxClass !== '1'
    const hex = this.faxClass === '2.0'
    const identity = hex ? '+FCI:"+1 555"' : '+FCSI:"+1 555"'
    const terms = `:1,5,0,2,${random.integer(4)},${random.integer(3)},0,0`
    if (command === 'AT+FCLASS=?') return this.#answer(`0,${this.faxClass}`, 'OK')
    if (command === 'ATI3') return this.#answer(random.pick(['SpanDSP', 'USR5637', 'CX93010', 'RC96', 'LT V.90', '\u00ff']), 'OK')
    if (/^AT\+F(TM|RM)=\?$/.test(command)) return this.#answer('24,48,72,73,74,96,97,98,121,122,145,146', 'OK')
    if (/^AT\+F(DCC|CC)=\?$/.test(command)) return this.#answer('(0,1),(0-5),(0),(0-2),(0-3),(0-2),(0),(0-7)', 'OK')
    if (command.startsWith('ATDT;')) return this.#answer('OK')
    if (/^AT(DT|A$)/.test(command)) {
      if (!two) {
        this.#answer('CONNECT')
        if (command === 'ATA') this.#until = (data) => data === '\x10\x03'
        else this.#frame()
        return
      }
      if (command === 'ATA')
        return this.#answer(hex ? '+FCO' : '+FCON', hex ? '+FTI:"1"' : '+FTSI:"1"', `${hex ? '+FCS' : '+FDCS'}${terms}`, 'OK')
      return this.#answer(hex ? '+FCO' : '+FCON', identity, `${hex ? '+FIS' : '+FDIS'}${terms}`, 'OK')
    }
    if (command === 'AT+FDT') {
      this.#answer(`${hex ? '+FCS' : '+FDCS'}${terms}`, 'CONNECT')
      if (!hex) this.#give(Buffer.from([0x11]))
      this.#until = hex ? (data) => data[0] === '\x10' && ',;.\x03\x18'.includes(data[1] ?? '') : (data) => data === '\x10\x03'
      return
    }
    if (command.startsWith('AT+FET=')) return this.#answer(`+FPTS: ${random.pick([1, 1, 2, 3, 5])}`, 'OK')
    if (command === 'AT+FDR') {
      if (this.#pages++ > random.integer(3)) return this.#answer(hex ? '+FHS:00' : '+FHNG:0', 'OK')
      this.#answer(`${hex ? '+FCS' : '+FDCS'}${terms}`, 'CONNECT')
      this.#until = (data) => '\x12\x11\x18'.includes(data.at(-1) ?? '')
      this.#givesPage = true
      return
    }
    if (command === 'AT+FRH=3') {
      this.#answer('CONNECT')
      return this.#frame()
    }
    if (/^AT\+F(TH|TM)=/.test(command)) {
      this.#answer('CONNECT')
      this.#until = (data) => data === '\x10\x03'
      return
    }
    if (command.startsWith('AT+FRM=')) {
      this.#answer('CONNECT')
      this.#give(
        Buffer.concat([
          random.chance(0.5) ? Buffer.alloc(2000) : random.bytes(random.integer(3000)),
          Buffer.from('\x10\x03\r\nNO CARRIER\r\n'),
        ]),
      )
      return
    }
    this.#answer('OK')
  }

  #frame(): void {
    this.#give(Buffer.concat([this.#random.pick(frames), Buffer.from([1, 2, 0x10, 3]), Buffer.from('\r\nOK\r\n')]))
  }

  #page(hex: boolean): void {
    const random = this.#random
    const size = random.integer(random.chance(0.1) ? 40_000 : 3000)
    const data = random.chance(0.5) ? Buffer.alloc(size, random.pick([0, 0xff, 0x4d, 0x10])) : random.bytes(size)
    const rest = random.chance(0.5) ? 0 : 2
    this.#give(Buffer.concat([data, Buffer.from('\x10\x03')]))
    this.#answer(`${hex ? '+FPS' : '+FPTS'}:1,100`, `+FET:${rest}`, 'OK')
  }
}
