/** What the service manager and the journal know of a daemon that does not answer: that it ends again and again, and its last words. */
import { execFile } from 'node:child_process'
import type { CheckView } from '../../../daemon/schema/operation.ts'

const patienceMs = 3000
const longestWords = 300

/** null: there is no service manager, or it says that all is well. */
export async function unitFault(unit = 'pbxd.service'): Promise<CheckView | null> {
  const shown = await output('systemctl', ['show', unit, '--property=ActiveState,Result,NRestarts'])
  const facts = new Map(shown.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const))
  const state = facts.get('ActiveState') ?? ''
  if (state !== 'failed' && state !== 'activating') return null
  const restarts = Number(facts.get('NRestarts') ?? 0)
  const words = lastWords(await output('journalctl', ['--unit', unit, '--priority=err', '--lines=10', '--output=cat', '--no-pager']))
  const often = restarts === 0 ? '' : `, started again ${restarts} times`
  return {
    name: 'service',
    level: 'failure',
    text: `systemd says ${state} (${facts.get('Result') ?? ''})${often}${words === '' ? '' : `: ${words}`}`,
    fix: `journalctl -u ${unit.replace('.service', '')} -p warning`,
  }
}

/** Of the newest line that says something: lines of the log are JSON, those of the service manager are not. */
function lastWords(journal: string): string {
  const lines = journal.split('\n').filter((line) => line.trim() !== '')
  const own = lines.flatMap((line) => {
    try {
      const { msg = '', err, reason } = JSON.parse(line) as { msg?: string; err?: { message?: string }; reason?: string }
      return [[msg, err?.message ?? reason ?? ''].filter((part) => part !== '').join(': ')]
    } catch {
      return []
    }
  })
  return (own.at(-1) ?? lines.at(-1) ?? '').slice(0, longestWords)
}

/** '' where it cannot be had. */
function output(program: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: patienceMs }, (error, stdout) => resolve(error === null ? stdout : ''))
  })
}
