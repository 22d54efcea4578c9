/** Dialogues with modems, byte by byte: what the channel makes of them. A fake port is the only stand-in. */
import t from 'tap'
import { AtChannel, type AtReply } from '../../drivers/gsm/at-channel.ts'
import type { Notice } from '../../drivers/gsm/lines.ts'
import type { Port } from '../../drivers/serial/port.ts'

/** What the modem answers to bytes that end so; the first that fits is used up. */
type Script = [written: string, ...answers: string[]][]

class Exchange {
  readonly written: string[] = []
  readonly notices: Notice[] = []
  readonly channel: AtChannel
  deaf = 0
  readonly #script: Script

  constructor(script: Script) {
    this.#script = [['AT\r', '\r\nOK\r\n'], ...script]
    const port: Port = {
      write: (bytes) => this.#write(String(bytes)),
      flush: async () => undefined,
      setDtr: async () => false,
      close: async () => undefined,
    }
    const handlers = { notice: (notice: Notice) => void this.notices.push(notice), deaf: () => void this.deaf++ }
    this.channel = new AtChannel(port, handlers, { answerMs: 120, promptMs: 60, sendMs: 60, settleMs: 5 })
  }

  #write(bytes: string): void {
    this.written.push(bytes)
    const at = this.#script.findIndex(([written]) => written === bytes)
    if (at < 0) return
    for (const answer of this.#script.splice(at, 1)[0]!.slice(1)) setImmediate(() => this.hear(answer))
  }

  /** Until the channel has written it. */
  async wrote(bytes: string): Promise<void> {
    while (!this.written.includes(bytes)) await new Promise((resolve) => setImmediate(resolve))
  }

  hear(text: string): void {
    this.channel.onData(Buffer.from(text, 'latin1'))
  }
}

const pdu = '07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07'

t.test('answers', async (t) => {
  const dialogues: readonly (readonly [name: string, command: string, answers: string[], reply: object, notices: object[]])[] = [
    ['plain', 'AT+CSQ', ['\r\n+CSQ: 20,99\r\n\r\nOK\r\n'], { code: 'ok', lines: ['+CSQ: 20,99'] }, []],
    ['byte by byte', 'AT+CSQ', [...'\r\n+CSQ: 20,99\r\n\r\nOK\r\n'], { code: 'ok', lines: ['+CSQ: 20,99'] }, []],
    ['with its echo', 'AT+CGMM', ['AT+CGMM\r\r\nEC25\r\n\r\nOK\r\n'], { code: 'ok', lines: ['EC25'] }, []],
    ['line feeds alone', 'AT+CGMM', ['EC25\nOK\n'], { code: 'ok', lines: ['EC25'] }, []],
    ['noise around it', 'AT+CGMM', ['\0\xff\xfe\r\nEC25\r\n\0\r\nOK\r\n'], { code: 'ok', lines: ['EC25'] }, []],
    [
      'a notice in the middle',
      'AT+CMGL=4',
      [`\r\n+CMGL: 1,1,,31\r\n+CMTI: "SM",7\r\n${pdu}\r\n\r\nOK\r\n`],
      { code: 'ok', lines: ['+CMGL: 1,1,,31', pdu] },
      [{ kind: 'stored', memory: 'SM', index: 7 }],
    ],
    [
      'a report in the middle',
      'AT+COPS?',
      [`\r\n+CDS: 31\r\n${pdu}\r\n`, '\r\n+COPS: 0,0,"Op, Ltd",7\r\n\r\nOK\r\n'],
      { code: 'ok', lines: ['+COPS: 0,0,"Op, Ltd",7'] },
      [{ kind: 'direct', pdu }],
    ],
    ['a header whose PDU is missing', 'AT+CSQ', ['\r\n+CMT: ,31\r\n+CSQ: 9,9\r\nOK\r\n'], { code: 'ok', lines: ['+CSQ: 9,9'] }, []],
    [
      'another name is a notice',
      'AT+CSQ',
      ['+CREG: 1\r\n^RSSI:20\r\nRING\r\n+CSQ: 9,9\r\nOK\r\n'],
      { code: 'ok', lines: ['+CSQ: 9,9'] },
      [{}, {}, {}],
    ],
    ['ERROR', 'AT+CNMI=2,1', ['\r\nERROR\r\n'], { code: 'error', error: { kind: 'plain' } }, []],
    ['a number', 'AT+CPIN?', ['\r\n+CME ERROR: 10\r\n'], { code: 'error', error: { kind: 'cme', code: 10 } }, []],
    ['words', 'AT+CPIN?', ['\r\n+CME ERROR: SIM not inserted\r\n'], { code: 'error', error: { kind: 'cme', code: 10 } }, []],
    ["a maker's own", 'AT+CPIN?', ['\r\nCOMMAND NOT SUPPORT\r\n'], { code: 'error', error: { kind: 'plain' } }, []],
    ['full', 'AT+CSQ', ['^SMMEMFULL: "SM"\r\nOK\r\n'], { code: 'ok' }, [{ kind: 'full' }]],
    ['never', 'AT+CSQ', [], { code: 'timeout' }, []],
  ]
  for (const [name, command, answers, reply, notices] of dialogues) {
    const exchange = new Exchange(answers.length === 0 ? [] : [[`${command}\r`, ...answers]])
    t.match(await exchange.channel.command(command), reply, name)
    t.match(exchange.notices, notices, name)
    t.equal(exchange.notices.length, notices.length, name)
  }
})

