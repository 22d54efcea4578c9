/** A pseudo terminal under a name of the file system, kept by the program pbx-pty: Node cannot open one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Terminal {
  write(bytes: Buffer): void
  /** Whether the terminal takes what the program that has it open writes; otherwise the program waits. */
  flow(takes: boolean): void
  /** Takes the terminal away: the program that has it open sees a modem that was unplugged. */
  close(): Promise<void>
}

/** Rejects where the program is missing, or cannot make the terminal. */
export async function openTerminal(program: string, link: string, received: (bytes: Buffer) => void): Promise<Terminal> {
  const child = spawn(program, [link], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(child, 'close').catch(() => undefined)
  child.stdin.on('error', () => undefined)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`)))
    child.once('exit', () => reject(new Error(`No pseudo terminal at ${link}: ${said.trim()}`)))
    child.stderr.on('data', (bytes: Buffer) => {
      said = `${said}${bytes.toString()}`.slice(-500)
      if (said.includes('ready')) resolve()
    })
  })
  child.stdout.on('data', received)
  return {
    write: (bytes) => void child.stdin.write(bytes),
    flow: (takes) => void (takes ? child.stdout.resume() : child.stdout.pause()),
    close: async () => {
      child.stdout.resume()
      child.stdin.end()
      await ended
    },
  }
}
