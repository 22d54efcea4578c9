/** A real site's network: two interfaces, address translation, an address that changes, DNS that dies. In network namespaces of our own. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { skip } from '../engine/engine.ts'

const folder = join(import.meta.dirname, 'inside')

/** The way into a namespace in which interfaces may be made: as root, or as a user where the kernel lets users have one. */
function wayIn(): string[] | undefined {
  const prove = ['sh', '-c', 'ip link set lo up && ip link add pbxprobe type veth peer name pbxprobe2 && mount --make-rprivate /']
  return [
    ['unshare', '-n', '-m', '-u'],
    ['unshare', '-U', '-r', '-n', '-m', '-u'],
  ].find(([program = '', ...args]) => spawnSync(program, [...args, ...prove], { stdio: 'ignore' }).status === 0)
}

const way = wayIn()

t.test('networks', { skip: skip || (way ? false : 'the kernel lets us have no network namespaces'), timeout: 300_000 }, async (t) => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.inside.ts'))) {
    const [program = '', ...args] = way ?? []
    await t.spawn(program, [...args, process.execPath, ...process.execArgv, join(folder, file)], file.replace('.inside.ts', ''))
  }
})
