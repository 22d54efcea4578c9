/** sipp and how a trunk is reached: registration, transports, names, proxy, the dialled number, address families. */
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NameServer, noDnsmasq } from '../../../harness/dns.ts'
import { freePort } from '../../../harness/daemon.ts'
import { Box, trunk } from '../box.ts'
import { check, keeping, Skipped, type Cell, type Feature, type Kept } from '../cell.ts'
import { number, patient, Phone, replaced, type Edit, type Line } from './sipp-phone.ts'

/** A box with one trunk to a phone that waits; a call there, heard from both ends. */
export async function callsOut(kept: Kept, line: Line, settings: (port: number) => object = () => ({}), asked = ''): Promise<string> {
  const port = await freePort()
  const phone = await Phone.waits(kept, { ...line, port })
  const box = kept.keep(await Box.open())
  await box.engine.configure({ trunks: [trunk(`127.0.0.2:${port}`, settings(port))] })
  const { leg } = await box.call({ trunk: 'main', to: patient })
  check(phone.sip.messages().includes(asked), `it was not asked for ${asked}`)
  return `out: ${await box.bothWays(leg, phone, { ended: () => phone.satisfied() })}`
}

/** The other way round: the phone calls the box, from the address of the trunk. */
export async function callsIn(kept: Kept, line: Line, settings: object = {}): Promise<string> {
  const box = kept.keep(await Box.open())
  await box.engine.configure({ trunks: [trunk('127.0.0.2:9', settings)] })
  const phone = await Phone.calls(kept, box.address(line.transport === 't1' ? 'tcp' : 'udp'), line)
  const { leg } = await box.answer()
  return `in: ${await box.bothWays(leg, phone, { ended: () => phone.satisfied() })}`
}

const both = (line: Line, settings: object = {}) =>
  keeping(async (kept) => `${await callsOut(kept, line, () => settings)}; ${await callsIn(kept, line, settings)}`)

/** Challenges a REGISTER, verifies the answer by its own arithmetic, and takes it for 300 s. */
const registrar = `<?xml version="1.0" encoding="UTF-8" ?>
<scenario name="registrar">
  <recv request="REGISTER" />
  <send><![CDATA[
      SIP/2.0 401 Unauthorized
      [last_Via:]
      [last_From:]
      [last_To:];tag=r[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      WWW-Authenticate: Digest realm="clinic.test", nonce="47ebe028cda119c35d4877b383027d28da013815", algorithm=MD5
      Content-Length: 0

  ]]></send>
  <recv request="REGISTER"><action><verifyauth assign_to="right" username="clinic" password="secret" /></action></recv>
  <nop hide="true" test="right" next="known" />
  <send next="over"><![CDATA[
      SIP/2.0 403 Forbidden
      [last_Via:]
      [last_From:]
      [last_To:];tag=r[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      Content-Length: 0

  ]]></send>
  <label id="known" />
  <send><![CDATA[
      SIP/2.0 200 OK
      [last_Via:]
      [last_From:]
      [last_To:];tag=r[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      [last_Contact:];expires=300
      Content-Length: 0

  ]]></send>
  <label id="over" />
  <timewait milliseconds="50" />
</scenario>
`

const registers = () =>
  keeping(async (kept) => {
    const register = async (password: string): Promise<string> => {
      const port = await freePort()
      const box = kept.keep(await Box.open())
      await Phone.waits(kept, { port, edit: () => registrar })
      const account = { register: true, username: 'clinic', password }
      await box.engine.configure({ trunks: [trunk(`127.0.0.2:${port}`, account)] })
      const told = await box.engine.next('trunk', (m) => ['registered', 'refused'].includes(String(m['state'])), 10_000)
      return `${told['state']} ${told['code']}`
    }
    const [right, wrong] = [await register('secret'), await register('another')]
    check(right === 'registered 200' && wrong === 'refused 403', `${right}; with a wrong password ${wrong}`)
    return `digest verified by sipp; a wrong password: ${wrong}`
  })

/** A port on which nothing is ever answered. */
export async function silent(kept: Kept, address: string): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, address, resolve))
  kept.keep(socket)
  return socket.address().port
}

async function names(kept: Kept, records: readonly string[]): Promise<string> {
  if (noDnsmasq !== false) throw new Skipped(noDnsmasq)
  const server = await NameServer.open(records)
  kept.keep({ close: () => server.stop() })
  return server.address
}

