/**
 * Troubles a running daemon's web port: requests made from its own /openapi.json and damaged, and raw bytes. Fails on a
 * 500, on a request whose answer takes longer than a second twice, and when the server is gone. The daemon should have high limits
 * (limits.requestsPerSecond, limits.burst), or most requests end there.
 *
 *   scripts/run test/proofs/fuzz/http.ts --target http://127.0.0.1:8080 --token TOKEN --seconds 60 --seed 1
 */
import { connect } from 'node:net'
import { parseArgs } from 'node:util'
import { Agent, request, type Dispatcher } from 'undici'
import { describedCase, rawBytes, type Case, type OpenApi } from './http-cases.ts'
import { Random } from '../../../scripts/cli/selftest/corpus.ts'

export interface HttpFuzzOptions {
  /** `http://host:port`. */
  target: string
  token: string
  seconds: number
  seed: number
  /** Ends after so many requests, where that comes first. */
  requests?: number
  /** Only routes whose path begins with one of these. */
  paths?: readonly string[]
  /** Ids that belong into paths; further ones are learned from answers. */
  ids?: readonly string[]
  onProgress?: (line: string) => void
}

export interface HttpFuzzResult {
  requests: number
  /** Answers by status; `closed` for connections that ended without one. */
  statuses: Record<string, number>
  slowestMs: number
  /** Answers that took too long and did not when the request was made again: the machine was busy, or a far end was slow. */
  slowOnce: string[]
  /** Empty where all went well; the run ends at the first. */
  failures: string[]
}

const answerWithinMs = 1_000
/** What they order takes that long by itself: a PDF is read by its confined child, pages are drawn, a call is simulated, a number is called, a line or the whole box is tried. */
const works =
  /^\/api\/(fax|fax\/previews|simulate|emergency\/test|test|email\/test|alarms\/test|lines\/[^/]+\/test|backup\/run|speech\/say)(\?|$)/
const workWithinMs = 30_000
const atOnce = 6
/** Ids learned from answers that are remembered. */
const mostIds = 2_000
/** Requests come from several addresses, so that limits by address leave something through. */
const addresses = 8

export async function fuzzHttp(options: HttpFuzzOptions): Promise<HttpFuzzResult> {
  const { target, token, seconds, seed, requests = Infinity, paths, onProgress } = options
  const random = new Random(seed)
  const timeouts = { headersTimeout: workWithinMs, bodyTimeout: workWithinMs }
  const local = new URL(target).hostname.startsWith('127.')
  const agents = Array.from(
    { length: local ? addresses : 1 },
    (_, n) => new Agent({ connections: atOnce, ...timeouts, ...(local ? { localAddress: `127.0.0.${n + 1}` } : {}) }),
  )
  const agent = agents[0]!
  const ids = [...(options.ids ?? [])]
  const learn = (text: string): void => {
    for (const [id] of text
      .slice(0, 4_000)
      .matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|CA[0-9a-f]{32}/g)) {
      if (ids.length < mostIds) ids.push(id)
      else ids[(options.ids?.length ?? 0) + random.integer(mostIds - (options.ids?.length ?? 0))] = id
    }
  }
  const result: HttpFuzzResult = { requests: 0, statuses: {}, slowestMs: 0, slowOnce: [], failures: [] }
  const until = Date.now() + seconds * 1000
  let tellAt = Date.now() + 10_000
  const count = (status: string): void => {
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
  }

  const one = async (description: OpenApi): Promise<void> => {
    result.requests++
    if (random.chance(0.1)) {
      await sendRaw(target, rawBytes(random, token))
      count('raw')
      return
    }
    const what = describedCase(random, description, token, ids)
    const timed = async (): Promise<{ status: number | 'closed'; took: number }> => {
      const started = performance.now()
      const status = await send(random.pick(agents), target, what, learn)
      return { status, took: Math.round(performance.now() - started) }
    }
    const { status, took } = await timed()
    result.slowestMs = Math.max(result.slowestMs, took)
    count(String(status))
    const told = `${status} after ${took} ms: ${show(what)}`
    const most = works.test(what.path) ? workWithinMs : answerWithinMs
    if (status === 500 || status === 501) result.failures.push(told)
    else if (took > most) ((await timed()).took > most ? result.failures : result.slowOnce).push(told)
  }

  const worker = async (description: OpenApi): Promise<void> => {
    while (Date.now() < until && result.requests < requests && result.failures.length === 0) {
      await one(description)
      if (result.requests % 200 === 0 && !(await alive(agent, target)))
        result.failures.push(`the server is gone after ${result.requests} requests`)
      if (Date.now() > tellAt) {
        tellAt += 10_000
        onProgress?.(`${result.requests} requests, ${Math.max(0, Math.round((until - Date.now()) / 1000))} s left`)
      }
    }
  }

  try {
    const answer = await request(`${target}/openapi.json`, { dispatcher: agent })
    const description = (await answer.body.json()) as OpenApi
    // It has no end, and its answer begins with the first event.
    delete description.paths['/api/box/events/follow']
    if (paths !== undefined)
      description.paths = Object.fromEntries(
        Object.entries(description.paths).filter(([path]) => paths.some((start) => path.startsWith(start))),
      )
    await Promise.all(Array.from({ length: atOnce }, () => worker(description)))
    if (!(await alive(agent, target))) result.failures.push('the server is gone at the end')
  } finally {
    await Promise.all(agents.map((one) => one.destroy()))
  }
  return result
}

async function send(
  agent: Agent,
  target: string,
  { method, path, headers, body }: Case,
  learn: (text: string) => void,
): Promise<number | 'closed'> {
  try {
    const answer = await request(target + path, { dispatcher: agent, method: method as Dispatcher.HttpMethod, headers, body: body ?? null })
    // It has no end.
    if (answer.headers['content-type'] === 'text/event-stream') answer.body.on('error', () => undefined).destroy()
    else if (answer.statusCode === 200 && String(answer.headers['content-type']).includes('json')) learn(await answer.body.text())
    else await answer.body.dump()
    return answer.statusCode
  } catch {
    return 'closed'
  }
}

/** Whatever comes back is allowed, also nothing. */
function sendRaw(target: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(target)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => socket.write(bytes))
    const timer = setTimeout(() => socket.destroy(), 50)
    socket.on('data', () => undefined)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

async function alive(agent: Agent, target: string): Promise<boolean> {
  try {
    const answer = await request(`${target}/healthz`, { dispatcher: agent, headersTimeout: answerWithinMs * 5 })
    await answer.body.dump()
    return answer.statusCode < 500
  } catch {
    return false
  }
}

function show({ method, path, headers, body }: Case): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${body === undefined ? '' : JSON.stringify(body.toString('latin1').slice(0, 600))}`
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', default: 'http://127.0.0.1:8080' },
      token: { type: 'string', default: '' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const { target, token, seconds, seed } = values
  process.stdout.write(`seed ${seed}\n`)
  const result = await fuzzHttp({
    target,
    token,
    seconds: Number(seconds),
    seed: Number(seed),
    onProgress: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  process.exitCode = result.failures.length === 0 ? 0 : 1
}
