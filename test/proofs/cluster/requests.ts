/** HTTP through HAProxy and past it: whose mistakes count for whom, what a proxy on the box itself may read, and how proxies ask for health. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { edge, until } from '../../../scripts/cluster/fleet.ts'
import { look } from '../../cluster/caller.ts'
import type { Stage } from './stage.ts'

const wrongPath = '/api/voice/calls/CA019a5b3c4d5e7f8080011234abcd5678'

function ask(from: string, secret: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) =>
    get({ host: edge, path: wrongPath, localAddress: from, headers: { authorization: `Bearer ${secret}`, ...headers } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    }).on('error', reject),
  )
}

export async function requests(stage: Stage, dir: string): Promise<void> {
  const [a] = stage.boxes
  const [client, liar] = ['10.211.0.30', '192.0.2.99']
  await until('HAProxy knows the box', async () => (await stage.fleet.api('GET', wrongPath)).status === 404, 10_000)
  const wrong: number[] = []
  for (let n = 0; n < 14; n++) wrong.push(await ask(client, `wrong-${n}`, { 'X-Forwarded-For': liar }))
  look('wrong tokens of one client block it alone, whatever it says of itself', wrong.at(-1) === 429, wrong.join())
  look('and no other client', (await ask('10.211.0.31', 'wrong')) === 401)
  const { body } = await stage.at(a, '/api/audit?limit=200')
  const rows = (body.items ?? body) as { readonly address: string }[]
  const of = (address: string): number => rows.filter((row) => row.address.startsWith(address)).length
  look(
    'the audit trail has the client, not the proxy and not what it claims',
    of(client) > 0 && of(edge) + of(liar) === 0,
    `${of(client)}, ${of(edge)}, ${of(liar)}`,
  )

  const onTheBox = (...headers: string[]): string =>
    spawnSync(
      'ip',
      [
        'netns',
        'exec',
        a.id,
        'curl',
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        ...headers.flatMap((one) => ['-H', one]),
        `${a.api}/metrics`,
      ],
      { encoding: 'utf8' },
    ).stdout
  const metrics = [onTheBox(), onTheBox('X-Forwarded-For: 127.0.0.1'), onTheBox('X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: https')]
  look(
    '/metrics wants a token of a proxy on the box, with and without headers',
    metrics.every((status) => status === '401'),
    metrics.join(),
  )
  await defaultCheck(stage, dir)
}

/** A HAProxy with its own default check in place of the one that is rendered. */
async function defaultCheck(stage: Stage, dir: string): Promise<void> {
  const [a] = stage.boxes
  const file = join(dir, 'default.cfg')
  const timeouts = 'timeout connect 2s\n  timeout client 5s\n  timeout server 5s'
  writeFileSync(
    file,
    `defaults\n  mode http\n  ${timeouts}\nfrontend f\n  bind 10.211.0.1:9100\n  default_backend b\nbackend b\n  option httpchk\n  server a ${a.address}:8080 check inter 500 fall 2 rise 1\n`,
  )
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const answered = async (): Promise<number> => (await fetch('http://10.211.0.1:9100/healthz').catch(() => null))?.status ?? 0
  await until('HAProxy is there', async () => (await answered()) !== 0, 5000)
  const statuses: number[] = []
  for (let n = 0; n < 15; n++) {
    statuses.push(await answered())
    await new Promise((done) => setTimeout(done, 200))
  }
  look(
    "HAProxy's own default check finds the box well",
    statuses.every((status) => status === 200),
    [...new Set(statuses)].join(),
  )
  a.pbx('drain')
  const away = await until('it is down', async () => (await answered()) === 503, 8000).then(
    () => true,
    () => false,
  )
  look('and sees that it drains', away)
  a.pbx('drain', '--off')
  child.kill('SIGKILL')
  await stage.caller.reaches(stage.boxes)
}
