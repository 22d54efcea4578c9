/** The provider, which repeats an INVITE as RFC 3261 17.1.1 says until it is answered, the application, and a program that posts texts. */
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { hub, pairAddress, provider, token } from './house.ts'

export interface Made {
  readonly began: number
  /** 0: no answer within 32 s. */
  status: number
  ended: number
  readonly dialog: Dialog
}

const repeatedMs = [500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]

export class Line {
  readonly peer: SipPeer
  #last = ''

  private constructor(peer: SipPeer) {
    this.peer = peer
    peer.changes = (text) => (this.#last = text)
  }

  static async open(): Promise<Line> {
    return new Line(await SipPeer.udp(5060, provider, pairAddress, 5060))
  }

  async call(): Promise<Made> {
    const dialog = new Dialog(this.peer)
    const made: Made = { began: performance.now(), status: 0, ended: 0, dialog }
    dialog.invite('+15550001000', { target: `sip:+15550001000@${pairAddress}`, body: sdp(4000) })
    const invite = this.#last
    const timers = repeatedMs.map((ms) => setTimeout(() => this.peer.raw(invite), ms))
    const answer = await dialog.final('INVITE', 32_000).catch(() => undefined)
    for (const timer of timers) clearTimeout(timer)
    made.ended = performance.now()
    if (answer === undefined) return made
    dialog.learn(answer)
    dialog.send('ACK')
    made.status = answer.status
    return made
  }

  /** Calls one after the other until it is stopped. */
  stream(everyMs: number): { stop(): Promise<Made[]> } {
    const all: Promise<Made>[] = []
    const timer = setInterval(() => all.push(this.call()), everyMs)
    return {
      stop: () => {
        clearInterval(timer)
        return Promise.all(all)
      },
    }
  }
}

/** Ids of calls that were reported to begin, and to end. */
export interface Reported {
  readonly begun: Set<string>
  readonly ended: Set<string>
}

export function application(): Reported {
  const reported: Reported = { begun: new Set(), ended: new Set() }
  createServer((request, answer) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      const { event, callId, data } = JSON.parse(text || '{}') as { event?: string; callId?: string; data?: { callId?: string } }
      const id = callId ?? data?.callId ?? ''
      if (event === 'call.inbound.pre_route') reported.begun.add(id)
      if (event === 'call.ended') reported.ended.add(id)
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify([{ gather: { timeout: 120 } }]))
    })
  }).listen(9000, hub)
  return reported
}

/** A request to the pair; status 0 where there is no answer. */
export async function api(method: string, path: string, body?: unknown, key?: string): Promise<{ status: number; body: Answer }> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  }
  try {
    const answer = await fetch(`http://${pairAddress}:8080${path}`, {
      ...{ method, headers, signal: AbortSignal.timeout(1500) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Answer }
  } catch {
    return { status: 0, body: {} }
  }
}

export interface Answer {
  readonly messages?: readonly { readonly messageId: string }[]
  readonly [name: string]: unknown
}

/** Posts a text each so many ms; the ids of all that were accepted. */
export function posts(everyMs: number): { stop(): Promise<string[]> } {
  const accepted: string[] = []
  const all: Promise<void>[] = []
  let n = 0
  const timer = setInterval(() => {
    n += 1
    const post = api('POST', '/api/sms', { to: '+15551230002', message: `Text ${n}` }, `proof-${Date.now()}-${n}`)
    all.push(
      post.then(({ status, body }) => {
        if (status >= 200 && status < 300) accepted.push(body.messages?.[0]?.messageId ?? '')
      }),
    )
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(all)
      await pause(10)
      return accepted
    },
  }
}
