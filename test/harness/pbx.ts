/** The `pbx` program, run as a technician does. */
import { spawn } from 'node:child_process'

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** `group`: the first word, such as sms; '' for none. */
export function pbxOn(socket: string, group = ''): (...words: string[]) => Promise<Ran> {
  return (...words) => {
    const child = spawn('scripts/pbx', [...(group === '' ? [] : [group]), ...words], {
      env: { ...process.env, PBXD_SOCKET: socket, NO_COLOR: '1' },
    })
    let out = ''
    let error = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })))
  }
}
