/** Calls that break off on our side: pbx-fax is killed, or the modem takes no more of a page; the lines are free again soon. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runFaxProgram, sendOrder, type FaxProgram, type ProgramResult } from '../../drivers/modem/fax-program.ts'
import { makePage, rowBytes, writeTiff } from '../fax-engine/tiff.ts'
import { childrenOf, commandOf } from '../harness/processes.ts'
import { build, faxProgram, Rig, sending, Story } from './rig.ts'

t.setTimeout(180_000)
await build()

const end = '\x10\x03'
const frame = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(`\x00\x00${end}\r\nOK\r\n`, 'latin1')])
const dis = frame('ff138000eef844')
const cfr = frame('ff1384')

/** Says what a Class 1 modem with a fax machine behind it says (ITU-T T.31), until the first page. */
class Modem {
  readonly full = Promise.withResolvers<void>()
  program: FaxProgram | null = null
  #fast = false
  #page = false
  #taking = false
  #said = ''

  write(bytes: Buffer, written: () => void): void {
    // The check of the training is all zeros. Of the page nothing is taken.
    if (this.#page || (this.#fast && bytes.some((byte) => byte !== 0 && byte !== 0x10 && byte !== 3))) {
      this.#page = true
      return this.full.resolve()
    }
    for (const byte of bytes) this.#hear(String.fromCharCode(byte))
    written()
  }

  #hear(character: string): void {
    this.#said += character
    if (this.#taking && this.#said.endsWith(end)) {
      const more = !this.#fast && this.#said.charCodeAt(1) === 3
      this.#taking = more
      this.#fast = false
      this.#said = ''
      this.#say(more ? 'CONNECT' : 'OK')
    } else if (!this.#taking && character === '\r') {
      const command = this.#said.trim()
      this.#said = ''
      this.#obey(command)
    }
  }

  #obey(command: string): void {
    this.#fast = command.startsWith('AT+FTM=')
    this.#taking = /^AT\+F(TM|TH)=/.test(command)
    if (command === 'AT+FRH=3') {
      this.#say('CONNECT')
      this.program!.hear(cfr)
    } else this.#say(this.#taking ? 'CONNECT' : 'OK')
  }

  #say(text: string): void {
    this.program!.hear(Buffer.from(`\r\n${text}\r\n`))
  }
}

t.test('a fax is stopped while the modem takes nothing of its page', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'stuck-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'noise.tif')
  const noise = Buffer.alloc(1500 * rowBytes)
  let state = 7
  for (let i = 0; i < noise.length; i++) noise[i] = (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24
  writeTiff(file, [noise])
  const modem = new Modem()
  const ended = Promise.withResolvers<ProgramResult>()
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const handlers = { progress: () => undefined, frame: () => undefined, ended: ended.resolve }
  const order = sendOrder(sending(file, { ecm: false }), ['v17', 'v29', 'v27ter'], 20)
  modem.program = runFaxProgram(faxProgram, order, modem, handlers, silent)
  modem.program.hear(dis)
  await modem.full.promise
  await new Promise((resolve) => setTimeout(resolve, 300)) // until no more fits between the two
  modem.program.stop()
  const late = new Promise<null>((resolve) => setTimeout(resolve, 20_000, null).unref())
  t.match(await Promise.race([ended.promise, late]), { code: 7, pages: 0, modemFault: '' }, 'it ends, and says that it was stopped')
})

t.test('pbx-fax is killed in the middle: both calls end soon, and what was on its way is told', async (t) => {
  const rig = await new Rig(5).open()
  t.teardown(() => rig.close())
  writeTiff(rig.file('doc.tif'), [makePage(60, 6)])
  const [a, b] = await Promise.all([rig.line(0), rig.line(1)])
  const programs = (): number[] => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('pbx-fax'))
  const caller = new Story()
  const callee = new Story()
  const rings = b.rings()
  a.line.sendFax('200', sending(rig.file('doc.tif')), caller)
  const ring = await rings
  ring.receiveFax({ file: rig.file('got.tif'), stationId: '200', ecm: true, t38: false }, callee)
  await callee.reached('confirmed') // the far end does not know it yet
  process.kill(Math.min(...programs()), 'SIGKILL') // the caller hears CONNECT first
  const began = Date.now()
  const [sent, received] = await Promise.all([caller.result, callee.result])
  t.match(sent, { dial: 'modem-fault', pages: 0, unconfirmedLastPage: true })
  t.match(received, { code: 0, pages: 1 })
  t.comment(`the far end is free again after ${Date.now() - began} ms`)
  await Promise.all([a.is('ready'), b.is('ready')])
})
