/** What must hold of every command that root runs while the service's user is his enemy, and what that user's daemon answers. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { canarySecret, type HostileService, type Ran } from './hostile-service.ts'

/** That nothing was gained by what the attacker did, and that a person who reads what came of it is not left alone. */
export function judge(t: Test, ran: Ran, before: string, but: readonly string[], what: string, of: HostileService, racing = false): void {
  t.notOk(ran.late, `${what}: it came to an end`)
  t.equal(of.outside(but), before, `${what}: nothing outside changed`)
  t.notOk(of.heard.includes(canarySecret), `${what}: nothing of root's was sent`)
  t.notMatch(ran.text, /\u001b|\u009b|\u0007/, `${what}: nothing for a terminal to obey`)
  t.notMatch(ran.text, /\n\s+at .*\.(ts|js):\d+/, `${what}: no stack`)
  t.ok([0, 1, 2, 3].includes(ran.code!), `${what}: an exit code of ours`)
  t.notMatch(ran.text, /\(see (pbx )?--help\)/, `${what}: it was begun`)
  // What a library says of a path that changed under its hands is no sentence of ours.
  if (ran.code !== 0 && !racing) t.ok(inSentence(ran.text), `${what}: a sentence: ${ran.text}`)
}

/** What was refused, or went wrong, is said by words: not by a name of the system's or of the program's alone. */
function inSentence(text: string): boolean {
  const words = text.replaceAll(/\u00e2\u009c./g, '✗').trim()
  const bare = /\b(?:[A-Z][A-Za-z]*)?Error\b|\bE[A-Z]{4,}\b|\bERR_\w+|\bSIG[A-Z]{3,}\b|\[object /
  return /[a-z]{2,} [a-z]{2,}/i.test(words) && !bare.test(words)
}

/** For sockets: their paths have 107 letters at most. */
export function shortPlace(): string {
  const place = fs.mkdtempSync('/var/tmp/pbx-')
  fs.chmodSync(place, 0o755)
  return place
}

/** Where a command asks the daemon, it is one that answers as the attacker likes. */
export const liesOf =
  ({ dir, storage }: HostileService) =>
  (path: string): unknown => {
    if (path.startsWith('/api/backup/begin')) return { folder: join(storage, 'backup-work') }
    if (path.startsWith('/api/backup')) return {}
    if (path.startsWith('/api/inbox/media/vm_2')) return { file: join(storage, 'recordings/a.wav'), name: 'a.wav' }
    if (path.startsWith('/api/inbox/media')) return { file: join(dir, 'canary/secret'), name: '../canary/folder/evil' }
    if (path === '/api/config')
      return { configFile: join(dir, 'canary/secret'), fileIsOther: false, change: { state: 'applied', reason: '', file: '', changes: [] } }
    if (path.startsWith('/api/speech/say'))
      return { wav: 'AAAA', warnings: ['\u001b[2J\u009b'], engine: '\u001b]0;x\u0007', seconds: 1e300, ms: -1, firstMs: 0 }
    if (/^\/api\/(audit\/export|simulate)/.test(path)) return { done: true }
    return undefined
  }

export const nonsense = [
  '',
  'null',
  '[]',
  '"\u001b[2J"',
  '{"items":[],"nextCursor":"again"}',
  `{"error":"\\u001b]0;owned\\u0007","code":"x","items":[{"id":"\\u009b2J","from":1e308,"at":"never"}],"nextCursor":null}`,
  '{"done":true}\n',
  '{"failed":{"error":"\\u001b[31m","code":"x"}}\n',
  `[${'['.repeat(5000)}`,
  `{"file":"${'../'.repeat(40)}etc/passwd","configFile":"/etc/shadow"}`,
]
