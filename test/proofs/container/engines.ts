/** Runs an image as a container with the network of this machine: by podman, or, where the system forbids that, by buildah in a chroot. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface Container {
  /** Output of a command inside. */
  exec(words: readonly string[]): Promise<string>
  /** As `docker stop`: STOPSIGNAL of the image to the program. Resolves when it has ended. */
  stop(): Promise<void>
  remove(): Promise<unknown>
}

export interface RunOptions {
  readonly image: string
  /** Folder of this machine that is the volume. */
  readonly volume: string
  readonly env: Readonly<Record<string, string>>
}

/** Output of a program; rejects with all that it wrote where it fails. The application of the proof answers meanwhile. */
async function say(program: string, words: readonly string[]): Promise<string> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)])
  if (child.exitCode !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`)
  return stdout
}
const flags = (name: string, of: Readonly<Record<string, string>>, between: string): string[] =>
  Object.entries(of).flatMap(([key, value]) => [name, `${key}${between}${value}`])

/** Whether podman may set up a container here: namespaces, control groups, limits. */
export function canPodman(image: string): { readonly ok: boolean; readonly reason: string } {
  const { status, stderr } = spawnSync('podman', ['run', '--rm', '--network', 'host', image, 'true'], { encoding: 'utf8' })
  return { ok: status === 0, reason: (stderr ?? '').trim().split('\n').at(-1) ?? '' }
}

function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve()
}

export async function runPodman({ image, volume, env }: RunOptions): Promise<Container> {
  const name = `pbxd-proof-${process.pid}`
  const words = ['run', '--rm', '--init', '--name', name, '--network', 'host', '-v', `${volume}:/pbxd/var`, ...flags('-e', env, '=')]
  const child = spawn('podman', [...words, image], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    exec: (command) => say('podman', ['exec', name, ...command]),
    async stop() {
      await say('podman', ['stop', '-t', '30', name])
      await ended(child)
    },
    remove: async () => undefined,
  }
}

interface Inspected {
  readonly OCIv1: { readonly config: { readonly Cmd: readonly string[] } }
}

export async function runBuildah({ image, volume, env }: RunOptions): Promise<Container> {
  const name = (await say('buildah', ['from', image])).trim()
  const { Cmd: program } = (JSON.parse(await say('buildah', ['inspect', name])) as Inspected).OCIv1.config
  const around = ['run', '--isolation', 'chroot', '-v', `${volume}:/pbxd/var`]
  const child = spawn('buildah', [...around, ...flags('-e', env, '='), name, '--', ...program], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    exec: (command) => say('buildah', [...around, name, '--', ...command]),
    async stop() {
      // Buildah hands no signal on: the program itself is asked, as the first process of a container would be.
      say('buildah', [
        ...around,
        name,
        '--',
        'sh',
        '-c',
        `kill -INT $(pbx status --json | sed -n 's/.*"pid": *\\([0-9]*\\).*/\\1/p' | head -n 1)`,
      ])
      await ended(child)
    },
    remove: () => say('buildah', ['rm', name]),
  }
}
