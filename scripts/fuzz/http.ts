/**
 * Troubles a running daemon's web port: requests made from its own /openapi.json and damaged, and raw bytes. Fails on a
 * 500, on an answer that takes longer than a second, and when the server is gone. The daemon should have high limits
 * (limits.requestsPerSecond, limits.burst), or most requests end there.
 *
 *   scripts/run scripts/fuzz/http.ts --target http://127.0.0.1:8080 --token TOKEN --seconds 60 --seed 1
 */
import { connect } from 'node:net'
import { parseArgs } from 'node:util'
import { Agent, request, type Dispatcher } from 'undici'
import { describedCase, rawBytes, type Case, type OpenApi } from './http-cases.ts'
import { Random } from './random.ts'

export interface HttpFuzzOptions {
  /** `http://host:port`. */
  target: string
  token: string
  seconds: number
  seed: number
  onProgress?: (line: string) => void
}

export interface HttpFuzzResult {
  requests: number
  /** Answers by status; `closed` for connections that ended without one. */
  statuses: Record<string, number>
  slowestMs: number
  /** Empty where all went well; the run ends at the first. */
  failures: string[]
}

const answerWithinMs = 1_000
const atOnce = 6

export async function fuzzHttp(options: HttpFuzzOptions): Promise<HttpFuzzResult> {
  const { target, token, seconds, seed, onProgress } = options
  const random = new Random(seed)
  const agent = new Agent({ connections: atOnce, headersTimeout: answerWithinMs * 5, bodyTimeout: answerWithinMs * 5 })
  const result: HttpFuzzResult = { requests: 0, statuses: {}, slowestMs: 0, failures: [] }
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
    const what = describedCase(random, description, token)
    const started = performance.now()
    const status = await send(agent, target, what)
    const took = performance.now() - started
    result.slowestMs = Math.max(result.slowestMs, Math.round(took))
    count(String(status))
    if (status === 500 || status === 501 || took > answerWithinMs)
      result.failures.push(`${status} after ${Math.round(took)} ms: ${show(what)}`)
  }

  const worker = async (description: OpenApi): Promise<void> => {
    while (Date.now() < until && result.failures.length === 0) {
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
    await Promise.all(Array.from({ length: atOnce }, () => worker(description)))
    if (!(await alive(agent, target))) result.failures.push('the server is gone at the end')
  } finally {
    await agent.destroy()
  }
  return result
}

async function send(agent: Agent, target: string, { method, path, headers, body }: Case): Promise<number | 'closed'> {
  try {
    const answer = await request(target + path, { dispatcher: agent, method: method as Dispatcher.HttpMethod, headers, body: body ?? null })
    await answer.body.dump()
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
