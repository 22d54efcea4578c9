/** An SMPP service on this machine: the server of the package `smpp`, with its own reading of every PDU. */
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import type { EventEmitter } from 'node:events'
import type { Test } from 'tap'
import type { OutboundText, SmsTrunkLog } from '../../drivers/sms.ts'
import { createSmppTrunk, type SmppTrunkOptions } from '../../drivers/smpp/trunk.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

// What a test asks of a PDU differs from one to the next.
// eslint-disable-next-line typescript/no-explicit-any
export type ServicePdu = Record<string, any> & { response(fields?: object): ServicePdu }

export interface ServiceSession extends EventEmitter {
  socket: Socket
  send(pdu: ServicePdu): boolean
  deliver_sm(fields: object, answered?: (pdu: ServicePdu) => void): boolean
  data_sm(fields: object, answered?: (pdu: ServicePdu) => void): boolean
  enquire_link(fields: object, answered?: (pdu: ServicePdu) => void): boolean
  unbind(answered?: (pdu: ServicePdu) => void): boolean
  close(): void
}

const smpp = createRequire(import.meta.url)('smpp') as {
  createServer(options: object, listener: (session: ServiceSession) => void): Server
}

export interface ServiceOptions {
  port?: number
  tls?: { key: string; cert: string }
  /** Status of the answer to a login; 0 by default. */
  login?: () => number
  /** What becomes of a text; by default it is accepted. `null`: no answer ever. */
  submit?: (pdu: ServicePdu, session: ServiceSession) => { status?: number; id?: string } | null
  enquire?: boolean
}

export interface Service {
  readonly port: number
  readonly logins: ServicePdu[]
  readonly texts: ServicePdu[]
  readonly enquiries: () => number
  readonly sessions: Set<ServiceSession>
  session(): Promise<ServiceSession>
  /** As the power of the machine going: no goodbye. */
  kill(): Promise<void>
}

let nextId = 1

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const logins: ServicePdu[] = []
  const texts: ServicePdu[] = []
  const sessions = new Set<ServiceSession>()
  const waiting: ((session: ServiceSession) => void)[] = []
  let enquiries = 0
  const server = smpp.createServer(options.tls ?? {}, (session) => {
    session.on('error', () => undefined)
    session.on('close', () => sessions.delete(session))
    session.on('bind_transceiver', (pdu: ServicePdu) => {
      logins.push(pdu)
      const status = options.login?.() ?? 0
      session.send(pdu.response(status === 0 ? { system_id: 'service' } : { command_status: status }))
      if (status !== 0) return
      sessions.add(session)
      for (const found of waiting.splice(0)) found(session)
    })
    session.on('submit_sm', (pdu: ServicePdu) => {
      const result = options.submit === undefined ? {} : options.submit(pdu, session)
      if (result === null) return
      const { status = 0, id = String(nextId++) } = result
      if (status === 0) texts.push({ ...pdu, id } as unknown as ServicePdu)
      session.send(pdu.response(status === 0 ? { message_id: id } : { command_status: status }))
    })
    session.on('enquire_link', (pdu: ServicePdu) => {
      enquiries++
      if (options.enquire !== false) session.send(pdu.response())
    })
    session.on('unbind', (pdu: ServicePdu) => {
      session.send(pdu.response())
      session.close()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    logins,
    texts,
    enquiries: () => enquiries,
    sessions,
    session() {
      const [open] = sessions
      return open === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(open)
    },
    async kill() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const { socket } of (server as unknown as { sessions: ServiceSession[] }).sessions.slice()) socket.destroy()
      await closed
    },
  }
}

export const silent: SmsTrunkLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

export function trunkAt(port: number, options: Partial<SmppTrunkOptions> = {}) {
  return createSmppTrunk({
    id: 'carrier',
    number: '+15550100',
    log: silent,
    server: `127.0.0.1:${port}`,
    tls: false,
    systemId: 'clinic',
    password: 'secret',
    systemType: '',
    window: 10,
    enquireSeconds: 30,
    receipts: true,
    ...options,
    times: { retryFirst: 20, retryMost: 200, answer: 2000, moment: 500, ...options.times },
  })
}

let nextText = 1

export function text(fields: Partial<OutboundText> = {}): OutboundText {
  const body = fields.body ?? 'Your appointment is tomorrow.'
  return {
    messageId: `text-${nextText++}`,
    to: '+15550177',
    from: '+15550100',
    body,
    encoding: 'GSM-7',
    segments: [body],
    reference: 4711,
    validitySeconds: 86_400,
    accepted: [],
    ...fields,
  }
}

export const never = new AbortController().signal

/** A trunk that is logged in at a service of its own. */
export async function connected(t: Test, options: ServiceOptions = {}, trunkOptions: Partial<SmppTrunkOptions> = {}) {
  const service = await startService(options)
  const trunk = trunkAt(service.port, trunkOptions)
  const kept = new KeptTexts()
  t.teardown(async () => {
    await trunk.stop()
    await service.kill()
  })
  trunk.start(kept)
  await kept.until(() => trunk.status().ok)
  return { service, trunk, kept, session: await service.session() }
}

/** What the trunk answers to a request of the service. */
export const answered = (ask: (done: (pdu: ServicePdu) => void) => boolean): Promise<ServicePdu> => new Promise((resolve) => ask(resolve))
