/** pbx config edit: a copy is edited, checked by the daemon, and applied when it is good. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfigCheckView, ConfigStateView } from '../../../daemon/schema/config/change.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { print, printRaw } from '../output.ts'
import { configNamed } from '../owner.ts'
import { agreed, applyText, tellCheck, type Changing } from './change.ts'

export async function edit(context: Context, changing: Changing & { note?: string }): Promise<number> {
  const client = await context.client()
  const { configFile } = await client.get<ConfigStateView>('/api/config')
  if (configFile === null)
    throw new CommandError('the daemon runs on its built-in configuration', {
      fix: 'pbx config init, then npm start -- --config pbxd.yaml',
    })
  const before = readFileSync(configNamed(context.choice, configFile), 'utf8')
  // There may be secrets in it: the folder is the user's alone.
  const folder = mkdtempSync(join(tmpdir(), 'pbx-config-'))
  const copy = join(folder, 'pbxd.yaml')
  let keep = false
  try {
    writeFileSync(copy, before, { mode: 0o600 })
    for (;;) {
      open(copy)
      const text = readFileSync(copy, 'utf8')
      if (text === before) {
        keep = false
        print('nothing was changed')
        return exitCode.done
      }
      const view = await client.post<ConfigCheckView>('/api/config/check', { text })
      keep = true
      if (view.ok) {
        const code = await applyText(context, text, undefined, changing)
        keep = code !== exitCode.done
        return code
      }
      tellCheck(view, copy)
      if (!process.stdin.isTTY || !(await agreed('Edit it again?', { usual: true }))) return exitCode.failed
    }
  } finally {
    // Nobody types twice.
    if (keep) printRaw(`Your text is saved. To use it:\n  pbx config apply ${copy}`)
    else rmSync(folder, { recursive: true, force: true })
  }
}

function open(file: string): void {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'editor'
  const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (error !== undefined || status !== 0)
    throw new CommandError(`${editor} failed with ${error?.message ?? status}`, { fix: 'EDITOR=nano pbx config edit' })
}
