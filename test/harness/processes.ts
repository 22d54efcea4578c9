/** What the kernel says of processes (proc(5)), and certificates made by openssl. */
import { spawn, type ChildProcess } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ours = new Set<ChildProcess>()

/** Lets a child not outlive this process, however this process ends (kill -9 apart). */
export function endWithUs(child: ChildProcess): void {
  if (ours.size === 0 && process.listenerCount('exit', killOurs) === 0) {
    process.on('exit', killOurs)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGALRM'] as const) process.once(signal, () => process.exit(1))
  }
  ours.add(child)
  child.once('exit', () => ours.delete(child))
}

function killOurs(): void {
  for (const child of ours) child.kill('SIGKILL')
}

export function childrenOf(pid: number): number[] {
  const found: number[] = []
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const fields = stat(Number(entry))
    if (fields && Number(fields[1]) === pid) found.push(Number(entry))
  }
  return found
}

/** Every process of a program that was started with a path in this directory, whatever its parent is by now. */
export function processesOf(program: string, dir: string): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.map(Number).filter((pid) => {
    const command = commandOf(pid)
    return command.includes(program) && command.includes(`${dir}/`)
  })
}

/** kill -9 for all of them. */
export function endProcessesOf(program: string, dir: string): void {
  for (const pid of processesOf(program, dir)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Fields of /proc/PID/stat after the command name: [0] state, [1] parent, [11] user ticks, [12] system ticks, [19] when it began. */
function stat(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** When it began, in ticks of 10 ms since the machine did: the numbers of processes begin again with low ones. */
export const beganAt = (pid: number): number => Number(stat(pid)?.[19] ?? 0)

/** CPU time used so far, milliseconds (the kernel counts in ticks of 10 ms). */
export function cpuMs(pid: number): number {
  const fields = stat(pid)
  return fields ? (Number(fields[11]) + Number(fields[12])) * 10 : 0
}

/** Resident memory, kB. */
export function residentKb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

let ofThisFile: Promise<string> | undefined

/**
 * A self-signed certificate for 127.0.0.1 as `cert.pem` and `key.pem` in a directory: one for all that a file of tests starts, since making
 * one is the start of a program.
 */
export async function certificate(dir: string): Promise<void> {
  ofThisFile ??= (async () => {
    const kept = mkdtempSync(join(tmpdir(), 'pbxd-certificate-'))
    process.once('exit', () => rmSync(kept, { recursive: true, force: true }))
    await freshCertificate(kept)
    return kept
  })()
  const kept = await ofThisFile
  for (const name of ['cert.pem', 'key.pem']) copyFileSync(join(kept, name), join(dir, name))
}

/** Another certificate, used by no other test. */
export function freshCertificate(dir: string): Promise<void> {
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1`
  const child = spawn('openssl', [...words.split(' '), '-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')], { stdio: 'ignore' })
  return new Promise((resolve, reject) =>
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`openssl ended with ${code}`)))),
  )
}
