/** The connection to the server of a media stream: signed, to an address that was checked, within 5 s, and tried once more. */
import type { ClientRequestArgs } from 'node:http'
import type { TcpSocketConnectOpts } from 'node:net'
import { createRequire } from 'node:module'
import { rootCertificates } from 'node:tls'
import type { ClientOptions, WebSocket } from 'ws'
import { attemptMs } from '../../../drivers/connect-patience.ts'
import { pause, type Clock } from '../../base/clock.ts'
import { checkUrl, guardedLookup, portOf, type AddressPolicy } from '../../outbox/address.ts'
import { signedHeaders } from '../../base/signing.ts'

export interface OpenOptions {
  readonly policy: AddressPolicy
  readonly clock: Clock
  readonly userAgent: string
  /** Of servers, besides those that are known everywhere: PEM. */
  readonly authority?: string
}

export interface OpenRequest {
  readonly url: string
  /** Signs the request, whose body is empty. */
  readonly secret: string
  readonly callId: string
  readonly signal: AbortSignal
}

export type Opened = { readonly socket: WebSocket } | { readonly error: string }

const openTimeoutMs = 5000
const retryMs = 250
/** A minute of audio at 8 kHz as text, or 24 s at 16 kHz: what servers send that say a whole sentence, or a file, at once. */
const largestFrame = 1 << 20
/** Pieces in which a frame may come, by its own fragments and by those of the network: each costs memory, however small it is. */
const mostPieces = 4096

export async function openSocket(options: OpenOptions, request: OpenRequest): Promise<Opened> {
  // The rules for http are those for ws.
  const checked = checkUrl(request.url.replace(/^ws/i, 'http'), options.policy)
  if (!checked.ok) return { error: checked.reason.replaceAll('http', 'ws') }
  const first = await attempt(options, request, checked.url, 1)
  if ('socket' in first || request.signal.aborted) return first
  await pause(options.clock, retryMs, request.signal)
  return request.signal.aborted ? first : attempt(options, request, checked.url, 2)
}

/** The library is loaded with the first stream: a box without them is 5 MB smaller. */
function newSocket(
  url: string,
  options: ClientOptions & ClientRequestArgs & Pick<TcpSocketConnectOpts, 'autoSelectFamilyAttemptTimeout'>,
): WebSocket {
  const ws = createRequire(import.meta.url)('ws') as typeof import('ws')
  return new ws.WebSocket(url, options)
}

function attempt(options: OpenOptions, { url, secret, callId, signal }: OpenRequest, target: URL, number: number): Promise<Opened> {
  const { policy, clock, userAgent, authority } = options
  const { promise, resolve } = Promise.withResolvers<Opened>()
  const socket = newSocket(url, {
    headers: {
      ...signedHeaders(secret, clock.now(), ''),
      'X-Service-Call-Id': callId,
      'X-Service-Attempt': String(number),
      'User-Agent': userAgent,
    },
    perMessageDeflate: false,
    followRedirects: false,
    // One frame in a turn of the event loop: a server that floods shares the loop with all others.
    allowSynchronousEvents: false,
    // They are answered as fast as the server reads.
    autoPong: false,
    maxPayload: largestFrame,
    maxFragments: mostPieces,
    maxBufferedChunks: mostPieces,
    lookup: guardedLookup(policy, target, portOf(target)),
    autoSelectFamilyAttemptTimeout: attemptMs(openTimeoutMs),
    ...(authority === undefined ? {} : { ca: [...rootCertificates, authority] }),
  })
  const fail = (error: string): void => {
    resolve({ error })
    socket.terminate()
  }
  const abort = (): void => fail('the call ended first')
  const timer = clock.after(openTimeoutMs, () => fail(`no answer within ${openTimeoutMs / 1000} s`))
  signal.addEventListener('abort', abort)
  socket.on('error', (error) => fail(error.message))
  socket.once('unexpected-response', (_, response) => fail(`answered ${response.statusCode}`))
  socket.once('open', () => {
    // What follows it belongs to the code that takes the socket.
    socket.pause()
    resolve({ socket })
  })
  void promise.then(() => {
    timer.cancel()
    signal.removeEventListener('abort', abort)
  })
  return promise
}