const deadFirst = () =>
  keeping(async (kept) => {
    const port = await freePort()
    const dead = await silent(kept, '127.0.0.61')
    const nameservers = [
      await names(kept, [
        `srv-host=_sip._udp.sip.clinic.test,dead.clinic.test,${dead},10,1`,
        `srv-host=_sip._udp.sip.clinic.test,live.clinic.test,${port},20,1`,
        'host-record=dead.clinic.test,127.0.0.61',
        'host-record=live.clinic.test,127.0.0.2',
      ]),
    ]
    const box = kept.keep(await Box.open({ nameservers }))
    await box.engine.configure({ trunks: [trunk('sip.clinic.test')] })
    const seconds: string[] = []
    let levels = ''
    for (let n = 0; n < 2; n += 1) {
      const phone = await Phone.waits(kept, { port })
      const began = performance.now()
      const { leg } = await box.call({ trunk: 'main', to: patient })
      seconds.push(((performance.now() - began) / 1000).toFixed(1))
      levels = await box.bothWays(leg, phone, { ended: () => phone.satisfied() })
    }
    check(Number(seconds[0]) < 6 && Number(seconds[1]) < 2, `answered after ${seconds.join(' and ')} s`)
    const caller = await Phone.calls(kept, box.address())
    const { leg, invite } = await box.answer()
    check(invite['trunk'] === 'main', 'the call in is of no trunk')
    const inwards = await box.bothWays(leg, caller, { ended: () => caller.satisfied() })
    return `answered after ${seconds[0]} s, the next call after ${seconds[1]} s; out: ${levels}; in: ${inwards}`
  })

const byAddressRecord = () =>
  keeping(async (kept) => {
    const port = await freePort()
    const nameservers = [await names(kept, ['host-record=a.clinic.test,127.0.0.2'])]
    const box = kept.keep(await Box.open({ nameservers }))
    await box.engine.configure({ trunks: [trunk(`a.clinic.test:${port}`)] })
    const phone = await Phone.waits(kept, { port })
    const { leg } = await box.call({ trunk: 'main', to: patient })
    const out = await box.bothWays(leg, phone, { ended: () => phone.satisfied() })
    const caller = await Phone.calls(kept, box.address())
    const inbound = await box.answer()
    return `out: ${out}; in: ${await box.bothWays(inbound.leg, caller, { ended: () => caller.satisfied() })}`
  })

const throughProxy = () =>
  keeping(async (kept) => {
    const settings = (port: number) => ({ server: '127.0.0.9:5060', outboundProxy: `127.0.0.2:${port}` })
    const out = await callsOut(kept, {}, settings, `INVITE sip:${patient}@127.0.0.9`)
    return `${out}; ${await callsIn(kept, {}, { server: '127.0.0.9:5060', outboundProxy: '127.0.0.2:9' })}`
  })

const numberInTo = () =>
  keeping(async (kept) => {
    const box = kept.keep(await Box.open())
    await box.engine.configure({ trunks: [trunk('127.0.0.2:9', { username: 'clinic', password: 'secret', numbers: [number] })] })
    const edit = replaced('INVITE sip:[field1]@', 'INVITE sip:clinic@')
    const phone = await Phone.calls(kept, box.address(), { edit })
    const { leg, invite } = await box.answer()
    check(invite['to'] === number, `the number is told as ${invite['to']}`)
    return `sent to clinic@, told as ${invite['to']}; ${await box.bothWays(leg, phone, { ended: () => phone.satisfied() })}`
  })

const overIPv6 = () =>
  keeping(async (kept) => {
    const six: Edit = (xml) => xml.replaceAll('IN IP4 [local_ip]', 'IN IP6 ::1')
    const port = await freePort()
    const phone = await Phone.waits(kept, { port, address: '::1', edit: six })
    const box = kept.keep(await Box.open({ udp: '[::1]:0', tcp: null }))
    await box.engine.configure({ trunks: [trunk(`[::1]:${port}`)] })
    const { leg } = await box.call({ trunk: 'main', to: patient })
    const out = await box.bothWays(leg, phone, { ended: () => phone.satisfied() })
    const caller = await Phone.calls(kept, `[::1]:${box.engine.port()}`, { address: '::1', edit: six })
    const inbound = await box.answer()
    return `out: ${out}; in: ${await box.bothWays(inbound.leg, caller, { ended: () => caller.satisfied() })}`
  })

/** A folder below the temporary one, removed with the cell. */
export function folder(kept: Kept, files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'trunks-'))
  kept.keep({ close: () => rmSync(dir, { recursive: true, force: true }) })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}

const noTls = async (): Promise<string> => {
  throw new Skipped("Debian's sipp is built without TLS")
}

export function sippSetup(): Cell[] {
  const cell = (feature: Feature, run: () => Promise<string>): Cell => ({ feature, peer: 'sipp', run })
  return [
    cell('registration', registers),
    cell('tcp', () => both({ transport: 't1' }, { transport: 'tcp' })),
    cell('tls', noTls),
    cell('srtp', noTls),
    cell('srv', deadFirst),
    cell('address', byAddressRecord),
    cell('proxy', throughProxy),
    cell('did', numberInTo),
    cell('ipv6', overIPv6),
    cell('pcmu', () => both({})),
    cell('pcma', () => both({ law: 8 })),
  ]
}
