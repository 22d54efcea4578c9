/** How a speech process is started: which program, confined to what, at what priority, and what of the daemon's environment it sees. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { code, codeFile } from '../../../drivers/code.ts'
import { confined, type Confinement } from '../../../drivers/confine.ts'
import { root } from '../../base/root.ts'
import type { ProcessPlan, SpeechRole } from './protocol.ts'

/** The program next to the daemon's own, compiled or not as this file is. */
export const speechProgram = codeFile('daemon/programs/speech-process')

/** Folder of the packages that the engines come from, wherever they are installed. */
const packages = dirname(dirname(fileURLToPath(import.meta.resolve('soundswallower'))))

/** Calls' speech yields to the calls' audio; recordings are transcribed in time that nobody else wants. */
const priorities: Readonly<Record<SpeechRole, Pick<Confinement, 'nice' | 'idle'>>> = {
  call: { nice: 5 },
  recording: { nice: 19, idle: true },
}
/** When memory is short the kernel shall take this process and leave the calls alone. */
const oomScore = 500
/** It asks t2p how words are spoken, one at a time for each call. */
const moreTasks = 256

/** Variables that a speech process may see: what the loader, the locale and our own paths need, none of the daemon's secrets. */
const passedVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'PBXD_ROOT', 'LD_LIBRARY_PATH']

export function speechEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {}
  for (const name of passedVariables) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}

/** `readable`: recordings that it may be asked to read. Models are those of the plan. */
export function speechCommand(
  plan: ProcessPlan,
  program: string,
  args: readonly string[] = [],
  readable: readonly string[] = [],
): readonly [string, ...string[]] {
  const models = [...plan.recognisers, ...plan.voices].flatMap((model) => (typeof model === 'string' ? [] : [model.directory]))
  const detector = plan.detector?.kind === 'silero' ? [plan.detector.file] : []
  const own = [
    join(code, 'daemon'),
    join(code, 'drivers'),
    join(code, 'package.json'),
    join(root, 'drivers/speech-grammar'),
    dirname(program),
    packages,
  ]
  return confined(
    {
      run: ['/usr', '/bin', '/usr/local/lib', process.execPath],
      read: [...own, ...models, ...detector, ...readable],
      keepFds: 4,
      moreTasks,
      oomScore,
      ...priorities[plan.role],
    },
    process.execPath,
    ['--max-semi-space-size=2', program, ...args],
  )
}
