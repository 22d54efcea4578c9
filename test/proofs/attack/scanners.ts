/** The programs that every host on the internet meets: svmap, svwar and svcrack (Debian's sipvicious), from a stranger's address. */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../harness/daemon.ts'
import type { Area, Attack, Skipped, Verdict } from './attack.ts'

const mostSeconds = 25

/** Each program its own address, so that a ban of one is not the silence of the next. svcrack ignores it and is 127.0.0.1. */
const addresses = { svmap: '127.0.0.61', svwar: '127.0.0.62', svcrack: '127.0.0.63' }

type Program = keyof typeof addresses

/** All that the program printed. A local port of its own: on 5060 it would take answers to others for its own. */
async function run(program: Program, target: number, args: readonly string[], home: string): Promise<string> {
  const from = addresses[program]
  const local = await freePort(from)
  const all = ['-p', String(target), '-P', String(local), '-b', from, '-x', from, ...args, '127.0.0.1']
  const child = spawn(program, all, {
    env: { PATH: process.env['PATH'], HOME: home, PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  const timer = setTimeout(() => child.kill('SIGINT'), mostSeconds * 1000)
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

function attack(
  name: string,
  program: Program,
  play: (scan: (port: number, ...args: string[]) => Promise<string>, home: string, box: number) => Promise<Verdict>,
): Attack {
  return {
    name,
    play: async (box): Promise<Verdict | Skipped> => {
      if (!existsSync(`/usr/bin/${program}`)) return { skipped: `there is no ${program} here: apt-get install sipvicious` }
      const home = mkdtempSync(join(tmpdir(), 'pbxd-scanner-'))
      try {
        return await play((port, ...args) => run(program, port, args, home), home, box.daemon.sipPort)
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    },
  }
}

/**
 * A box that answers everybody what it is and which extensions it has, 100 to 110: what the scanners find where there is something to be
 * found.
 */
async function talkative(): Promise<{ port: number; close(): void }> {
  const socket = createSocket('udp4')
  socket.on('message', (request, from) => {
    const text = request.toString('latin1')
    const known = /^To: "?1(0\d|10)\b/m.test(text)
    const status = text.startsWith('OPTIONS') ? '200 OK' : known ? '401 Unauthorized' : '404 Not Found'
    const kept = text.match(/^(Via|From|To|Call-ID|CSeq): .*$/gim) ?? []
    socket.send(
      [
        `SIP/2.0 ${status}`,
        ...kept,
        'WWW-Authenticate: Digest realm="x", nonce="y"',
        'User-Agent: talkative',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
      from.port,
      from.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, close: () => void socket.close() }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim().slice(0, 80) ?? ''

const boxes = (text: string): number => (/127\.0\.0\.1:\d+ +\|/.test(text) ? 1 : 0)
const passwords = (text: string): string[] =>
  [...text.matchAll(/^\| (\S.*?) +\|$/gm)].map(([, row = '']) => row).filter((row) => !row.startsWith('Extension'))

/** How sure it is that the program would have found something: it found the same where it was given away. */
const control = (found: boolean): string => (found ? 'finds it where it may' : 'THE PROGRAM FINDS NOTHING ANYWHERE')

export const scanners: Area = {
  name: 'scanners',
  attacks: [
    attack('svmap looks for a SIP box, by OPTIONS and by INVITE', 'svmap', async (scan, _home, box) => {
      const other = await talkative()
      const able = boxes(await scan(other.port, '-m', 'OPTIONS')) === 1
      other.close()
      const found = boxes(await scan(box, '-m', 'OPTIONS')) + boxes(await scan(box, '-m', 'INVITE'))
      return { seen: `${found} of 2 found the box; ${control(able)}`, stood: able && found === 0 }
    }),
    attack('svwar looks for extensions 100 to 110 by REGISTER', 'svwar', async (scan, _home, box) => {
      const extensions = ['-e', '100-110', '-m', 'REGISTER', '--force', '--maximumtime', '20']
      const told = (text: string) => [...text.matchAll(/^\| (\d+) +\| +(\w+)/gm)].map(([, , kind = '']) => kind)
      const other = await talkative()
      const able = told(await scan(other.port, ...extensions)).length === 11
      other.close()
      const found = told(await scan(box, ...extensions))
      const kinds = new Set(found)
      // All alike, or none at all: what exists must look like what does not.
      const alike = found.length === 0 || (found.length === 11 && kinds.size === 1)
      return { seen: `${found.length} of 11 told${found.map((kind) => ` ${kind}`).join('')}; ${control(able)}`, stood: able && alike }
    }),
    attack('svcrack tries 40 words, then the right one, on extension 101', 'svcrack', async (scan, home, box) => {
      const words = (name: string, list: readonly string[]) => {
        writeFileSync(join(home, name), [...list, ''].join('\n'))
        return ['-u', '101', '-d', join(home, name), '--maximumtime', '5']
      }
      const wrong = Array.from({ length: 40 }, (_, n) => `wrong-password-${n}`)
      const able = passwords(await scan(box, ...words('right', ['a-long-password']))).length === 1
      const text = await scan(box, ...words('words', [...wrong, 'a-long-password']))
      const rows = passwords(text)
      return { seen: `${rows.join('; ') || lastLine(text)}; ${control(able)}`, stood: able && rows.length === 0 && !/Traceback/.test(text) }
    }),
  ],
}
