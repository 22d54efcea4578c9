/** Tries models in a speech process of their own, which they may take down. */
import { execFile } from 'node:child_process'
import type { TrialResult } from '../worker/trial.ts'
import { speechCommand, speechEnvironment, speechProgram } from './program.ts'
import type { ProcessPlan } from './protocol.ts'

const standardLimitMs = 120_000

/** Never rejects. `program`: that of the speech process; `limitMs`: how long it may take. */
export function tryModels(
  plan: ProcessPlan,
  options: { readonly program?: string; readonly limitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<TrialResult> {
  const limit = options.limitMs ?? standardLimitMs
  const [command, ...args] = speechCommand(plan, options.program ?? speechProgram, ['--trial', JSON.stringify(plan)])
  const settings = { env: speechEnvironment(), timeout: limit, killSignal: 'SIGKILL', signal: options.signal } as const
  return new Promise((resolve) => {
    execFile(command, args, settings, (error, stdout, stderr) => {
      const result = parseResult(stdout)
      if (result !== null) resolve(result)
      else resolve({ ok: false, reason: reasonOf(error, stderr, limit), loaded: [], loadMs: 0, rssKb: 0 })
    })
  })
}

function parseResult(stdout: string): TrialResult | null {
  const line = stdout.trimEnd().split('\n').at(-1) ?? ''
  try {
    const result = JSON.parse(line) as TrialResult
    return typeof result.ok === 'boolean' ? result : null
  } catch {
    return null
  }
}

function reasonOf(error: (Error & { code?: unknown; signal?: unknown; killed?: boolean }) | null, stderr: string, limitMs: number): string {
  if (error?.name === 'AbortError') return 'it was stopped'
  if (error?.killed === true) return `it did not load in ${limitMs / 1000} s`
  const end = typeof error?.signal === 'string' ? `was ended by ${error.signal}` : `ended with status ${String(error?.code ?? 0)}`
  // Of what Node prints of an error its first line says what it was.
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^(\s+at |Node\.js v)/.test(line))
  const words = (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim()
  return `the process that tried it ${end}${words === '' ? '' : `: ${words.slice(0, 300)}`}`
}
