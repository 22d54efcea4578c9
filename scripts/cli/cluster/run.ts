/** pbx cluster render, pbx cluster check. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { ConfigError } from '../../../daemon/config/load.ts'
import { faultLine } from '../../../daemon/config/source.ts'
import type { Cluster } from '../../../daemon/schema/cluster.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { green, print, printJson, printNote, red, table } from '../output.ts'
import { listenerFaults } from '../pair/listeners.ts'
import { allPackages, clusterFiles } from './files.ts'
import { readCluster } from './read.ts'

/** null: it has faults, which people have seen. `config`: of the box, which has to fit a pair. */
export function described(json: boolean, file: string, config?: string): Cluster | null {
  try {
    const cluster = readCluster(file)
    const faults = cluster.pair === undefined ? [] : listenerFaults(cluster.pair, config)
    if (faults.length > 0) throw new ConfigError(faults)
    return cluster
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (json) printJson({ file, ok: false, faults: error.faults })
    for (const fault of json ? [] : error.faults) printNote(faultLine(fault))
    return null
  }
}

export async function render({ json, choice }: Context, file: string, { out }: { out: string }): Promise<number> {
  const cluster = described(json, file, choice.config)
  if (cluster === null) return exitCode.failed
  const files = clusterFiles(cluster).map(({ machine, path, text }) => ({ machine, path, file: join(out, machine, path), text }))
  for (const { file: place, text } of files) {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
    if (isProgram(text)) chmodSync(place, 0o755)
  }
  const needs = allPackages(cluster)
  if (json) {
    printJson({
      files: files.map(({ machine, path, file: place }) => ({ machine, path, file: place })),
      packages: needs.flatMap(({ packages }) => packages),
    })
    return exitCode.done
  }
  print(
    table(
      ['MACHINE', 'FILE', 'WRITTEN TO'],
      files.map(({ machine, path, file: place }) => [machine, path, place]),
    ),
  )
  for (const { of, packages } of needs) print(`${of} needs: apt-get install ${packages.join(' ')}`)
  return exitCode.done
}

export async function check(
  { json, choice }: Context,
  file: string,
  { machine, root }: { machine?: string; root: string },
): Promise<number> {
  const cluster = described(json, file, choice.config)
  if (cluster === null) return exitCode.failed
  const name = machine ?? hostname()
  const names = [...cluster.edge.machines, ...(cluster.pair?.machines ?? [])].map((one) => one.name)
  if (!names.includes(name))
    throw new CommandError(`this machine, ${name}, is none of the edge or of the pair: ${names.join(', ')}`, {
      ...{ exit: exitCode.usage, code: 'usage', fix: `pbx cluster check --machine ${names[0]}` },
    })
  const seen = clusterFiles(cluster)
    .filter((one) => one.machine === name)
    .map(({ path, text }) => ({ path, state: stateOf(join(root, path), text) }))
  const good = seen.every(({ state }) => state === 'same')
  if (json) printJson({ machine: name, ok: good, files: seen })
  else
    print(
      table(
        ['FILE', 'STATE'],
        seen.map(({ path, state }) => [path, state === 'same' ? green(state) : red(state)]),
      ),
    )
  return good ? exitCode.done : exitCode.failed
}

/** Pacemaker runs an agent that is executable, and no other. */
const isProgram = (text: string): boolean => text.startsWith('#!/')

function stateOf(file: string, wanted: string): 'same' | 'differs' | 'missing' {
  try {
    if (isProgram(wanted) && (statSync(file).mode & 0o111) === 0) return 'differs'
    return readFileSync(file, 'utf8') === wanted ? 'same' : 'differs'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing'
    throw error
  }
}
