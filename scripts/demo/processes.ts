/** Starts the two programs of the demonstration, the daemon and the application, and knows when each is up. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A port that neither UDP nor TCP uses at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const udp = createSocket('udp4').bind(0, '127.0.0.1')
    await once(udp, 'listening')
    const { port } = udp.address()
    const tcp = createServer()
    const free = await new Promise<boolean>((resolve) => {
      tcp.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    udp.close()
    tcp.close()
    if (free) return port
  }
}

/** Its output goes to `log`. */
export function startProgram(file: string, args: readonly string[], log: string, env: Record<string, string> = {}): ChildProcess {
  const output = openSync(log, 'w')
  return spawn(process.execPath, [file, ...args], { stdio: ['ignore', output, output], env: { ...process.env, ...env } })
}

/** Rejects when the program ends first or `withinMs` have passed. */
export async function until(ready: () => Promise<boolean>, program: ChildProcess, what: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await ready())) {
    if (program.exitCode !== null || program.signalCode !== null)
      throw new Error(`${what} ended with ${program.exitCode ?? program.signalCode}`)
    if (performance.now() > deadline) throw new Error(`${what} was not ready within ${withinMs / 1000} s`)
    await pause(50)
  }
}

export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

export async function answersReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200
  } catch {
    return false
  }
}

export async function stopProgram(program: ChildProcess | undefined): Promise<void> {
  if (!program || program.exitCode !== null || program.signalCode !== null) return
  const ended = once(program, 'exit')
  program.kill('SIGTERM')
  const patience = setTimeout(() => program.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(patience)
}