t.test('one command at a time, in order', async (t) => {
  const exchange = new Exchange([
    ['AT+A\r', '\r\nOK\r\n'],
    ['AT+B\r', '\r\nERROR\r\n'],
    ['AT+C\r', '\r\nOK\r\n'],
  ])
  const replies = await Promise.all(['AT+A', 'AT+B', 'AT+C'].map((command) => exchange.channel.command(command)))
  t.same(
    replies.map(({ code }) => code),
    ['ok', 'error', 'ok'],
  )
  t.same(exchange.written, ['\u001b', 'AT\r', 'AT+A\r', 'AT+B\r', 'AT+C\r'])
})

t.test('a late answer is not taken for that of the next command', async (t) => {
  const exchange = new Exchange([
    ['AT+A\r'],
    ['AT\r', '\r\n+A: late\r\n\r\nOK\r\n', '\r\nOK\r\n'],
    ['AT+B\r', '\r\n+B: mine\r\n\r\nOK\r\n'],
  ])
  t.match(await exchange.channel.command('AT+A', 20), { code: 'timeout' })
  t.match(await exchange.channel.command('AT+B'), { code: 'ok', lines: ['+B: mine'] })
})

t.test('texts', async (t) => {
  const z = `${pdu}\u001a`
  const dialogues: readonly (readonly [name: string, script: Script, reply: object, unsent?: boolean])[] = [
    [
      'plain',
      [
        ['AT+CMGS=9\r', '\r\n> '],
        [z, '\r\n+CMGS: 12\r\n\r\nOK\r\n'],
      ],
      { code: 'ok', written: true, lines: ['+CMGS: 12'] },
    ],
    [
      'echoed',
      [
        ['AT+CMGS=9\r', 'AT+CMGS=9\r\r\n', '>', ' '],
        [z, `${z}\r\n+CMGS: 12\r\n\r\nOK\r\n`],
      ],
      { code: 'ok', written: true, lines: ['+CMGS: 12'] },
    ],
    [
      'a text comes in before the prompt, another before the answer',
      [
        ['AT+CMGS=9\r', '\r\n+CMTI: "SM",1\r\n', '\r\n> '],
        [z, '\r\n+CMTI: "SM",2\r\n', '\r\n+CMGS: 12\r\n\r\nOK\r\n'],
      ],
      { code: 'ok', written: true, lines: ['+CMGS: 12'] },
    ],
    ['refused before', [['AT+CMGS=9\r', '\r\n+CMS ERROR: 310\r\n']], { code: 'error', written: false }, true],
    [
      'refused after',
      [
        ['AT+CMGS=9\r', '\r\n> '],
        [z, '\r\n+CMS ERROR: 21\r\n'],
      ],
      { code: 'error', written: true, error: { code: 21 } },
    ],
    ['no prompt', [['AT+CMGS=9\r']], { code: 'timeout', written: false }, true],
    ['no answer', [['AT+CMGS=9\r', '\r\n> '], [z]], { code: 'timeout', written: true }],
    [
      'it restarts',
      [
        ['AT+CMGS=9\r', '\r\n> '],
        [z, '\r\nRDY\r\n'],
      ],
      { code: 'timeout', written: true },
    ],
  ]
  for (const [name, script, reply, unsent = false] of dialogues) {
    const exchange = new Exchange(script)
    t.match(await exchange.channel.submit(9, pdu, () => true), reply, name)
    t.equal(exchange.written.includes(z), !unsent, name)
  }
  const stopped = new Exchange([['AT+CMGS=9\r', '\r\n> '], ['\u001b'], ['\u001b', '\r\nOK\r\n']])
  let asked = 0
  t.match(await stopped.channel.submit(9, pdu, () => ++asked < 2), { written: false })
  t.notOk(stopped.written.includes(z), 'stopped at the prompt')
  t.equal(stopped.written.at(-1), '\u001b')
})

t.test('the end', async (t) => {
  const exchange = new Exchange([['AT+CMGS=9\r', '\r\n> ']])
  const sending = exchange.channel.submit(9, pdu, () => true)
  const next = exchange.channel.command('AT+CSQ')
  await exchange.wrote(`${pdu}\u001a`)
  exchange.channel.closed()
  t.match(await sending, { code: 'closed', written: true })
  t.match((await next) satisfies AtReply, { code: 'closed' })
  const mute = new Exchange([])
  t.match(await mute.channel.command('AT+CSQ'), { code: 'timeout' })
  t.match(await mute.channel.command('AT+CSQ'), { code: 'timeout' })
  t.equal(mute.deaf, 1, 'the modem answers to nothing')
})
